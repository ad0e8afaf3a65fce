// Measurements of operators written by the user or by `python -m opledger.evidence`: a CSV table,
// or JSON (schemas/measurements.schema.json).
//   operator,dtype,error,samples,not_finite
//   my_norm,float16,31.5,4096,0
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "checker/findings/evidence.h"
#include "registry/json/json.h"

namespace opledger {

// Returns whether the "schema" of the document is that of measurements.
bool IsOfMeasurements(const JsonDocument& document);

// These report errors at the place of each invalid row. They return nullopt if the file or its
// header is not valid.
std::optional<Evidence> ReadMeasurementsJson(const JsonDocument& document,
                                             Diagnostics& diagnostics);
std::optional<Evidence> ReadMeasurementsCsv(const Source& source, const std::string& path,
                                            Reach reach, Diagnostics& diagnostics);

}  // namespace opledger

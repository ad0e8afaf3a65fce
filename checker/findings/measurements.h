// Measurements of operators that anybody can write: a table of CSV, or JSON
// (schemas/measurements.schema.json), which `python -m opledger.evidence` writes, too.
//   operator,dtype,error,samples,not_finite
//   my_norm,float16,31.5,4096,0
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "checker/findings/evidence.h"
#include "registry/json/json.h"

namespace opledger {

// Whether the document says that it is of this kind.
bool IsOfMeasurements(const JsonDocument& document);

// Each row is checked: what is wrong with it is an error at its place. None, with errors.
std::optional<Evidence> ReadMeasurementsJson(const JsonDocument& document,
                                             Diagnostics& diagnostics);
std::optional<Evidence> ReadMeasurementsCsv(const Source& source, const std::string& path,
                                            Reach reach, Diagnostics& diagnostics);

}  // namespace opledger

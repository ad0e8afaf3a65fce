// Declares the passes of a conversion. kPasses in passes.cpp lists them in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conversion/conversion.h"
#include "conversion/label/settings.h"
#include "conversion/model/files/files.h"
#include "conversion/report/value_summary.h"

namespace opledger {

// Converts the model of a file and appends a description of what was done to `text`. Returns the
// exit status: 0 on success; 1 with --strict if no node becomes low; 2 on errors, in which case
// nothing is written.
int RunPasses(SourceFile file, const ConvertOptions& options, std::string& text,
              Diagnostics& diagnostics);

// Returns the possible range of each value of a model, in float32 and converted. Returns nullopt,
// with errors, if the model cannot be converted.
std::optional<std::vector<ValueSummary>> AnalyseValues(const InspectOptions& options,
                                                       Diagnostics& diagnostics);

}  // namespace opledger

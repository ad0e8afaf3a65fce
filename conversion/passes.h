// The passes of a conversion, in their order: kPasses.
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

// Converts the model of a file; what was done stands in `text`. Gives the exit status: 0; 1, with
// --strict, if no node becomes low; 2, with errors, and then nothing is written.
int RunPasses(SourceFile file, const ConvertOptions& options, std::string& text,
              Diagnostics& diagnostics);

// What the numbers of each value of a model can be, as it stands and converted; none, with errors:
// it cannot be converted.
std::optional<std::vector<ValueSummary>> AnalyseValues(const InspectOptions& options,
                                                       Diagnostics& diagnostics);

}  // namespace opledger

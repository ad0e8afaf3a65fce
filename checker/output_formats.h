// --output-format FMT[=FILE], several at once: where each report goes.
//   text, sarif=out.sarif -> text on standard output, sarif into the file
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/reports.h"

namespace opledger {

struct OutputFormat {
  const ReportFormat* format = nullptr;
  std::string file = "-";
};

// No text at all is "text". An unknown format, or two for one file, is an error.
std::optional<std::vector<OutputFormat>> ParseOutputFormats(const std::vector<std::string>& texts,
                                                            Diagnostics& diagnostics);

}  // namespace opledger

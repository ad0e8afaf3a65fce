// --output-format FMT[=FILE], which may be repeated: the format and file of each report.
//   text, sarif=out.sarif -> text on standard output, sarif into the file
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/reports/reports.h"

namespace opledger {

struct OutputFormat {
  const ReportFormat* format = nullptr;
  std::string file = "-";
};

struct RequestedFormats {
  std::vector<std::string> texts;  // FMT or FMT=FILE; at least one
  const char* from = "";           // "--output-format", the variable, or "default"
};

// Returns the flags, otherwise OPLEDGER_OUTPUT_FORMAT (separated by commas), otherwise "text".
RequestedFormats ChooseFormats(const std::vector<std::string>& flags);

// Returns nullopt, with an error, for an unknown format and for two reports in the same file.
std::optional<std::vector<OutputFormat>> ParseOutputFormats(const RequestedFormats& chosen,
                                                            Diagnostics& diagnostics);

}  // namespace opledger

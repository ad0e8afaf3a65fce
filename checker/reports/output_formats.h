// --output-format FMT[=FILE], several at once: where each report goes.
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
  std::vector<std::string> texts;  // FMT or FMT=FILE; one at least
  const char* from = "";           // "--output-format", the variable, or "default"
};

// What the flags say, else OPLEDGER_OUTPUT_FORMAT (separated by commas), else "text".
RequestedFormats ChooseFormats(const std::vector<std::string>& flags);

// An unknown format, or two for one file, is an error.
std::optional<std::vector<OutputFormat>> ParseOutputFormats(const RequestedFormats& chosen,
                                                            Diagnostics& diagnostics);

}  // namespace opledger

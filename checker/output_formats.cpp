// --output-format FMT[=FILE].
// SPDX-License-Identifier: Apache-2.0
#include "checker/output_formats.h"

#include <set>

#include "checker/choices.h"
#include "registry/suggestion.h"

namespace opledger {

std::optional<std::vector<OutputFormat>> ParseOutputFormats(const std::vector<std::string>& texts,
                                                            Diagnostics& diagnostics) {
  if (texts.empty()) return std::vector<OutputFormat>{{FindReportFormat("text"), "-"}};
  std::vector<OutputFormat> formats;
  std::set<std::string> files;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    OutputFormat& format = formats.emplace_back();
    format.format = FindReportFormat(name);
    if (equals != std::string::npos) format.file = text.substr(equals + 1);
    if (format.format == nullptr) {
      diagnostics.Error({}, "unknown output format '" + name + "'",
                        ChoiceHint(name, ReportFormatNames()));
      return std::nullopt;
    }
    if (format.file.empty()) {
      diagnostics.Error({}, "--output-format " + text + " names no file",
                        "write " + name + "=FILE, or " + name + " for standard output");
      return std::nullopt;
    }
    if (!files.insert(format.file).second) {
      diagnostics.Error({},
                        format.file == "-" ? std::string("two reports on standard output")
                                           : "two reports into '" + format.file + "'",
                        "give one of them a file of its own: " + name + "=FILE");
      return std::nullopt;
    }
  }
  return formats;
}

}  // namespace opledger

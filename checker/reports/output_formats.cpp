// Parses --output-format FMT[=FILE].
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/output_formats.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "registry/text/suggestion.h"

namespace opledger {

RequestedFormats ChooseFormats(const std::vector<std::string>& flags) {
  if (!flags.empty()) return {flags, "--output-format"};
  constexpr const char* kVariable = "OPLEDGER_OUTPUT_FORMAT";
  const char* const set = std::getenv(kVariable);
  if (set == nullptr || *set == '\0') return {{"text"}, "default"};
  RequestedFormats chosen = {{}, kVariable};
  const std::string_view text = set;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    chosen.texts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return chosen;
}

std::optional<std::vector<OutputFormat>> ParseOutputFormats(const RequestedFormats& chosen,
                                                            Diagnostics& diagnostics) {
  const std::string from = chosen.from;
  const std::string where = from.starts_with('-') ? "" : " in " + from;
  std::vector<OutputFormat> formats;
  std::set<std::string> files;
  for (const std::string& text : chosen.texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    OutputFormat& format = formats.emplace_back();
    format.format = FindReportFormat(name);
    if (equals != std::string::npos) format.file = text.substr(equals + 1);
    if (format.format == nullptr) {
      return diagnostics.Error({}, "unknown output format '" + name + "'" + where,
                               ChoiceHint(name, ReportFormatNames()));
    }
    if (format.file.empty()) {
      return diagnostics.Error({}, from + ' ' + text + " names no file",
                               "write " + name + "=FILE, or " + name + " for standard output");
    }
    if (!files.insert(format.file).second) {
      return diagnostics.Error({},
                               format.file == "-" ? std::string("two reports on standard output")
                                                  : "two reports into '" + format.file + "'",
                               "give one of them a file of its own: " + name + "=FILE");
    }
  }
  return formats;
}

}  // namespace opledger

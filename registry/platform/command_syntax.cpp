// The syntax of a verb as lines of fields that tabs separate: names, value, choices, "repeatable"
// or nothing, help. Names and choices have commas between them.
//   -o,--output<TAB>FILE<TAB><TAB><TAB>Where to write
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/command_line.h"

namespace opledger {
namespace {

constexpr std::size_t kFields = 5;

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::vector<std::string> Parts(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string WriteSyntax(const std::vector<OptionSyntax>& options) {
  std::string text;
  for (const OptionSyntax& option : options) {
    text += Joined(option.names) + '\t' + option.value + '\t' + Joined(option.choices) + '\t' +
            (option.repeatable ? "repeatable" : "") + '\t' + option.help + '\n';
  }
  return text;
}

std::optional<std::vector<OptionSyntax>> ReadSyntax(std::string_view text) {
  std::vector<OptionSyntax> options;
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (const std::string& line : Parts(text, '\n')) {
    const std::vector<std::string> fields = Parts(line, '\t');
    if (fields.size() != kFields || fields[0].empty()) return std::nullopt;
    options.push_back({Parts(fields[0], ','), fields[1], Parts(fields[2], ','),
                       fields[3] == "repeatable", fields[4]});
  }
  return options;
}

}  // namespace opledger

// Reads files line by line: a registry in a data file has a line for each name.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/discover/data_uses.h"

#include <algorithm>
#include <functional>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// Calls `found` with each line and its offset.
void ForEachLine(std::string_view text,
                 const std::function<void(std::string_view line, std::size_t offset)>& found) {
  for (const std::string_view line : SplitAt(text, '\n')) {
    found(line, static_cast<std::size_t>(line.data() - text.data()));
  }
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view WordAt(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && IsWordCharacter(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::size_t BehindBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// Commands and modules of CMake whose first argument is a name.
bool IsCMakeCommand(std::string_view word) {
  static constexpr std::string_view kOwn[] = {"set",
                                              "unset",
                                              "if",
                                              "elseif",
                                              "else",
                                              "endif",
                                              "foreach",
                                              "endforeach",
                                              "while",
                                              "endwhile",
                                              "function",
                                              "endfunction",
                                              "macro",
                                              "endmacro",
                                              "return",
                                              "message",
                                              "option",
                                              "project",
                                              "include",
                                              "list",
                                              "string",
                                              "file",
                                              "math",
                                              "install",
                                              "export",
                                              "enable_language",
                                              "source_group",
                                              "configure_file",
                                              "execute_process",
                                              "mark_as_advanced",
                                              "set_property",
                                              "get_property",
                                              "get_filename_component",
                                              "separate_arguments",
                                              "cuda_add_library",
                                              "pybind11_add_module",
                                              "nanobind_add_module",
                                              "add_library",
                                              "add_executable",
                                              "add_subdirectory",
                                              "add_custom_command",
                                              "add_custom_target",
                                              "add_dependencies",
                                              "add_definitions",
                                              "add_compile_options",
                                              "add_compile_definitions",
                                              "add_link_options",
                                              "add_test"};
  static constexpr std::string_view kPrefixes[] = {
      "target_", "find_", "set_", "get_", "check_", "cmake_", "ctest_", "cpack_", "fetchcontent_"};
  const std::string lower = LowerCase(word);
  const auto begins = [&](std::string_view prefix) { return lower.starts_with(prefix); };
  return std::find(std::begin(kOwn), std::end(kOwn), lower) != std::end(kOwn) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes), begins);
}

NamedUse UseOf(NamedForm form, std::string_view name, std::string value, std::size_t offset) {
  NamedUse use;
  use.form = form;
  use.name = name;
  use.arguments[0] = std::move(value);
  use.offset = offset;
  return use;
}

}  // namespace

FileUses FindYamlUses(std::string_view text) {
  FileUses found;
  ForEachLine(text, [&](std::string_view line, std::size_t offset) {
    std::size_t at = BehindBlanks(line, 0);
    if (!line.substr(at).starts_with("- ")) return;
    at = BehindBlanks(line, at + 1);
    const std::string_view key = WordAt(line, at);
    std::size_t colon = BehindBlanks(line, at + key.size());
    if (key.empty() || colon >= line.size() || line[colon] != ':') return;
    std::string_view value = Trimmed(line.substr(colon + 1));
    const std::size_t begin = offset + static_cast<std::size_t>(value.data() - line.data());
    if (value.size() > 1 && (value[0] == '"' || value[0] == '\''))
      value = value.substr(1, value.size() - 2);
    value = Trimmed(value.substr(0, value.find(" #")));
    std::string name = NameIn(value);
    if (name.empty()) return;
    NamedUse use = UseOf(NamedForm::kYamlKey, key, std::move(name), begin);
    use.schema = value.find('(') != std::string_view::npos;
    found.uses.push_back(std::move(use));
  });
  return found;
}

FileUses FindCMakeUses(std::string_view text) {
  FileUses found;
  ForEachLine(text, [&](std::string_view line, std::size_t offset) {
    const std::size_t begin = BehindBlanks(line, 0);
    const std::string_view command = WordAt(line, begin);
    const std::size_t open = BehindBlanks(line, begin + command.size());
    if (command.empty() || open >= line.size() || line[open] != '(') return;
    const std::size_t at = BehindBlanks(line, open + 1);
    const std::string_view argument = WordAt(line, at);
    if (argument.empty() || IsCMakeCommand(command)) return;
    found.uses.push_back(UseOf(NamedForm::kCMakeCall, command, NameIn(argument), offset + at));
  });
  std::erase_if(found.uses, [](const NamedUse& use) { return use.arguments[0].empty(); });
  return found;
}

FileUses FindTableGenUses(std::string_view text) {
  FileUses found;
  ForEachLine(text, [&](std::string_view line, std::size_t offset) {
    if (!line.starts_with("def ")) return;
    const std::string_view record = WordAt(line, BehindBlanks(line, 4));
    const std::size_t colon = line.find(':', 4);
    if (colon == std::string_view::npos) return;
    const std::string_view base = WordAt(line, BehindBlanks(line, colon + 1));
    const std::size_t open = line.find('"', colon);
    const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
    const bool quoted = close != std::string_view::npos && line.find('<', colon) < open;
    const std::string name = NameIn(quoted ? line.substr(open + 1, close - open - 1) : record);
    if (name.empty() || base.empty()) return;
    found.uses.push_back(UseOf(NamedForm::kTableGen, base, quoted ? '"' + name : name, offset + 4));
  });
  return found;
}

}  // namespace opledger::scan

// Searches the text; see other_files.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/other_files.h"

#include <algorithm>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// Returns the offset of "NAME(" without a word before it; npos if there is none.
std::size_t FindCall(std::string_view text, const std::string& name) {
  const std::string call = name + '(';
  for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    const bool whole = at == 0 || (!IsWordCharacter(text[at - 1]) && text[at - 1] != '.');
    if (whole) return at;
  }
  return text.npos;
}

}  // namespace

std::optional<Incomplete> FindInOtherPython(const PythonDialect& python, const std::string& path,
                                            std::string_view text) {
  std::size_t first = text.npos;
  for (const PythonSink& sink : python.sinks) {
    const std::size_t dot = sink.function.rfind('.');
    first = std::min(first, FindCall(text, sink.function));
    if (dot == std::string::npos) continue;
    const std::string import = "from " + sink.function.substr(0, dot) + " import ";
    const std::size_t imported = text.find(import);
    if (imported == text.npos) continue;
    const std::size_t at = FindCall(text, sink.function.substr(dot + 1));
    const std::size_t line = std::min(text.find('\n', imported), text.size());
    if (ContainsWord(text.substr(imported, line - imported), sink.function.substr(dot + 1))) {
      first = std::min(first, at);
    }
  }
  if (first == text.npos) return std::nullopt;
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
  const std::size_t begin = text.rfind('\n', first);
  Location place;
  place.path = path;
  place.line = static_cast<int>(line) + 1;
  place.column = static_cast<int>(begin == text.npos ? first + 1 : first - begin);
  return Incomplete{place, "registration",
                    "registrations in this file are not read, since it is not a .py file; move "
                    "them to one, or exclude this file"};
}

}  // namespace opledger::scan

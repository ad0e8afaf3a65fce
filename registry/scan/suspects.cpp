// FOO_REGISTER_OP(x) without a definition of FOO_REGISTER_OP anywhere -> an incomplete record.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/suspects.h"

#include <algorithm>

namespace opledger::scan {
namespace {

bool Excepted(const Dialect& dialect, const std::string& name) {
  for (const std::string& except : dialect.not_registrations) {
    bool prefix = except.ends_with('*');
    if (prefix ? name.starts_with(except.substr(0, except.size() - 1)) : name == except) {
      return true;
    }
  }
  return std::any_of(dialect.sinks.begin(), dialect.sinks.end(),
                     [&](const Sink& sink) { return sink.macro == name; });
}

Location PlaceOf(const std::string& path, const std::string& text, const Suspect& suspect) {
  Location location;
  location.path = path;
  std::string before = text.substr(0, suspect.offset);
  location.line = location.end_line =
      1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  location.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
  location.end_column = location.column + static_cast<int>(suspect.name.size());
  return location;
}

// Whether the macro is defined where the file is read: by it, by what it includes, or, of a header,
// by a unit that includes it.
bool Defined(const MacroIndex& index, const SourceTree& tree, const std::string& name, int file) {
  auto defined_in = [&](int place) {
    const std::vector<MacroDefinition>& macros = tree.files()[place].outline.macros;
    return std::any_of(macros.begin(), macros.end(),
                       [&](const MacroDefinition& macro) { return macro.name == name; }) ||
           !index.Visible(name, place).empty();
  };
  if (defined_in(file)) return true;
  for (int unit = 0; unit < static_cast<int>(tree.files().size()); ++unit) {
    if (tree.files()[unit].is_unit && index.Reaches(unit, file) && defined_in(unit)) return true;
  }
  return false;
}

}  // namespace

std::vector<Incomplete> UnexplainedSuspects(const MacroIndex& index, const SourceTree& tree,
                                            const Dialect& dialect, int file) {
  std::vector<Incomplete> found;
  const SourceFile& source = tree.files()[file];
  std::optional<std::string> text;
  for (const Suspect& suspect : source.outline.suspects) {
    if (!suspect.registers || Excepted(dialect, suspect.name)) continue;
    if (Defined(index, tree, suspect.name, file)) continue;
    if (!source.outline.StackCondition(suspect.branch).CanBeTrue()) continue;
    if (!text) text = ReadSource(tree.Absolute(source.path));
    if (!text || suspect.offset > text->size()) continue;
    found.push_back({PlaceOf(source.path, *text, suspect), "registration",
                     "'" + suspect.name +
                         "' looks like a registration, but its definition was not found; add its "
                         "folder to include_directories, or the name to suspicious.except"});
  }
  return found;
}

}  // namespace opledger::scan

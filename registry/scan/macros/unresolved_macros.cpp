// FOO_REGISTER_OP(x) without a definition of FOO_REGISTER_OP anywhere -> an incomplete record.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/unresolved_macros.h"

#include <algorithm>
#include <unordered_map>

namespace opledger::scan {
namespace {

constexpr std::size_t kMostOfOneFile = 100;

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

// Positions in a text, asked for in ascending order.
class Lines {
 public:
  explicit Lines(const std::string& text) : text_(text) {}

  Location PlaceOf(const Suspect& suspect) {
    for (; at_ < suspect.offset && at_ < text_.size(); ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
    Location location;
    location.line = location.end_line = line_;
    location.column = static_cast<int>(suspect.offset - line_begin_) + 1;
    location.end_column = location.column + static_cast<int>(suspect.name.size());
    return location;
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
};

class Judge {
 public:
  Judge(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect)
      : index_(index), tree_(tree), dialect_(dialect) {
    for (const SourceFile& file : tree.files()) {
      for (const Suspect& suspect : file.outline.suspects) {
        if (suspect.registers) definitions_[suspect.name];
      }
    }
    for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
      const auto& macros = tree.files()[file].outline.macros;
      for (int macro = 0; macro < static_cast<int>(macros.size()); ++macro) {
        auto found = definitions_.find(macros[macro].name);
        if (found != definitions_.end()) found->second.push_back({file, macro});
      }
    }
  }

  void Add(int file, std::vector<Incomplete>& found) const;

 private:
  bool Defined(std::string_view name, int file) const;
  bool Suspicious(const Suspect& suspect, int file) const;

  const MacroIndex& index_;
  const SourceTree& tree_;
  const Dialect& dialect_;
  std::unordered_map<std::string_view, std::vector<DefinitionRef>> definitions_;  // of suspects
};

// Whether the macro is defined where the file is read: by it, by what it includes, or, of a header,
// by a unit that includes it.
bool Judge::Defined(std::string_view name, int file) const {
  const std::vector<DefinitionRef>& definitions = definitions_.at(name);
  auto defined_for = [&](int place) {
    return std::any_of(definitions.begin(), definitions.end(), [&](DefinitionRef ref) {
      if (ref.file == place) return true;
      return tree_.files()[ref.file].included && index_.Reaches(place, ref.file) &&
             !index_.DefinitionCondition(ref).IsNever();
    });
  };
  if (definitions.empty()) return false;
  if (defined_for(file)) return true;
  for (int unit = 0; unit < static_cast<int>(tree_.files().size()); ++unit) {
    if (tree_.files()[unit].is_unit && index_.Reaches(unit, file) && defined_for(unit)) return true;
  }
  return false;
}

bool Judge::Suspicious(const Suspect& suspect, int file) const {
  return suspect.registers && !Excepted(dialect_, suspect.name) && !Defined(suspect.name, file) &&
         tree_.files()[file].outline.StackCondition(suspect.branch).CanBeTrue();
}

void Judge::Add(int file, std::vector<Incomplete>& found) const {
  const SourceFile& source = tree_.files()[file];
  std::string text;
  Lines lines(text);
  std::size_t count = 0;
  for (const Suspect& suspect : source.outline.suspects) {
    if (!Suspicious(suspect, file)) continue;
    if (++count == 1) text = ReadSource(tree_.Absolute(source.path)).value_or("");
    if (count > kMostOfOneFile) continue;
    Location location = lines.PlaceOf(suspect);
    location.path = source.path;
    found.push_back({location, "registration",
                     "'" + suspect.name +
                         "' looks like a registration, but its definition was not found; add its "
                         "folder to include_directories, or the name to suspicious.except"});
  }
  if (count <= kMostOfOneFile) return;
  found.back().detail += " (and " + std::to_string(count - kMostOfOneFile) + " more in this file)";
}

}  // namespace

std::vector<Incomplete> UnexplainedSuspects(const MacroIndex& index, const SourceTree& tree,
                                            const Dialect& dialect) {
  std::vector<Incomplete> found;
  Judge judge(index, tree, dialect);
  for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) judge.Add(file, found);
  return found;
}

}  // namespace opledger::scan

// Reports FOO_REGISTER_OP(x) as incomplete if FOO_REGISTER_OP is not defined or leads to no sink.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/unresolved_macros.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "registry/scan/outline/registration_words.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxReportsPerFile = 100;

// Converts offsets in a text, in ascending order, to locations.
class Lines {
 public:
  explicit Lines(const std::string& text) : text_(text) {}

  Location PlaceOf(const SuspiciousName& suspicious) {
    for (; at_ < suspicious.offset && at_ < text_.size(); ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
    Location location;
    location.line = location.end_line = line_;
    location.column = static_cast<int>(suspicious.offset - line_begin_) + 1;
    location.end_column = location.column + static_cast<int>(suspicious.name.size());
    return location;
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
};

// Returns "NAME(first argument)". With the argument, messages of different registrations differ, so
// that a new one is reported even if another is known.
std::string UseOf(const SuspiciousName& suspicious, const std::string& text) {
  constexpr std::size_t kMostShown = 60;
  const std::size_t end = suspicious.offset + suspicious.name.size();
  const std::size_t open = text.find_first_not_of(" \t", std::min(end, text.size()));
  if (open == std::string::npos || text[open] != '(') return suspicious.name;
  const std::size_t close = text.find_first_of("),\n", open);
  if (close == std::string::npos || close - open > kMostShown) return suspicious.name;
  std::string first = text.substr(open, close - open);
  if (!first.empty() && first.back() == '\r') first.pop_back();
  return suspicious.name + first + (text[close] == ')' ? ")" : ", ...)");
}

class UnresolvedMacroCheck {
 public:
  UnresolvedMacroCheck(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect)
      : index_(index), tree_(tree), dialect_(dialect) {
    for (const SourceFile& file : tree.files()) {
      for (const SuspiciousName& suspicious : file.outline.suspicious_names) {
        if (suspicious.registers) definitions_[suspicious.name];
      }
    }
    for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
      const auto& macros = tree.files()[file].outline.macros;
      for (int macro = 0; macro < static_cast<int>(macros.size()); ++macro) {
        if (NamesRegistration(macros[macro].name)) defined_.insert(macros[macro].name);
        auto found = definitions_.find(macros[macro].name);
        if (found != definitions_.end()) found->second.push_back({file, macro});
      }
    }
  }

  void Add(int file, std::vector<Incomplete>& found) const;
  // Like Add, for macros that are named like a sink, in a file with a missing header.
  void AddLikeSinks(int file, std::vector<Incomplete>& found) const;

 private:
  bool IsLikeSink(const std::string& name) const;
  bool MissesHeader(int file) const;
  const DefinitionRef* DefinitionFor(std::string_view name, int file) const;
  bool MayRegister(const SuspiciousName& suspicious, int file) const;
  std::string Detail(const SuspiciousName& suspicious, int file, const std::string& text) const;

  const MacroIndex& index_;
  const SourceTree& tree_;
  const Dialect& dialect_;
  std::set<std::string, std::less<>> defined_;  // in all files
  std::unordered_map<std::string_view, std::vector<DefinitionRef>> definitions_;
};

// Returns the definition of the macro that applies to the file: in it, in what it includes, or, for
// a header, in a unit that includes it. Returns null if there is none.
const DefinitionRef* UnresolvedMacroCheck::DefinitionFor(std::string_view name, int file) const {
  const std::vector<DefinitionRef>& definitions = definitions_.at(name);
  const auto defined_for = [&](int place) -> const DefinitionRef* {
    for (const DefinitionRef& ref : definitions) {
      const bool reached = tree_.files()[ref.file].included && index_.Reaches(place, ref.file) &&
                           !index_.DefinitionCondition(ref).IsNever();
      if (ref.file == place || reached) return &ref;
    }
    return nullptr;
  };
  if (definitions.empty()) return nullptr;
  if (const DefinitionRef* found = defined_for(file)) return found;
  for (int unit = 0; unit < static_cast<int>(tree_.files().size()); ++unit) {
    if (!tree_.files()[unit].is_unit || !index_.Reaches(unit, file)) continue;
    if (const DefinitionRef* found = defined_for(unit)) return found;
  }
  return nullptr;
}

bool UnresolvedMacroCheck::MayRegister(const SuspiciousName& suspicious, int file) const {
  return suspicious.registers && !dialect_.IsSink(suspicious.name) &&
         !index_.IsOfOtherDialect(suspicious.name, file) &&
         !index_.LeadingIn(file).contains(suspicious.name) &&
         !dialect_.IsExcepted(suspicious.name, tree_.files()[file].path) &&
         tree_.files()[file].outline.StackCondition(suspicious.branch).CanBeTrue();
}

std::string UnresolvedMacroCheck::Detail(const SuspiciousName& suspicious, int file,
                                         const std::string& text) const {
  const std::string looks = "'" + UseOf(suspicious, text) + "' looks like a registration, but ";
  const DefinitionRef* const found = DefinitionFor(suspicious.name, file);
  if (found == nullptr) {
    return looks +
           "its definition was not found; add its folder to include_directories, or the "
           "name to suspicious.except";
  }
  return looks + "its definition in " + tree_.files()[found->file].path +
         " leads to no sink; make it a sink, or add the name to suspicious.except";
}

void UnresolvedMacroCheck::Add(int file, std::vector<Incomplete>& found) const {
  const SourceFile& source = tree_.files()[file];
  std::string text;
  Lines lines(text);
  std::size_t count = 0;
  for (const SuspiciousName& suspicious : source.outline.suspicious_names) {
    if (!MayRegister(suspicious, file)) continue;
    if (++count == 1) text = ReadSource(tree_.source(), source.path).value_or("");
    if (count > kMaxReportsPerFile) continue;
    Location location = lines.PlaceOf(suspicious);
    location.path = source.path;
    found.push_back({location, "registration", Detail(suspicious, file, text)});
  }
  if (count <= kMaxReportsPerFile) return;
  found.back().detail +=
      " (and " + std::to_string(count - kMaxReportsPerFile) + " more in this file)";
}

// Returns whether the name shares a word that means registration with a sink: REGISTER_UNARY,
// REGISTER_OP.
bool UnresolvedMacroCheck::IsLikeSink(const std::string& name) const {
  const std::vector<std::string> words = WordsOf(name);
  return std::any_of(dialect_.sinks.begin(), dialect_.sinks.end(), [&](const Sink& sink) {
    if (sink.is_call || sink.identity || sink.variable) return false;
    const std::vector<std::string> of_sink = WordsOf(sink.macro);
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return (word.starts_with("regist") || word == "reg") &&
             std::find(of_sink.begin(), of_sink.end(), word) != of_sink.end();
    });
  });
}

// Returns whether an #include of the file, or of what it includes, was not found. Headers of the
// standard library do not count.
bool UnresolvedMacroCheck::MissesHeader(int file) const {
  for (int other = 0; other < static_cast<int>(tree_.files().size()); ++other) {
    if (other != file && !index_.Reaches(file, other)) continue;
    const SourceFile& source = tree_.files()[other];
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      const std::string& target = source.outline.includes[i].target;
      const bool standard = target.find_first_of("./") == std::string::npos;
      if (source.include_files[i] < 0 && !standard) return true;
    }
  }
  return false;
}

void UnresolvedMacroCheck::AddLikeSinks(int file, std::vector<Incomplete>& found) const {
  const SourceFile& source = tree_.files()[file];
  std::vector<SuspiciousName> names;
  for (const NamedUse& use : source.outline.named_uses) {
    if (use.form != NamedForm::kMacro || use.inside || defined_.contains(use.name)) continue;
    const bool told =
        !dialect_.suspicious.empty() && use.name.find(dialect_.suspicious) != std::string::npos;
    const auto offset = static_cast<Offset>(use.offset);
    SuspiciousName name{use.name, offset, true, source.outline.BranchAt(offset)};
    if (!told && IsLikeSink(use.name) && MayRegister(name, file)) names.push_back(std::move(name));
  }
  if (names.empty() || !MissesHeader(file)) return;
  const std::string text = ReadSource(tree_.source(), source.path).value_or("");
  Lines lines(text);
  for (const SuspiciousName& name : names) {
    Location location = lines.PlaceOf(name);
    location.path = source.path;
    found.push_back({location, "registration",
                     "'" + UseOf(name, text) +
                         "' looks like a registration, but its definition was not found; add its "
                         "folder to include_directories, or the name to suspicious.except"});
  }
}

}  // namespace

std::vector<Incomplete> UnresolvedMacros(const MacroIndex& index, const SourceTree& tree,
                                         const Dialect& dialect) {
  std::vector<Incomplete> found;
  UnresolvedMacroCheck check(index, tree, dialect);
  for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
    check.Add(file, found);
    check.AddLikeSinks(file, found);
  }
  return found;
}

}  // namespace opledger::scan

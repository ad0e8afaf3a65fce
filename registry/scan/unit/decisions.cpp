// Finds declarations by brackets only: a declaration extends from a ';' or '}' at namespace level
// to the next one. It declares the words that are followed by a bracket, '=', ',' or ';' outside
// brackets, or directly inside those of a class, an enum, or a macro that begins the declaration.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/decisions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/preprocess/read_again.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

struct Declaration {
  Range place;
  NameSet names;     // all identifiers
  NameSet declared;  // those that it declares
};

class DeclarationReader {
 public:
  explicit DeclarationReader(std::string_view text) : lexer_(text) { lexer_.Next(token_); }

  // Returns false if there is no further declaration.
  bool Next(Declaration& declaration);

 private:
  RawLexer lexer_;
  RawToken token_;
};

bool EndsDeclarator(const RawToken& token) {
  return OpensBracket(token.kind) || token.Is(tok::equal) || token.Is(tok::comma) ||
         token.Is(tok::semi) || token.Is(tok::r_brace) || token.Is(tok::r_paren);
}

bool HasMembers(std::string_view word) {
  return word == "class" || word == "struct" || word == "union" || word == "enum";
}

bool DeclarationReader::Next(Declaration& declaration) {
  declaration = {};
  int depth = 0;
  bool any = false;
  bool space = false;      // a namespace or extern "C": its braces contain declarations
  bool members = false;    // words directly inside its brackets are declared, too
  bool starts = false;     // the previous token began the declaration
  std::string_view word;   // the word outside brackets directly before this token
  bool qualified = false;  // whether that word is qualified
  bool after_colons = false;
  for (bool ended = false; !token_.Is(tok::eof) && !ended;) {
    if (token_.Is(tok::hash) && token_.starts_line) {
      lexer_.SkipDirective(token_);
      continue;
    }
    if (!any) declaration.place.begin = token_.begin;
    declaration.place.end = token_.end;
    const bool declares = token_.Is(tok::less) ? !qualified : EndsDeclarator(token_);
    if (!word.empty() && declares) declaration.declared.emplace(word);
    word = {};
    if (token_.Is(tok::raw_identifier)) {
      const std::string_view text = lexer_.Text(token_);
      declaration.names.emplace(text);
      members = members || (depth == 0 && HasMembers(text));
      if (depth == 0 || (depth == 1 && members)) word = text;
      qualified = after_colons;
      space = space || (depth == 0 && (text == "namespace" || text == "extern"));
    }
    // Arguments of a macro that may declare something: TABLE(kNames) "a", "b"};
    members = members || (starts && depth == 0 && token_.Is(tok::l_paren));
    starts = !any;
    any = true;
    after_colons = token_.Is(tok::coloncolon);
    if (space && token_.Is(tok::l_brace) && depth == 0) {
      ended = true;
    } else {
      depth += OpensBracket(token_.kind);
      depth -= ClosesBracket(token_.kind) && depth > 0;
      ended = depth == 0 && (token_.Is(tok::semi) || token_.Is(tok::r_brace));
    }
    lexer_.Next(token_);
  }
  return any;
}

class Finder {
 public:
  Finder(const MacroIndex& index, const SourceTree& tree, int unit, std::string_view text,
         const NameSet& leading);

  Decision Find(const Location& place);

 private:
  struct File {
    std::vector<Declaration> all;
    std::vector<bool> used;
    bool read = false;
  };

  void Read(int file);
  std::string TextOf(int file) const {
    return file == unit_ ? std::string(text_) : ReadAgain(tree_, file);
  }
  void Use(int file, std::size_t declaration);
  void UseMacro(const MacroDefinition& macro, int file);
  void UseText(int file);
  void AddGroup(int file, int branch);
  void BeginAt(const Location& place);
  const std::vector<Declaration>& DeclarationsWith(const NameSet& names, int file);
  bool FollowNames();
  bool FollowCallers();
  void AddIncludes();
  void Take(const NameSet& names);
  void TakeCalled(const NameSet& names);
  bool DeclaresByPasting(int file) const;
  bool IsPartOfAny(int file);

  const MacroIndex& index_;
  const SourceTree& tree_;
  int unit_;
  std::string_view text_;
  const NameSet& leading_;
  std::map<int, File> files_;  // files that the unit reaches
  std::set<int> at_large_;     // unguarded files that may declare anything anywhere
  // State for one place:
  NameSet names_;
  std::vector<std::string> fresh_;  // new names in names_
  NameSet called_;                  // code that calls the place's code and may pass it values
  std::vector<std::string> fresh_called_;
  std::set<int> deciding_;  // files with relevant branches
  std::set<ForcedBranch> branches_;
};

Finder::Finder(const MacroIndex& index, const SourceTree& tree, int unit, std::string_view text,
               const NameSet& leading)
    : index_(index), tree_(tree), unit_(unit), text_(text), leading_(leading) {
  for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
    if (file == unit || (tree.files()[file].regular && index.Reaches(unit, file))) files_[file];
  }
  for (const auto& [file, what] : files_) {
    if (file == unit || tree.files()[file].outline.guarded) continue;
    if (DeclaresByPasting(file) && IsPartOfAny(file)) at_large_.insert(file);
  }
}

// Returns whether the file uses a macro that makes names: #define ROW(n) const char* k##n = #n;
bool Finder::DeclaresByPasting(int file) const {
  return std::any_of(files_.begin(), files_.end(), [&](const auto& other) {
    const std::vector<MacroDefinition>& macros = tree_.files()[other.first].outline.macros;
    return std::any_of(macros.begin(), macros.end(), [&](const MacroDefinition& macro) {
      return (macro.glues || !macro.pastes.empty()) && !leading_.contains(macro.name) &&
             tree_.files()[file].outline.Mentions(macro.name);
    });
  });
}

// Returns whether an #include of the file is between declarations.
bool Finder::IsPartOfAny(int file) {
  for (const auto& [from, what] : files_) {
    const SourceFile& source = tree_.files()[from];
    const auto& others = source.include_files;
    if (std::find(others.begin(), others.end(), file) == others.end()) continue;
    Read(from);
    const std::vector<Declaration>& all = files_.at(from).all;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Offset at = source.outline.includes[i].directive.begin;
      const bool inside = std::any_of(all.begin(), all.end(), [&](const Declaration& one) {
        return at > one.place.begin && at < one.place.end;
      });
      if (others[i] == file && !inside) return true;
    }
  }
  return false;
}

void Finder::Read(int file) {
  File& what = files_[file];
  if (std::exchange(what.read, true)) return;
  const std::string text = TextOf(file);
  DeclarationReader reader(text);
  for (Declaration one; reader.Next(one);) what.all.push_back(std::move(one));
  what.used.resize(what.all.size());
}

// Adds all branches of the group, and the groups around it.
void Finder::AddGroup(int file, int branch) {
  const Outline& outline = tree_.files()[file].outline;
  for (; branch != kNoBranch; branch = outline.branches[branch].parent) {
    if (outline.branches[branch].guard) continue;
    for (const int one : outline.GroupOf(outline.FirstOf(branch))) branches_.insert({file, one});
  }
}

void Finder::Take(const NameSet& names) {
  for (const std::string& name : names) {
    if (!leading_.contains(name) && names_.insert(name).second) fresh_.push_back(name);
  }
}

void Finder::TakeCalled(const NameSet& names) {
  for (const std::string& name : names) {
    if (!leading_.contains(name) && called_.insert(name).second) fresh_called_.push_back(name);
  }
}

void Finder::Use(int file, std::size_t declaration) {
  if (files_[file].used[declaration]) return;
  files_[file].used[declaration] = true;
  deciding_.insert(file);
  const Declaration& what = files_[file].all[declaration];
  const auto inside = [&](Offset at) { return at >= what.place.begin && at < what.place.end; };
  Take(what.names);
  const SourceFile& source = tree_.files()[file];
  AddGroup(file, source.outline.BranchAt(what.place.begin));
  const std::vector<Branch>& branches = source.outline.branches;
  for (int branch = 0; branch < static_cast<int>(branches.size()); ++branch) {
    if (inside(branches[branch].directive)) AddGroup(file, branch);
  }
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    const int other = source.include_files[i];
    if (other >= 0 && inside(source.outline.includes[i].directive.begin)) UseText(other);
  }
}

void Finder::UseMacro(const MacroDefinition& macro, int file) {
  deciding_.insert(file);
  Take({macro.identifiers.begin(), macro.identifiers.end()});
  AddGroup(file, macro.branch);
}

// Uses all text of the file, and the files that it includes as parts.
void Finder::UseText(int file) {
  if (file == unit_ || !deciding_.insert(file).second || !files_.contains(file)) return;
  Read(file);
  const SourceFile& source = tree_.files()[file];
  for (int branch = 0; branch < static_cast<int>(source.outline.branches.size()); ++branch) {
    AddGroup(file, branch);
  }
  for (const Declaration& one : files_[file].all) Take(one.names);
  for (const int other : source.include_files) {
    if (other >= 0 && !tree_.files()[other].outline.guarded) UseText(other);
  }
}

void Finder::BeginAt(const Location& place) {
  for (auto& [file, what] : files_) {
    if (tree_.files()[file].path != place.path) continue;
    Read(file);
    const std::string text = TextOf(file);
    const LineIndex lines(text);
    if (place.line > lines.count()) return;
    const Offset at =
        static_cast<Offset>(lines.Start(place.line)) + static_cast<Offset>(place.column) - 1;
    for (std::size_t i = 0; i < what.all.size(); ++i) {
      if (at < what.all[i].place.begin || at >= what.all[i].place.end) continue;
      Use(file, i);
      TakeCalled(what.all[i].declared);
    }
    return;
  }
}

// Returns whether any of `words` is among the names.
template <class Words>
bool HasAny(const NameSet& names, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return names.contains(word); });
}

// Returns the declarations of the file; empty if it does not mention any of the names.
const std::vector<Declaration>& Finder::DeclarationsWith(const NameSet& names, int file) {
  static const std::vector<Declaration> none;
  const Outline& outline = tree_.files()[file].outline;
  if (std::none_of(names.begin(), names.end(),
                   [&](const std::string& name) { return outline.Mentions(name); })) {
    return none;
  }
  Read(file);
  return files_[file].all;
}

// Uses what declares or defines the names found last. Returns false if there are no new names.
bool Finder::FollowNames() {
  const NameSet names(fresh_.begin(), fresh_.end());
  fresh_.clear();
  for (const auto& [file, what] : files_) {
    const Outline& outline = tree_.files()[file].outline;
    for (const MacroDefinition& macro : outline.macros) {
      if (names.contains(macro.name)) UseMacro(macro, file);
      // A macro may declare the names in its body.
      const bool part = file == unit_ || !outline.guarded;
      if (part && HasAny(names, macro.identifiers)) TakeCalled({macro.name});
    }
    const std::vector<Declaration>& all = DeclarationsWith(names, file);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (HasAny(names, all[i].declared)) Use(file, i);
    }
  }
  return !fresh_.empty();
}

// Uses what names the callers found last. Returns false if there are no new callers.
bool Finder::FollowCallers() {
  const NameSet names(fresh_called_.begin(), fresh_called_.end());
  fresh_called_.clear();
  for (const auto& [file, what] : files_) {
    for (const MacroDefinition& macro : tree_.files()[file].outline.macros) {
      if (!HasAny(names, macro.identifiers)) continue;
      UseMacro(macro, file);
      TakeCalled({macro.name});
    }
    const std::vector<Declaration>& all = DeclarationsWith(names, file);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!HasAny(names, all[i].names)) continue;
      Use(file, i);
      TakeCalled(all[i].declared);
    }
  }
  return !fresh_called_.empty();
}

// Adds the conditionals around the #includes of the relevant files.
void Finder::AddIncludes() {
  for (const auto& [file, what] : files_) {
    const SourceFile& source = tree_.files()[file];
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      const int other = source.include_files[i];
      const auto brings = [&](int one) { return one != unit_ && index_.Reaches(other, one); };
      if (other >= 0 && std::any_of(deciding_.begin(), deciding_.end(), brings)) {
        AddGroup(file, source.outline.includes[i].branch);
      }
    }
  }
}

Decision Finder::Find(const Location& place) {
  names_.clear();
  fresh_.clear();
  called_.clear();
  fresh_called_.clear();
  deciding_.clear();
  branches_.clear();
  for (auto& [file, what] : files_) what.used.assign(what.all.size(), false);
  BeginAt(place);
  for (const int file : at_large_) UseText(file);
  bool more = true;
  while (more) {
    more = FollowCallers();
    more = FollowNames() || more;
  }
  AddIncludes();
  return {place, {branches_.begin(), branches_.end()}, std::move(names_)};
}

}  // namespace

std::vector<Decision> FindDecisions(const MacroIndex& index, const SourceTree& tree, int unit,
                                    std::string_view text, const std::set<Location>& places,
                                    const NameSet& leading) {
  Finder finder(index, tree, unit, text, leading);
  std::vector<Decision> decisions;
  for (const Location& place : places) decisions.push_back(finder.Find(place));
  return decisions;
}

}  // namespace opledger::scan

// Declarations are told by brackets alone: what stands between a ';' or '}' of a namespace and the
// next is one. It declares the words outside of brackets that a '(', '[', '{', '=', ',' or ';'
// follows.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/deciding_branches.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "registry/scan/lex/raw_lexer.h"
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

  // False: there is no further one.
  bool Next(Declaration& declaration);

 private:
  void SkipDirective();

  RawLexer lexer_;
  RawToken token_;
};

void DeclarationReader::SkipDirective() {
  do lexer_.Next(token_);
  while (!token_.starts_line && !token_.Is(tok::eof));
}

bool EndsDeclarator(const RawToken& token) {
  return token.Is(tok::l_paren) || token.Is(tok::l_square) || token.Is(tok::l_brace) ||
         token.Is(tok::equal) || token.Is(tok::comma) || token.Is(tok::semi) || token.Is(tok::less);
}

bool Opens(const RawToken& token) {
  return token.Is(tok::l_brace) || token.Is(tok::l_paren) || token.Is(tok::l_square);
}

bool Closes(const RawToken& token) {
  return token.Is(tok::r_brace) || token.Is(tok::r_paren) || token.Is(tok::r_square);
}

bool DeclarationReader::Next(Declaration& declaration) {
  declaration = {};
  int depth = 0;
  bool any = false;
  bool space = false;  // a namespace, or extern "C": its braces hold declarations
  std::string_view word;  // the word outside of brackets right before this token
  for (bool ended = false; !token_.Is(tok::eof) && !ended;) {
    if (token_.Is(tok::hash) && token_.starts_line) {
      SkipDirective();
      continue;
    }
    if (!any) declaration.place.begin = token_.begin;
    declaration.place.end = token_.end;
    if (!word.empty() && EndsDeclarator(token_)) declaration.declared.emplace(word);
    word = {};
    if (token_.Is(tok::raw_identifier)) {
      const std::string_view text = lexer_.Text(token_);
      declaration.names.emplace(text);
      if (depth == 0) word = text;
      space = space || (depth == 0 && (text == "namespace" || text == "extern"));
    }
    any = true;
    if (space && token_.Is(tok::l_brace) && depth == 0) {
      ended = true;
    } else {
      depth += Opens(token_);
      depth -= Closes(token_) && depth > 0;
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

  std::vector<ForcedBranch> Find(const std::vector<Location>& places);

 private:
  struct File {
    std::vector<Declaration> left;  // that nothing is known to rest on
    bool read = false;
  };

  void Read(int file);
  void Use(const Declaration& declaration, int file);
  void UseMacro(const MacroDefinition& macro, int file);
  void AddAround(int file, int branch);
  void AddIn(int file, Range place);
  bool FollowNames();
  void AddIncludes();
  void BeginAt(const std::vector<Location>& places);
  void Take(const NameSet& names);

  const MacroIndex& index_;
  const SourceTree& tree_;
  int unit_;
  std::string_view text_;
  const NameSet& leading_;
  std::map<int, File> files_;        // that the unit reaches
  NameSet names_;
  std::vector<std::string> fresh_;   // of names_, not yet looked for
  std::set<int> deciding_;           // files with some of the branches
  std::set<ForcedBranch> branches_;
};

Finder::Finder(const MacroIndex& index, const SourceTree& tree, int unit, std::string_view text,
               const NameSet& leading)
    : index_(index), tree_(tree), unit_(unit), text_(text), leading_(leading) {
  for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
    if (file == unit || (tree.files()[file].regular && index.Reaches(unit, file))) files_[file];
  }
}

void Finder::Read(int file) {
  File& what = files_[file];
  if (std::exchange(what.read, true)) return;
  const std::string text = file == unit_ ? std::string(text_) : ReadAgain(tree_, file);
  DeclarationReader reader(text);
  for (Declaration one; reader.Next(one);) what.left.push_back(std::move(one));
}

void Finder::AddAround(int file, int branch) {
  const Outline& outline = tree_.files()[file].outline;
  for (; branch != kNoBranch; branch = outline.branches[branch].parent) {
    if (outline.branches[branch].guard) continue;
    for (const int one : outline.GroupOf(outline.FirstOf(branch))) branches_.insert({file, one});
  }
}

void Finder::AddIn(int file, Range place) {
  const std::vector<Branch>& branches = tree_.files()[file].outline.branches;
  for (int branch = 0; branch < static_cast<int>(branches.size()); ++branch) {
    const Offset at = branches[branch].directive;
    if (at >= place.begin && at < place.end) AddAround(file, branch);
  }
}

void Finder::Take(const NameSet& names) {
  for (const std::string& name : names) {
    if (!leading_.contains(name) && names_.insert(name).second) fresh_.push_back(name);
  }
}

void Finder::Use(const Declaration& declaration, int file) {
  deciding_.insert(file);
  Take(declaration.names);
  AddAround(file, tree_.files()[file].outline.BranchAt(declaration.place.begin));
  AddIn(file, declaration.place);
}

void Finder::UseMacro(const MacroDefinition& macro, int file) {
  deciding_.insert(file);
  Take({macro.identifiers.begin(), macro.identifiers.end()});
  AddAround(file, macro.branch);
}

// The declarations that hold the places; a file that is part of another counts as a whole.
void Finder::BeginAt(const std::vector<Location>& places) {
  for (auto& [file, what] : files_) {
    const std::string& path = tree_.files()[file].path;
    std::vector<Location> here;
    std::copy_if(places.begin(), places.end(), std::back_inserter(here),
                 [&](const Location& place) { return place.path == path; });
    if (here.empty()) continue;
    Read(file);
    const std::string text = file == unit_ ? std::string(text_) : ReadAgain(tree_, file);
    const LineIndex lines(text);
    for (const Location& place : here) {
      if (place.line > lines.count()) continue;
      const auto at = static_cast<Offset>(lines.Start(place.line)) +
                      static_cast<Offset>(place.column) - 1;
      const auto holds = [&](const Declaration& one) {
        return at >= one.place.begin && at < one.place.end;
      };
      for (const Declaration& one : what.left) {
        if (holds(one)) Use(one, file);
      }
      std::erase_if(what.left, holds);
    }
  }
}

// What declares or defines the names that were found last. False: nothing does.
bool Finder::FollowNames() {
  const NameSet names(fresh_.begin(), fresh_.end());
  fresh_.clear();
  const auto among = [&](const std::string& name) { return names.contains(name); };
  for (auto& [file, what] : files_) {
    const Outline& outline = tree_.files()[file].outline;
    for (const MacroDefinition& macro : outline.macros) {
      if (among(macro.name)) UseMacro(macro, file);
    }
    const bool mentioned = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return outline.Mentions(name);
    });
    if (!mentioned) continue;
    Read(file);
    const auto declares = [&](const Declaration& one) {
      return std::any_of(one.declared.begin(), one.declared.end(), among);
    };
    const auto used = std::stable_partition(what.left.begin(), what.left.end(), std::not_fn(declares));
    for (auto one = used; one != what.left.end(); ++one) Use(*one, file);
    what.left.erase(used, what.left.end());
  }
  return !fresh_.empty();
}

// The conditionals around what brings the files.
void Finder::AddIncludes() {
  for (const auto& [file, what] : files_) {
    const SourceFile& source = tree_.files()[file];
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      const int other = source.include_files[i];
      const auto brings = [&](int one) { return one != unit_ && index_.Reaches(other, one); };
      if (other >= 0 && std::any_of(deciding_.begin(), deciding_.end(), brings)) {
        AddAround(file, source.outline.includes[i].branch);
      }
    }
  }
}

std::vector<ForcedBranch> Finder::Find(const std::vector<Location>& places) {
  BeginAt(places);
  while (FollowNames()) {
  }
  for (const auto& [file, what] : files_) {
    const Outline& outline = tree_.files()[file].outline;
    if (file == unit_ || outline.guarded) continue;
    deciding_.insert(file);
    for (int branch = 0; branch < static_cast<int>(outline.branches.size()); ++branch) {
      AddAround(file, branch);
    }
  }
  AddIncludes();
  return {branches_.begin(), branches_.end()};
}

}  // namespace

std::vector<ForcedBranch> DecidingBranches(const MacroIndex& index, const SourceTree& tree,
                                           int unit, std::string_view text,
                                           const std::vector<Location>& places,
                                           const NameSet& leading) {
  return Finder(index, tree, unit, text, leading).Find(places);
}

}  // namespace opledger::scan

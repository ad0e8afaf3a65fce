// Maps tokens to their source: the file, line and column that a reader expects, and the condition
// under which the token is present.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "registry/scan/match/match.h"
#include "registry/text/text.h"

namespace clang {
class IdentifierInfo;
class MacroInfo;
}  // namespace clang

namespace opledger::scan {

class SourceLocator {
 public:
  // Must be constructed before the first token is read: it records which macros are expanded where.
  SourceLocator(clang::Preprocessor& preprocessor, const MatchContext& context);

  // Returns the place of the token in a file: an argument's own place; for other tokens from a
  // macro, the outermost call.
  Location WrittenAt(clang::SourceLocation location);
  // Returns where `word` is written among the arguments of the outermost call that the token comes
  // from and that contains it; the call may be in the body of a macro. Returns nullopt if no call
  // has it.
  //   #define ROWS(_) _(exp) _(log)     finds `exp` from ROWS(REGISTER) in this line
  std::optional<Location> ArgumentAt(clang::SourceLocation location, std::string_view word);
  // Returns the place of the outermost macro call at `location`, and sets `macro` to its name;
  // without a call, those of the token.
  Location CallAt(clang::SourceLocation location, std::string& macro);
  // Returns the condition of the token: the #ifs around it and around the #includes that lead to
  // its file, its macros' definitions, and the build system's conditions on its file.
  Condition ConditionAt(clang::SourceLocation location);
  // Returns the condition that excludes code between two tokens of a file. ConditionAt must have
  // been called for both, in this order.
  Condition ConditionBetween(clang::SourceLocation one, clang::SourceLocation next);
  // Adds the places in files where the token, and every macro that produced it, is spelled.
  void AddSpots(clang::SourceLocation location, std::set<Spot>& spots);
  // Returns whether the token is in a header that is scanned by itself.
  bool IsInOtherHeader(clang::SourceLocation location);

 private:
  std::optional<Location> InInjected(std::string_view text, std::size_t at, std::string_view word);
  class ExpansionCallbacks;

  // A definition or #undef of a macro whose definition varies.
  struct Event {
    Condition when;
    int file;
    Offset offset;
    clang::SourceLocation at;  // invalid: in a header that has not been read
    unsigned tried = 0;        // number of files entered at the last lookup
  };

  std::optional<int> FileOf(clang::FileID file);
  Location At(clang::SourceLocation location);  // a location in a file
  std::vector<FilePlace> WayTo(clang::SourceLocation location);
  Condition StackAt(clang::SourceLocation location);
  Condition ConditionInFile(clang::SourceLocation location);
  Condition PathCondition(int file);
  clang::SourceLocation LocationIn(int file, Offset offset) const;
  const std::vector<Event>& Events(const clang::IdentifierInfo* macro);
  Condition ConditionOfMacro(const clang::IdentifierInfo* macro, const clang::MacroInfo* info,
                             clang::SourceLocation use);
  Condition ConditionOfCall(clang::SourceLocation macro_name);
  void AddArguments(clang::SourceLocation begin, clang::SourceLocation end);
  void OnMacroExpanded(const clang::IdentifierInfo* macro, const clang::MacroInfo* info,
                       clang::SourceRange range);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  // A range of a file within which the condition does not change, and that condition.
  struct Region {
    clang::SourceLocation begin;
    clang::SourceLocation end;
    Condition when;
  };

  unsigned entered_ = 1;  // number of files entered, plus 1
  std::map<unsigned, std::optional<int>> files_;
  Region region_;               // of the last location in a file
  clang::SourceLocation call_;  // the last call looked up, and its macro's condition
  Condition call_when_;
  std::map<std::pair<unsigned, int>, Condition> stacks_;  // by entered file and branch
  std::map<int, Condition> path_conditions_;
  llvm::DenseMap<const clang::IdentifierInfo*, std::unique_ptr<std::vector<Event>>> events_;
  llvm::DenseSet<const clang::IdentifierInfo*> tracked_macros_;
  llvm::DenseSet<const clang::IdentifierInfo*> leading_;
  std::vector<clang::SourceRange> calls_;  // the outermost call being expanded, then inner ones
  std::map<clang::SourceLocation, Condition> expanded_in_;  // condition of the macros in each call
  struct Header {
    std::string text;
    LineIndex lines;
  };
  std::map<int, Header> headers_;  // headers that define injected macros
};

}  // namespace opledger::scan

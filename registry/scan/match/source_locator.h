// Where tokens come from: the file, line and column a reader would point at, and the condition
// under which the token is there.
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
  // To be made before the first token is read: it notes which macros are expanded where.
  SourceLocator(clang::Preprocessor& preprocessor, const MatchContext& context);

  // The token as written in a file: an argument where it was typed, anything a macro makes at the
  // outermost call.
  Location WrittenAt(clang::SourceLocation location);
  // Where `word` is written among the arguments of a call that the token comes from: of the
  // outermost such call, which may stand in the body of a macro. nullopt if no call has it.
  //   #define ROWS(_) _(exp) _(log)     exp of what ROWS(REGISTER) comes to: in the first line
  std::optional<Location> ArgumentAt(clang::SourceLocation location, std::string_view word);
  // The name of the outermost macro called at `location`, or of the token itself.
  Location CallAt(clang::SourceLocation location, std::string& macro);
  // The #ifs around the token and around the #includes that lead to its file, what its macros mean
  // there, and the build system's conditions on its file.
  Condition ConditionAt(clang::SourceLocation location);
  // What keeps code that stands between two tokens of a file, whose conditions were asked for in
  // this order, out of it.
  Condition ConditionBetween(clang::SourceLocation one, clang::SourceLocation next);
  // The places in files at which the token, and every macro that it came through, is spelled.
  void AddSpots(clang::SourceLocation location, std::set<Spot>& spots);
  // Whether the token stands in a header that is scanned by itself.
  bool IsInOtherHeader(clang::SourceLocation location);

 private:
  std::optional<Location> InInjected(std::string_view text, std::size_t at, std::string_view word);
  class ExpansionCallbacks;

  // A definition or #undef of a macro that is not always the same.
  struct Event {
    Condition when;
    int file;
    Offset offset;
    clang::SourceLocation at;  // invalid: in a header that is not read, or not yet
    unsigned tried = 0;        // how many files had been entered when it was looked for
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
  // Where, from a location on, up to another, no condition begins or ends, and what holds there.
  struct Region {
    clang::SourceLocation begin;
    clang::SourceLocation end;
    Condition when;
  };

  unsigned entered_ = 1;  // files, and one more
  std::map<unsigned, std::optional<int>> files_;
  Region region_;               // of the last location in a file
  clang::SourceLocation call_;  // the last one looked up, and what its macro means
  Condition call_when_;
  std::map<std::pair<unsigned, int>, Condition> stacks_;  // of a file as entered and a branch
  std::map<int, Condition> path_conditions_;
  llvm::DenseMap<const clang::IdentifierInfo*, std::unique_ptr<std::vector<Event>>> events_;
  llvm::DenseSet<const clang::IdentifierInfo*> tracked_macros_;
  llvm::DenseSet<const clang::IdentifierInfo*> leading_;
  std::vector<clang::SourceRange> calls_;  // the outermost one being expanded, and those inside it
  std::map<clang::SourceLocation, Condition> expanded_in_;  // what the macros in each call mean
  struct Header {
    std::string text;
    LineIndex lines;
  };
  std::map<int, Header> headers_;  // files that macros are taken from
};

}  // namespace opledger::scan

// Under which condition a place of a file is there, in terms of macros as they are where the
// translation unit begins: what definitions, #undefs and pops before it, in the file and in the
// headers that it includes, make of each #if.
//   #include "config.h" (#define HAVE_X 1) / #if HAVE_X  ->  always
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "registry/scan/outline/macro_states.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

class MacroIndex;

// A place that counts: an offset in a file, perhaps of an #include.
struct FilePlace {
  int file = 0;
  Offset offset = 0;
};

class PresenceConditions {
 public:
  // Both must outlive it.
  PresenceConditions(const SourceTree& tree, const MacroIndex& index)
      : tree_(tree), index_(index) {}

  // What the directive of a branch says, the ones before it in its group aside, in terms of macros
  // where its file begins; the three below likewise.
  const Condition& Directive(int file, int branch);
  // That neither this branch nor one before it in its group is taken.
  Condition PassedBy(int file, int branch);
  // Its directive, and none before it.
  Condition InGroup(int file, int branch);
  const Condition& Stack(int file, int branch);

  std::vector<MacroState> States(int file, const std::string& name, Offset place,
                                 const Condition& around);
  // A condition on macros as they are at the place, as one on those where the file begins.
  Condition AtBegin(FilePlace place, const Condition& condition);
  // The condition of `#if EXPRESSION` at the place, as one on macros where the file begins.
  Condition ExpressionAt(FilePlace place, const std::string& expression);
  // Whether anything before the place may change what the name means.
  bool Changes(FilePlace place, const std::string& name);
  // Everything that happens to the macro in the file and in what it includes.
  const std::vector<MacroEvent>& Events(int file, const std::string& name);

 private:
  struct EventList {
    std::vector<MacroEvent> events;
    std::vector<const MacroDefinition*> own;  // in the file
    std::vector<int> includes;                // of the outline's, those that may change it
    std::size_t next_own = 0;
    std::size_t next_include = 0;
    Offset busy = 0;  // of the #include that is being followed; 0: none
  };
  class Place;

  bool Includes(int file, Offset place) const;
  EventList& ListOf(int file, const std::string& name);
  bool Extend(EventList& list, int file, const std::string& name, Offset place);
  void AddInclude(EventList& list, int file, const std::string& name, int include);
  bool SurelyReaches(int file, int other);
  const std::vector<MacroState>& Transfer(int file, const std::string& name);

  const SourceTree& tree_;
  const MacroIndex& index_;
  std::map<std::pair<int, int>, Condition> directives_;
  std::map<std::pair<int, int>, Condition> stacks_;
  std::map<int, std::map<std::string, EventList, std::less<>>> events_;
  std::map<std::pair<int, std::string>, std::vector<MacroState>> transfers_;
  std::map<std::pair<int, int>, bool> surely_;  // whether a file includes another
  int depth_ = 0;
};

}  // namespace opledger::scan

// Computes the condition under which a place in a file is compiled, in terms of macros at the start
// of the translation unit. Follows definitions, #undefs and pops before each #if, in the file and
// the headers that it includes.
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

// An offset in a file, for example of an #include.
struct FilePlace {
  int file = 0;
  Offset offset = 0;
};

class PresenceConditions {
 public:
  // Both arguments must outlive it.
  PresenceConditions(const SourceTree& tree, const MacroIndex& index)
      : tree_(tree), index_(index) {}

  // Returns the condition of a branch's directive, ignoring earlier branches of its group. This and
  // the next three are in terms of macros at the start of the file.
  const Condition& Directive(int file, int branch);
  // Returns the condition that neither this branch nor an earlier one of its group is taken.
  Condition PassedBy(int file, int branch);
  // Returns the condition that this branch is the one taken in its group.
  Condition InGroup(int file, int branch);
  // Returns the condition of the branch and of all branches around it.
  const Condition& Stack(int file, int branch);

  std::vector<MacroState> States(int file, const std::string& name, Offset place,
                                 const Condition& around);
  // Converts a condition on macros at the place to one on macros at the start of the file.
  Condition AtBegin(FilePlace place, const Condition& condition);
  // Returns the condition of `#if EXPRESSION` at the place, in terms of macros at the start of the
  // file.
  Condition ExpressionAt(FilePlace place, const std::string& expression);
  // Returns whether anything before the place may change the definition of the name.
  bool Changes(FilePlace place, const std::string& name);
  // Returns all definitions and #undefs of the macro in the file and in what it includes.
  const std::vector<MacroEvent>& Events(int file, const std::string& name);

 private:
  struct EventList {
    std::vector<MacroEvent> events;
    std::vector<const MacroDefinition*> own;  // in the file
    std::vector<int> includes;                // indices of the #includes that may change the macro
    std::size_t next_own = 0;
    std::size_t next_include = 0;
    Offset busy = 0;  // offset of the #include being followed, or 0
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
  std::map<std::pair<int, int>, bool> surely_;  // whether a file certainly includes another
  int depth_ = 0;
};

}  // namespace opledger::scan

// A single missing row was removed; if all rows are missing, the list was lost.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/lost_lists.h"

#include <algorithm>
#include <map>
#include <utility>

#include "registry/text/text.h"

namespace opledger {
namespace {

using Group = std::pair<InternedString, Policy>;  // a list of the framework, and a policy in it

// Returns the rows of registered operators by list and policy.
std::map<Group, std::vector<const EntryUse*>> GroupsOf(const ListIndex& list) {
  std::map<Group, std::vector<const EntryUse*>> groups;
  for (const EntryUse& use : list.uses) {
    if (!use.entry->source.empty() && use.op != nullptr) {
      groups[{use.entry->source, use.entry->policy}].push_back(&use);
    }
  }
  return groups;
}

// Returns whether so many rows are missing that they were not removed one by one.
bool IsLost(std::size_t lost, std::size_t before, bool all) {
  constexpr std::size_t kFewest = 2;      // fewer may be a list of a single row
  constexpr std::size_t kFewestHalf = 4;  // fewer may be a small list that shrank
  return (all && lost >= kFewest) || (lost >= kFewestHalf && 2 * lost > before);
}

void AddLostGroups(const ListIndex& before, const ListIndex& now, PrecisionList& list,
                   Manifest& manifest) {
  const auto groups = GroupsOf(now);
  for (const auto& [group, uses] : GroupsOf(before)) {
    const auto lost =
        static_cast<std::size_t>(std::count_if(uses.begin(), uses.end(), [&](const EntryUse* use) {
          return now.Find(use->op->name) == nullptr;
        }));
    const bool all = lost == uses.size() && !groups.contains(group);
    if (!IsLost(lost, uses.size(), all)) continue;
    Location place = uses.front()->entry->location;
    place.line = place.column = place.end_line = place.end_column = 0;
    manifest.incomplete.push_back(
        {place, kListStage,
         "of " + Counted(uses.size(), "row") + " of '" + group.first + "', " +
             std::to_string(lost) + " are missing, so their operators have no policy in list '" +
             now.label + "'; if this is intended, remove the rows in smaller steps"});
    list.whole = false;
  }
}

}  // namespace

void AddLostLists(const CheckIndex& before, CheckedProject& checked) {
  for (const ListIndex& old : before.lists()) {
    if (!old.list->IsDerived()) continue;
    const auto& lists = checked.index->lists();
    const auto now = std::find_if(lists.begin(), lists.end(),
                                  [&](const ListIndex& each) { return each.label == old.label; });
    const bool found_itself = !checked.project->file() || checked.project->file()->lists.empty();
    if (now == lists.end() || !now->list->IsDerived()) {
      if (!found_itself) continue;  // the lists were chosen in the project file
      const Location place =
          old.list->source_lists.empty() ? Location() : old.list->source_lists.front().location;
      checked.manifest->incomplete.push_back(
          {{place.path, 0, 0, 0, 0},
           kListStage,
           "the framework's own list '" + old.label + "' is not where the dialect looks for it"});
    } else if (now->list->whole) {
      const auto list = std::find_if(checked.lists.begin(), checked.lists.end(),
                                     [&](const auto& each) { return &each == now->list; });
      if (list != checked.lists.end()) AddLostGroups(old, *now, *list, *checked.manifest);
    }
  }
}

}  // namespace opledger

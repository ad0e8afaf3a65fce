// device-lists-disagree: lists for two devices give an operator different policies.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "checker/rules/entry_findings.h"
#include "checker/rules/removed_entries.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kDeviceListsDisagreePage[] =
    R"(The lists for two devices give one operator different policies; or the list for one
says 'target', and the list for the other, which has a policy for unlisted operators,
does not name it although the device runs it.

Why: a model that is accurate on one device may not be on the other, or is slow
there. Often the difference has a reason (a device without the kernel), and often it
is an oversight.

The finding is a note, or a warning if --against shows that a change causes it
without a new reason or note at the entry.

Example:
  registered: grid_sampler
  list: {"framework": "demo", "target_dtype": "float16", "device": "cpu",
         "fp32": ["grid_sampler"]}
  list: {"framework": "demo", "target_dtype": "float16", "device": "cuda",
         "widest": ["grid_sampler"]}
  finding: 'grid_sampler' is 'widest' in list 'float16-cuda' but 'fp32' in list 'float16-cpu'

What to do: make them equal, or write the reason into the entry's "note", or into the
list's "removed" if its entry is gone.
)";

bool AreOfTwoDevices(const ListIndex& first, const ListIndex& second) {
  const std::string& device = first.list->device;
  const std::string& other = second.list->device;
  return !device.empty() && !other.empty() && device != other;
}

// Returns whether the operator runs on the list's device under its default policy.
bool RunsUnlisted(const ListIndex& list, const Operator& op) {
  return list.list->unlisted && *list.list->unlisted != Policy::kTarget &&
         list.Find(op.name) == nullptr && list.Exists(op) && !list.RunsOnlyElsewhere(op) &&
         !list.IsUndecided(op);
}

// Returns whether the revision compared with has the operator and both lists, without this
// disagreement.
bool IsNewlyUnlisted(const CheckIndex& index, const Operator& op, const ListIndex& listed,
                     const ListIndex& other) {
  if (index.before() == nullptr) return false;
  const ListIndex* const listed_before = FindList(*index.before(), listed.label);
  const ListIndex* const other_before = FindList(*index.before(), other.label);
  const Operator* const before = index.before()->Resolve(op.name);
  if (listed_before == nullptr || other_before == nullptr || before == nullptr) return false;
  const EntryUse* const use = listed_before->Find(before->name);
  const bool disagreed = use != nullptr && use->entry->policy == Policy::kTarget &&
                         RunsUnlisted(*other_before, *before);
  return !disagreed;
}

// Returns whether the list gives a reason for removing the entry of the revision compared with.
bool SaysWhyUnlisted(const CheckIndex& index, const ListIndex& list, const Operator& op) {
  const ListIndex* const before = FindList(*index.before(), list.label);
  const Operator* const former = index.Former(op);
  const EntryUse* const old =
      before == nullptr || former == nullptr ? nullptr : before->Find(former->name);
  return old != nullptr && SaysWhyRemoved(list, *before, op, *old->entry);
}

// Adds a finding for a list without an entry, at the first 'target' entry in a list of another
// device.
void CheckUnlisted(const CheckIndex& index, const Operator& op, const ListIndex& list,
                   std::vector<Finding>& findings) {
  Finding finding;
  finding.severity = Severity::kNote;
  std::vector<std::string> named;
  for (const ListIndex& other : index.lists()) {
    if (!AreOfTwoDevices(list, other)) continue;
    const EntryUse* const use = other.Find(op.name);
    if (use == nullptr || use->entry->policy != Policy::kTarget) continue;
    if (IsNewlyUnlisted(index, op, other, list) && !HasNewReason(index, other, *use) &&
        !SaysWhyUnlisted(index, list, op)) {
      finding.severity = Severity::kWarning;
    }
    if (named.empty()) {
      finding.location = use->entry->location;
    } else if (use->entry->location != finding.location) {
      finding.related.push_back({use->entry->location, "also here"});
    }
    named.push_back(other.label);
  }
  if (named.empty()) return;
  const Policy unlisted = list.list->runs_unlisted.value_or(*list.list->unlisted);
  finding.op = op.name;
  finding.list = list.label;
  finding.message = "'" + op.name + "' is 'target' in " + ListsText(named) +
                    " but has no entry in list '" + list.label +
                    "', where unlisted operators are '" + PolicyName(unlisted) + "'";
  findings.push_back(std::move(finding));
}

void CheckDeviceListsDisagree(const CheckIndex& index, std::vector<Finding>& findings) {
  const std::vector<ListIndex>& lists = index.lists();
  for (std::size_t second = 0; second < lists.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (!AreOfTwoDevices(lists[first], lists[second])) continue;
      CompareLists(index, lists[first], lists[second], findings);
    }
  }
  for (const ListIndex& list : lists) {
    for (const Operator& op : index.manifest().operators) {
      if (RunsUnlisted(list, op)) CheckUnlisted(index, op, list, findings);
    }
  }
}

}  // namespace

extern const Rule kDeviceListsDisagree = {
    .name = "device-lists-disagree",
    .severity = Severity::kWarning,
    .summary = "lists for two devices give an operator different policies",
    .page = kDeviceListsDisagreePage,
    .run = CheckDeviceListsDisagree,
    .grades = true};

}  // namespace opledger

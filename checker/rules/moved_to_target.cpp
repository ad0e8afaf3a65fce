// moved-to-target: since the revision compared with, an operator may run in 16 bits that did not,
// and no new reason is given.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kMovedToTargetPage[] =
    R"(Since the revision that --against names, a list lets an operator run in 16 bits
that it held back: it moved from 'fp32' to another policy or from 'widest' to
'target', a condition that kept it in float32 went, or its entry went where
"unlisted" is such a policy. No reason or note is given that it did not have.
Without --against this rule finds nothing.

Why: models that were converted with the list lose accuracy from one release to
the next. The old reason speaks for the old policy.

Example:
  registered: exp
  before: {"framework": "demo", "target_dtype": "float16", "fp32": ["exp"]}
  list: {"framework": "demo", "target_dtype": "float16", "target": ["exp"]}
  finding: operator 'exp' moved from 'fp32' to 'target' in list 'float16' without a new reason

What to do: state in the entry's "note" what was measured, or move it back.
)";

// The list of the same label, or nullptr.
const ListIndex* FindList(const CheckIndex& index, const std::string& label) {
  for (const ListIndex& list : index.lists()) {
    if (list.label == label) return &list;
  }
  return nullptr;
}

bool HasNewReason(const ListEntry& entry, const ListEntry& old) {
  return (!entry.note.empty() && entry.note != old.note) ||
         (!entry.reason.empty() && entry.reason != old.reason);
}

bool Within(const Clause& clause, const Clause& range) {
  const bool above = !range.minimum || (clause.minimum && *clause.minimum >= *range.minimum);
  const bool below = !range.maximum || (clause.maximum && *clause.maximum <= *range.maximum);
  return range.is_range && above && below;
}

// Whether each of the values that `clause` keeps in float32 still stays there.
bool StillKept(const Clause& clause, const ListEntry& entry) {
  const auto kept = [&](const auto& covers) {
    for (const Clause& now : entry.clauses) {
      if (now.attribute == clause.attribute && covers(now)) return now.then == Policy::kFp32;
    }
    return entry.otherwise == Policy::kFp32;
  };
  if (clause.is_range) {
    return kept([&](const Clause& now) { return Within(clause, now); });
  }
  return std::all_of(clause.values.begin(), clause.values.end(), [&](const std::string& value) {
    return kept([&](const Clause& now) {
      return std::find(now.values.begin(), now.values.end(), value) != now.values.end();
    });
  });
}

std::string InQuotes(Policy policy) { return std::string("'") + PolicyName(policy) + "'"; }

// What was given up of a conditional entry, in words; empty: nothing.
std::string LostCondition(const ListEntry& entry, const ListEntry& old) {
  if (entry.policy == Policy::kFp32) return {};
  const bool conditional = entry.policy == Policy::kConditional;
  for (const Clause& clause : old.clauses) {
    if (clause.then != Policy::kFp32) continue;
    if (conditional && StillKept(clause, entry)) continue;
    return "is no longer kept in 'fp32' by '" + clause.attribute + "'" +
           (conditional ? "" : ", but under " + InQuotes(entry.policy));
  }
  if (old.otherwise == Policy::kFp32 && (!conditional || entry.otherwise != Policy::kFp32)) {
    return "is no longer in 'fp32' where no condition holds";
  }
  return {};
}

// How the new entry lets 16 bits in; empty: it does not.
std::string MoveOf(const ListEntry& entry, const ListEntry& old) {
  if (old.policy == Policy::kConditional) return LostCondition(entry, old);
  const bool moved = old.policy == Policy::kFp32
                         ? entry.policy != Policy::kFp32
                         : old.policy == Policy::kWidest && entry.policy == Policy::kTarget;
  if (!moved) return {};
  return "moved from " + InQuotes(old.policy) + " to " + InQuotes(entry.policy);
}

void AddFinding(std::string_view op, const ListIndex& list, const Location& location,
                const std::string& what, std::vector<Finding>& findings) {
  Finding& finding = findings.emplace_back();
  finding.op = std::string(op);
  finding.list = list.label;
  finding.location = location;
  finding.message = "operator '" + finding.op + "' " + what + " in list '" + list.label +
                    "' without a new reason";
}

void CheckEntries(const ListIndex& list, const ListIndex& before, std::vector<Finding>& findings) {
  for (const EntryUse& use : list.uses) {
    const std::string_view name = use.op != nullptr ? use.op->name : use.entry->op;
    const EntryUse* const old = before.Find(name);
    if (old == nullptr || HasNewReason(*use.entry, *old->entry)) continue;
    const std::string move = MoveOf(*use.entry, *old->entry);
    if (!move.empty()) AddFinding(name, list, use.entry->location, move, findings);
  }
}

// Entries that went, where the framework runs an operator without one under another policy.
void CheckRemoved(const CheckIndex& index, const ListIndex& list, const ListIndex& before,
                  std::vector<Finding>& findings) {
  if (!list.list->unlisted) return;
  ListEntry unlisted;
  unlisted.policy = *list.list->unlisted;
  for (const EntryUse& old : before.uses) {
    const Operator* const op = index.Resolve(old.op != nullptr ? old.op->name : old.entry->op);
    if (op == nullptr || list.Find(op->name) != nullptr) continue;
    if (before.Find(old.op != nullptr ? old.op->name : old.entry->op) != &old) continue;
    const std::string move = MoveOf(unlisted, *old.entry);
    if (move.empty()) continue;
    const JsonValue* const says = list.list->document.root.Find("unlisted");
    const Location place = says != nullptr ? list.list->document.At(says->span)
                                           : Location{list.list->path, 1, 1, 1, 1};
    AddFinding(op->name, list, place, "lost its entry and " + move, findings);
  }
}

void CheckMovedToTarget(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.before() == nullptr) return;
  for (const ListIndex& list : index.lists()) {
    const ListIndex* before = FindList(*index.before(), list.label);
    if (before == nullptr) continue;
    CheckEntries(list, *before, findings);
    CheckRemoved(index, list, *before, findings);
  }
}

}  // namespace

extern const Rule kMovedToTarget = {"moved-to-target", Severity::kWarning,
                                    "an operator was let run in 16 bits without a new reason",
                                    kMovedToTargetPage, CheckMovedToTarget};

}  // namespace opledger

// moved-to-target: compared with a revision, an operator may now run in 16 bits, without a new
// reason.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/rules/removed_entries.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kMovedToTargetPage[] =
    R"(Compared with the revision that --against names, a list lets an operator run in 16
bits that did not before: it moved from 'fp32' to another policy or from 'widest' to
'target', lost a condition that kept it in float32, lost its entry where operators
without one run in 16 bits, or is new under 'target' in the framework's list. No new
reason or note is given. Without --against this rule finds nothing.

Why: models converted with the list lose accuracy from one release to the next. The
old reason is for the old policy.

Example:
  registered: exp
  before: {"framework": "demo", "target_dtype": "float16", "fp32": ["exp"]}
  list: {"framework": "demo", "target_dtype": "float16", "target": ["exp"]}
  finding: operator 'exp' moved from 'fp32' to 'target' in list 'float16' without a new reason

What to do: state in the entry's "note" what was measured, or move it back. In the
framework's own file the note is a comment on the row, "opledger: numeric, #123"; for
a removed row, it belongs in the list's "removed".
)";

// Returns whether two notes differ in more than blanks.
bool Differ(const std::string& note, const std::string& other) {
  const auto next = [](const std::string& text, std::size_t& i) {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    return i < text.size() ? text[i++] : '\0';
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < note.size() || j < other.size()) {
    if (next(note, i) != next(other, j)) return true;
  }
  return false;
}

bool HasNewReason(const ListEntry& entry, const ListEntry& old) {
  return (!entry.note.empty() && Differ(entry.note, old.note)) ||
         (!entry.reason.empty() && entry.reason != old.reason);
}

// Returns whether the note is the comment of the line that the row moved to: another row on that
// line had it before.
bool IsCommentOfLine(const EntryUse& use, const ListIndex& list, const ListIndex& before) {
  if (use.entry->source.empty() || use.entry->note.empty()) return false;
  return std::any_of(list.uses.begin(), list.uses.end(), [&](const EntryUse& other) {
    const Location& place = other.entry->location;
    if (&other == &use || place.line != use.entry->location.line ||
        place.path != use.entry->location.path) {
      return false;
    }
    const EntryUse* const old = before.Find(other.op != nullptr ? other.op->name : other.entry->op);
    return old != nullptr && !Differ(old->entry->note, use.entry->note);
  });
}

bool Within(const Clause& clause, const Clause& range) {
  const bool above = !range.minimum || (clause.minimum && *clause.minimum >= *range.minimum);
  const bool below = !range.maximum || (clause.maximum && *clause.maximum <= *range.maximum);
  return range.is_range && above && below;
}

// Returns whether all values that `clause` keeps in float32 are still kept there.
bool StillKept(const Clause& clause, const ListEntry& entry) {
  const auto kept = [&](const auto& covers) {
    for (const Clause& now : entry.clauses) {
      if (now.Subject() == clause.Subject() && covers(now)) return now.then == Policy::kFp32;
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

// Describes what a conditional entry no longer keeps in float32, or returns "".
std::string LostCondition(const ListEntry& entry, const ListEntry& old) {
  if (entry.policy == Policy::kFp32) return {};
  const bool conditional = entry.policy == Policy::kConditional;
  for (const Clause& clause : old.clauses) {
    if (clause.then != Policy::kFp32) continue;
    if (conditional && StillKept(clause, entry)) continue;
    return "is no longer kept in 'fp32' by '" + clause.Subject() + "'" +
           (conditional ? "" : ", but under " + InQuotes(entry.policy));
  }
  if (old.otherwise == Policy::kFp32 && (!conditional || entry.otherwise != Policy::kFp32)) {
    return "is no longer in 'fp32' if no condition applies";
  }
  return {};
}

// Describes how the new entry allows 16 bits, or returns "" if it does not.
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
  finding.message = "operator '" + finding.op + "' " + what;
}

std::string WithoutReason(const ListIndex& list) {
  return " in list '" + list.label + "' without a new reason";
}

// Returns whether this is a new 'target' row of the framework for an operator that existed before.
bool IsNewTarget(const CheckIndex& index, const EntryUse& use, std::string_view name) {
  return use.entry->policy == Policy::kTarget && !use.entry->source.empty() &&
         index.before()->Resolve(name) != nullptr;
}

// Returns the first entry under 'fp32' from `use` on, or nullptr.
const EntryUse* FirstFp32(const EntryUse* use) {
  while (use != nullptr && use->entry->policy != Policy::kFp32) use = use->next;
  return use;
}

// Returns the entry to compare `use` with, or nullptr if the list did not name the operator. If a
// list names an operator several times, the first entry is compared with the old first one, or with
// an old one under 'fp32' if none is left. Each other entry is compared with one of its policy, so
// that old contradictions are not reported as moves.
const EntryUse* OldEntryOf(const EntryUse& use, std::string_view name, const ListIndex& list,
                           const ListIndex& before) {
  const EntryUse* const first = before.Find(name);
  if (list.Find(use.op != nullptr ? std::string_view(use.op->name) : name) == &use) {
    const EntryUse* const held = FirstFp32(&use) == nullptr ? FirstFp32(first) : nullptr;
    return held != nullptr ? held : first;
  }
  for (const EntryUse* old = first; old != nullptr; old = old->next) {
    if (old->entry->policy == use.entry->policy) return old;
  }
  return first;
}

void CheckEntries(const CheckIndex& index, const ListIndex& list, const ListIndex& before,
                  std::vector<Finding>& findings) {
  // If the old list was only partly read, rows that it lacks count as new, unless nothing was read.
  const bool knows_rows = before.list->whole || !before.uses.empty();
  for (const EntryUse& use : list.uses) {
    const std::string_view name = use.op != nullptr ? use.op->name : use.entry->op;
    const Operator* const former = use.op != nullptr ? index.Former(*use.op) : nullptr;
    const EntryUse* const old =
        OldEntryOf(use, former != nullptr ? former->name : name, list, before);
    if (list.Find(name) == nullptr) continue;  // does not exist in this configuration
    if (old == nullptr) {
      const bool has_reason = !use.entry->note.empty() || !use.entry->reason.empty();
      if (knows_rows && use.op != nullptr && IsNewTarget(index, use, name) &&
          (!has_reason || IsCommentOfLine(use, list, before))) {
        AddFinding(name, list, use.entry->location, "was added to 'target'" + WithoutReason(list),
                   findings);
      }
      continue;
    }
    const std::string move = MoveOf(*use.entry, *old->entry);
    if (move.empty()) continue;
    if (HasNewReason(*use.entry, *old->entry) && !IsCommentOfLine(use, list, before)) continue;
    AddFinding(name, list, use.entry->location, move + WithoutReason(list), findings);
  }
}

// Checks the default policy of the list.
void CheckUnlisted(const ListIndex& list, const ListIndex& before, std::vector<Finding>& findings) {
  if (!list.list->unlisted || !before.list->unlisted) return;
  ListEntry old;
  ListEntry now;
  old.policy = *before.list->unlisted;
  now.policy = *list.list->unlisted;
  const bool to_target = now.policy == Policy::kTarget && old.policy != Policy::kTarget;
  if (MoveOf(now, old).empty() && !to_target) return;
  const JsonValue* const says = list.list->document.root.Find("unlisted");
  Finding& finding = findings.emplace_back();
  finding.list = list.label;
  finding.location =
      says != nullptr ? list.list->document.At(says->span) : Location{list.list->path, 1, 1, 1, 1};
  finding.message = "operators without an entry moved from " + InQuotes(old.policy) + " to " +
                    InQuotes(now.policy) + " in list '" + list.label + "'";
}

void AddRemoved(const Operator& op, const ListEntry& old, Policy unlisted, const ListIndex& list,
                const ListIndex& before, std::vector<Finding>& findings) {
  if (!old.source.empty()) {
    if (SaysWhyRemoved(list, before, op, old)) {
      return;
    }
    return AddFinding(op.name, list, PlaceOfRemoved(list, old),
                      "left " + InQuotes(old.policy) + " in list '" + list.label +
                          "'; unlisted operators are " + InQuotes(unlisted),
                      findings);
  }
  ListEntry without;
  without.policy = unlisted;
  AddFinding(op.name, list, PlaceOfRemoved(list, old),
             "lost its entry and " + MoveOf(without, old) + WithoutReason(list), findings);
}

// Checks removed entries whose operators now run under another default policy.
void CheckRemoved(const CheckIndex& index, const ListIndex& list, const ListIndex& before,
                  std::vector<Finding>& findings) {
  if (!list.list->unlisted || !list.list->whole) return;
  ListEntry unlisted;
  unlisted.policy = list.list->runs_unlisted.value_or(*list.list->unlisted);
  ForEachRemoved(index, list, before, [&](const Operator& op, const ListEntry& old) {
    if (MoveOf(unlisted, old).empty()) return;
    AddRemoved(op, old, unlisted.policy, list, before, findings);
  });
}

void CheckMovedToTarget(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.before() == nullptr) return;
  for (const ListIndex& list : index.lists()) {
    const ListIndex* before = FindList(*index.before(), list.label);
    if (before == nullptr) continue;
    CheckEntries(index, list, *before, findings);
    CheckUnlisted(list, *before, findings);
    CheckRemoved(index, list, *before, findings);
  }
}

}  // namespace

extern const Rule kMovedToTarget = {"moved-to-target", Severity::kWarning,
                                    "an operator may now run in 16 bits without a new reason",
                                    kMovedToTargetPage, CheckMovedToTarget};

}  // namespace opledger

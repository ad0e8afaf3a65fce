// alias-conflict: an alias that several operators claim, or that is the name of another operator.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kAliasConflictPage[] =
    R"(Two operators claim one alias, or an alias of one operator is the name of
another. An operator may be its own alias.

Why: a list, or a model, that uses the name means one of them, and which one
depends on the order of registration.

Example:
  registered: exp (alias power), power
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["exp", "power"]}
  finding: alias 'power' of 'exp' is also the name of an operator

What to do: rename or drop one of the aliases. In lists, use primary names; an
entry counts as the operator of that name, or else as the first owner by name.
Aliases whose #if conditions exclude each other do not conflict.
)";

struct Claim {
  const Operator* op;
  const Alias* alias;
};

bool CanMeet(const Condition& a, const Condition& b) {
  return a.IsAlways() || b.IsAlways() || a.And(b).CanBeTrue();
}

// Returns whether another operator has this name under a condition that does not exclude the alias.
bool IsPrimaryToo(const CheckIndex& index, const Claim& claim) {
  const Operator* primary = index.Primary(claim.alias->name);
  if (primary == nullptr || primary == claim.op) return false;
  for (const Site& site : primary->sites) {
    if (CanMeet(site.condition, claim.alias->condition)) return true;
  }
  return primary->sites.empty();
}

// This many owners are assumed to conflict, because comparing all pairs would take too long.
constexpr std::size_t kManyOwners = 64;

bool MeetsAnother(const Claim& claim, const std::vector<Claim>& claims) {
  if (claims.size() > kManyOwners) return true;
  for (const Claim& other : claims) {
    if (other.op != claim.op && CanMeet(other.alias->condition, claim.alias->condition)) {
      return true;
    }
  }
  return false;
}

void NoteEntries(const CheckIndex& index, const std::string& alias, Finding& finding) {
  const Operator* meant = index.Resolve(alias);
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse& use : list.uses) {
      if (use.entry->op != alias) continue;
      finding.related.push_back({use.entry->location, "this entry of list '" + list.label +
                                                          "' counts as '" + meant->name + "'"});
    }
  }
}

void Report(const CheckIndex& index, const std::string& alias, const std::vector<Claim>& claims,
            bool primary_too, std::vector<Finding>& findings) {
  Finding& finding = findings.emplace_back();
  finding.op = alias;
  finding.location = AliasPlace(*claims.back().op, *claims.back().alias);
  finding.message = "alias '" + alias + (claims.size() > 1 ? "' belongs to '" : "' of '");
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (i > 0) finding.message += i + 1 == claims.size() ? "' and '" : "', '";
    finding.message += claims[i].op->name;
    if (i + 1 < claims.size()) {
      finding.related.push_back({AliasPlace(*claims[i].op, *claims[i].alias),
                                 "claimed by '" + claims[i].op->name + "' here"});
    }
  }
  finding.message += "'";
  if (primary_too) {
    finding.message +=
        claims.size() > 1 ? ", and is the name of an operator" : " is also the name of an operator";
    const Operator& primary = *index.Primary(alias);
    if (!primary.sites.empty()) {
      finding.related.push_back(
          {primary.sites.front().location, "'" + alias + "' is registered here"});
    }
  }
  NoteEntries(index, alias, finding);
}

void CheckAliasConflict(const CheckIndex& index, std::vector<Finding>& findings) {
  std::map<std::string, std::vector<Claim>> claims;
  for (const Operator& op : index.manifest().operators) {
    if (!op.CanExist()) continue;
    for (const Alias& alias : op.aliases) {
      if (alias.name == op.name) continue;
      claims[alias.name].push_back({&op, &alias});
    }
  }
  for (const auto& [alias, all] : claims) {
    std::vector<Claim> conflicting;  // one per operator
    bool primary_too = false;
    for (const Claim& claim : all) {
      const bool is_primary = IsPrimaryToo(index, claim);
      if (!is_primary && !MeetsAnother(claim, all)) continue;
      primary_too |= is_primary;
      if (!conflicting.empty() && conflicting.back().op == claim.op) continue;
      conflicting.push_back(claim);
    }
    if (!conflicting.empty()) Report(index, alias, conflicting, primary_too, findings);
  }
}

}  // namespace

extern const Rule kAliasConflict = {"alias-conflict", Severity::kWarning,
                                    "an alias means more than one operator", kAliasConflictPage,
                                    CheckAliasConflict};

}  // namespace opledger

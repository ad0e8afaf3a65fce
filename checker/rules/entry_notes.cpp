// Notes that several rules give about an entry of a list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_notes.h"

namespace opledger {

void AddAliasNote(const EntryUse& use, Finding& finding) {
  if (!use.by_alias) return;
  for (const Alias& alias : use.op->aliases) {
    if (alias.name != use.entry->op) continue;
    finding.related.push_back(
        {AliasPlace(*use.op, alias), "'" + alias.name + "' is an alias of '" + use.op->name + "'"});
    return;
  }
}

void AddEntryNote(const EntryUse& use, const char* what, Finding& finding) {
  finding.related.push_back(
      {use.entry->location, std::string(what) + ", under '" + PolicyName(use.entry->policy) + "'"});
}

const Location& AliasPlace(const Operator& op, const Alias& alias) {
  if (!alias.location.path.empty() || op.sites.empty()) return alias.location;
  return op.sites.front().location;
}

}  // namespace opledger

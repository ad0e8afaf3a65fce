// version-sibling-unlisted: a list has one version of an operator, but not another.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kVersionSiblingUnlistedPage[] =
    R"(An operator has no policy in a list, but another version of it has one: the list
was not updated when the version was added.

Why: new models use the new version, and the framework treats it as unknown. Of
all unclassified operators, these are the easiest to decide.

Example:
  registered: BatchMatMulV2, BatchMatMulV3
  versions: V#
  list: {"framework": "demo", "target_dtype": "float16",
         "target": ["BatchMatMulV2"]}
  finding: 'BatchMatMulV3' has no policy in list 'float16', but 'BatchMatMulV2' is 'target'

What to do: give the version the same policy, unless it computes something else.
Deprecated versions need no policy.
)";

// The entry of the newest version for each stem.
using Families = std::map<std::string_view, const EntryUse*>;

Families ListedFamilies(const ListIndex& list, const Relations& relations) {
  Families families;
  for (const EntryUse& use : list.uses) {
    if (use.op == nullptr) continue;
    const VersionedName name = SplitVersion(use.op->name, relations);
    const EntryUse*& newest = families[name.stem];
    if (newest == nullptr || SplitVersion(newest->op->name, relations).version < name.version) {
      newest = &use;
    }
  }
  return families;
}

void CheckVersionSiblingUnlisted(const CheckIndex& index, std::vector<Finding>& findings) {
  const Relations& relations = index.manifest().relations;
  if (relations.version.empty()) return;
  for (const ListIndex& list : index.lists()) {
    const Families families = ListedFamilies(list, relations);
    for (const Operator* op : list.unclassified) {
      const auto sibling = families.find(SplitVersion(op->name, relations).stem);
      if (sibling == families.end() || op->fields.contains("deprecated")) continue;
      if (!index.NeedsEntry(*op, list)) continue;
      const EntryUse& use = *sibling->second;
      const std::string policy = PolicyName(use.entry->policy);
      Finding& finding = findings.emplace_back();
      finding.op = op->name;
      finding.list = list.label;
      finding.location = op->sites.front().location;
      finding.message = "'" + op->name + "' has no policy in list '" + list.label + "', but '" +
                        use.op->name + "' is '" + policy + "'";
      finding.related.push_back({use.entry->location, "'" + use.op->name + "' is listed here"});
    }
  }
}

}  // namespace

extern const Rule kVersionSiblingUnlisted = {
    "version-sibling-unlisted",
    Severity::kWarning,
    "a list names one version of an operator and not another",
    kVersionSiblingUnlistedPage,
    CheckVersionSiblingUnlisted,
    {"deprecated"}};

}  // namespace opledger

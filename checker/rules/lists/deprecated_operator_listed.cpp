// deprecated-operator-listed: an entry names an operator that the framework deprecates.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/edit.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kDeprecatedOperatorListedPage[] =
    R"(A list names an operator that the framework has deprecated.

Why: no new model uses it. The entry is there for old models, or was forgotten;
often the operator that took its place is missing from the list.

Example:
  registered: TopK, TopKV2
  deprecated: TopK (use TopKV2)
  list: {"framework": "demo", "target_dtype": "float16",
         "either": ["TopK", "TopKV2"]}
  finding: entry 'TopK' of list 'float16' names a deprecated operator: use TopKV2

What to do: make sure that its successor is listed. Remove the entry; or keep it
for old models and say so in its note: {"op": "TopK", "note": "for old models"}.
)";

void CheckDeprecatedOperatorListed(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse& use : list.uses) {
      if (use.op == nullptr || !use.entry->note.empty()) continue;
      const auto deprecated = use.op->fields.find("deprecated");
      if (deprecated == use.op->fields.end()) continue;
      const std::string& why = deprecated->second.front().value;
      Finding& finding = findings.emplace_back();
      finding.op = use.op->name;
      finding.list = list.label;
      finding.location = use.entry->location;
      finding.message = "entry '" + use.entry->op + "' of list '" + list.label +
                        "' names a deprecated operator" + (why.empty() ? "" : ": " + why);
      if (use.op->sites.empty()) continue;
      finding.related.push_back(
          {use.op->sites.front().location, "'" + use.op->name + "' is registered here"});
    }
  }
}

}  // namespace

extern const Rule kDeprecatedOperatorListed = {"deprecated-operator-listed",
                                               Severity::kWarning,
                                               "a list names an operator that is deprecated",
                                               kDeprecatedOperatorListedPage,
                                               CheckDeprecatedOperatorListed,
                                               {"deprecated"}};

}  // namespace opledger

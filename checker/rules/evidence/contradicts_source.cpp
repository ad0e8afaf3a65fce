// contradicts-source: an entry has another policy than the framework itself.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kContradictsSourcePage[] =
    R"(A list gives an operator another policy than the framework does: in the list that it
is derived from, or in the registration of the operator if the dialect reads policies
from registrations. An annotation of an operator that the framework's list does not have
is a finding, too, as is any entry of such an operator in a list with "complete": true.

Why: the framework runs the operator under its own policy, whatever a copy says.

Example:
  registered: rms_norm
  policy: rms_norm (fp32)
  list: {"framework": "demo", "target_dtype": "float16", "widest": ["rms_norm"]}
  finding: operator 'rms_norm' is 'widest' in list 'float16', but the sources register it with 'fp32'

What to do: remove the entry or annotation, or correct it. "derived_from" makes a list
from the framework's own, so that nothing has to be kept in sync.
)";

std::string InList(const std::string& op, Policy policy, const ListIndex& list) {
  return "operator '" + op + "' is '" + PolicyName(policy) + "' in list '" + list.label + "', but ";
}

void CheckDerived(const ListIndex& list, std::vector<Finding>& findings) {
  for (const OverriddenEntry& each : list.list->overridden) {
    const std::string row = std::string("'") + PolicyName(each.row.policy) + "'";
    AddAt(each.entry.location, each.entry.op, list,
          InList(each.entry.op, each.entry.policy, list) + "the framework has it under " + row +
              ", which applies",
          findings)
        .related.push_back({each.row.location, "the framework's own row"});
  }
  for (const ListEntry& entry : list.list->unsourced) {
    Finding& finding =
        AddAt(entry.location, entry.op, list,
              InList(entry.op, entry.policy, list) + "the framework's own list does not have it",
              findings);
    if (!list.list->source_lists.empty()) {
      finding.related.push_back({list.list->source_lists.front().location, "the list begins here"});
    }
  }
  if (!list.list->whole) return;  // the unread part may have the row
  for (const ListEntry& annotation : list.list->unused_annotations) {
    AddAt(annotation.location, annotation.op, list,
          "list '" + list.label + "' annotates '" + annotation.op +
              "', but the framework's own list does not have it",
          findings);
  }
}

// Returns the policy that the sources register for the list's device, or nullptr if it is
// ambiguous.
const FieldValue* RegisteredPolicy(const Operator& op, const ListIndex& list) {
  const auto values = op.fields.find("policy");
  if (values == op.fields.end()) return nullptr;
  const FieldValue* found = nullptr;
  for (const FieldValue& value : values->second) {
    if (value.key != list.list->device || !ParsePolicy(value.value)) continue;
    if (list.Known() != nullptr && !value.condition.MayHoldIn(*list.Known(), "")) continue;
    if (found != nullptr && found->value != value.value) return nullptr;  // ambiguous
    found = &value;
  }
  return found;
}

void CheckCopy(const CheckIndex& index, const ListIndex& list, std::vector<Finding>& findings) {
  const PrecisionList& written = *list.list;
  for (const Operator& op : index.manifest().operators) {
    const FieldValue* const registered = RegisteredPolicy(op, list);
    if (registered == nullptr || !list.Exists(op)) continue;
    const EntryUse* const use = list.Find(op.name);
    if (use == nullptr && !written.unlisted) continue;  // unclassified
    const Policy policy = use != nullptr ? use->entry->policy : *written.unlisted;
    if (policy == ParsePolicy(registered->value) || policy == Policy::kConditional) continue;
    const JsonValue* const unlisted = written.document.root.Find("unlisted");
    const Location place = use != nullptr        ? use->entry->location
                           : unlisted != nullptr ? written.document.At(unlisted->span)
                                                 : Location{written.path, 1, 1, 1, 1};
    Finding& finding =
        AddAt(place, op.name, list,
              (use != nullptr ? InList(op.name, policy, list)
                              : "list '" + list.label + "' leaves operator '" + op.name + "' to '" +
                                    PolicyName(policy) + "', but ") +
                  "the sources register it with '" + registered->value + "'",
              findings);
    const bool placed = !registered->location.path.empty();
    if (placed || !op.sites.empty()) {
      finding.related.push_back({placed ? registered->location : op.sites.front().location,
                                 "it is registered with '" + registered->value + "' here"});
    }
  }
}

void CheckContradictsSource(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    CheckDerived(list, findings);
    if (!list.list->IsDerived()) CheckCopy(index, list, findings);
  }
}

}  // namespace

extern const Rule kContradictsSource = {"contradicts-source",
                                        Severity::kWarning,
                                        "a list gives another policy than the framework",
                                        kContradictsSourcePage,
                                        CheckContradictsSource,
                                        {"policy"}};

}  // namespace opledger

// glued-literals: an entry that is the names of several operators. Reported as one finding instead
// of stale-entry and unclassified-operator for each, because it is one mistake.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/edit.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kGluedLiteralsPage[] =
    R"(An entry names no operator, but is the names of several, one after the other:
a comma is missing between two literals in the source the list was made from.

Why: C++ and Python concatenate adjacent literals silently. The entry has no
effect, and the operators it was meant for have no policy.

Example:
  registered: Sum, Tanh, relu
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": ["SumTanh"], "widest": ["relu"]}
  finding: entry 'SumTanh' of list 'float16' names no operator, but 'Sum' and 'Tanh' are two without a policy

What to do: add the comma, in the framework's source too.
)";

std::string Named(const GluedEntry& glued) {
  std::string names;
  for (const GluedPart& part : glued.parts) {
    const bool last = &part == &glued.parts.back();
    names += (names.empty() ? "'" : last ? " and '" : ", '") + part.name + "'";
    if (part.name != part.op->name) names += " (an alias of '" + part.op->name + "')";
  }
  return names;
}

void CheckGluedLiterals(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const GluedEntry& glued : list.glued) {
      const ListEntry& entry = *glued.use->entry;
      Finding& finding = findings.emplace_back();
      finding.op = entry.op;
      finding.list = list.label;
      finding.location = entry.location;
      finding.message = "entry '" + entry.op + "' of list '" + list.label +
                        "' names no operator, but " + Named(glued) + " are " +
                        (glued.parts.size() == 2 ? "two" : "several") +
                        (static_cast<std::size_t>(glued.unlisted) == glued.parts.size()
                             ? " without a policy"
                             : ", and at least one of them has no policy");
      std::vector<std::string> names;
      for (const GluedPart& part : glued.parts) {
        names.push_back(part.name);
        if (part.op->sites.empty()) continue;
        finding.related.push_back(
            {part.op->sites.front().location, "'" + part.op->name + "' is registered here"});
      }
      std::optional<Edit> edit = ReplaceEntry(*list.list, entry, names);
      if (edit) finding.suggestions.push_back({"", {std::move(*edit)}});
    }
  }
}

}  // namespace

extern const Rule kGluedLiterals = {
    "glued-literals", Severity::kError,
    "an entry is the names of two operators without a comma between them", kGluedLiteralsPage,
    CheckGluedLiterals};

}  // namespace opledger

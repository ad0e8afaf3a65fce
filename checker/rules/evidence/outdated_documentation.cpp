// outdated-documentation: a page of the framework contradicts its list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"
#include "checker/rules/evidence/documented_names.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kOutdatedDocumentationPage[] =
    R"(A page that the list names in "documented_in" contradicts the list: its section for
an operator's policy does not name the operator, or another section does. A name on a
page means the operators of this name in any namespace, with all their overloads and
aliases. Other names are ignored, and so are operators whose names begin with an
underscore.

Why: users choose types by the page, and nothing else compares it with the code.

Example:
  registered: aten::exp, aten::rms_norm
  file: amp.md: # Ops in float32 | `exp`
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["aten::exp", "aten::rms_norm"],
         "documented_in": [{"file": "amp.md", "map": {"Ops in float32": "fp32"}}]}
  finding: operator 'aten::rms_norm' is 'fp32' in list 'float16', but section 'Ops in float32' does not name it

What to do: `opledger docs --fix PAGE` writes the names that are missing.
)";

std::string InQuotes(const char* text) { return std::string("'") + text + "'"; }

void AddWrong(const WrongName& wrong, const ListIndex& list, std::vector<Finding>& findings) {
  const std::string& op = wrong.name->op->name;
  const bool unlisted = wrong.name->listed.empty();
  Finding& finding =
      AddAt(wrong.placed->location, op, list,
            "section '" + wrong.section->section + "' names '" + wrong.placed->name + "' as " +
                InQuotes(PolicyName(wrong.section->policy)) + ", but " +
                (unlisted ? "list '" + list.label + "' does not have it"
                          : "operator '" + op + "' is " + ListedAs(*wrong.name, list)),
            findings);
  if (unlisted) return;
  finding.related.push_back({wrong.name->listed.begin()->second->entry->location, "its entry"});
}

void AddMissing(const MissingName& missing, const ListIndex& list, std::vector<Finding>& findings) {
  AddAt(missing.section->location, missing.op->name, list,
        "operator '" + missing.op->name + "' is " + InQuotes(PolicyName(missing.section->policy)) +
            " in list '" + list.label + "', but section '" + missing.section->section +
            "' does not name it",
        findings)
      .related.push_back({missing.use->entry->location, "its entry"});
}

void CheckOutdatedDocumentation(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    if (list.list->documented.empty()) continue;
    AddUnreadSections(list.list->documented, "documented_in", list, findings);
    const PublicNames names(index, list);
    for (const WrongName& each : NamesWrongOnPages(names, list)) AddWrong(each, list, findings);
    for (const MissingName& each : NamesMissingOnPages(names, list)) {
      AddMissing(each, list, findings);
    }
  }
}

}  // namespace

extern const Rule kOutdatedDocumentation = {"outdated-documentation", Severity::kWarning,
                                            "a page of the framework contradicts its list",
                                            kOutdatedDocumentationPage, CheckOutdatedDocumentation};

}  // namespace opledger

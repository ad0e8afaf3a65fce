// @NAME@: finds entries whose note is "@NAME@".
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char k@PASCAL@Page[] =
    R"(The note of an entry is "@NAME@".

Why: (say here what goes wrong if nobody finds it).

Example:
  registered: exp
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": [{"op": "exp", "note": "@NAME@"}]}
  finding: the note of 'exp' in list 'float16' is '@NAME@'

What to do: (say it here).
)";

void Check@PASCAL@(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse& use : list.uses) {
      if (use.entry->note != "@NAME@") continue;
      Finding& finding = findings.emplace_back();
      finding.op = use.entry->op;
      finding.list = list.label;
      finding.location = use.entry->location;
      finding.message =
          "the note of '" + finding.op + "' in list '" + list.label + "' is '@NAME@'";
    }
  }
}

}  // namespace

extern const Rule k@PASCAL@ = {.name = "@NAME@",
                               .severity = Severity::kWarning,
                               .summary = "the note of an entry is '@NAME@'",
                               .page = k@PASCAL@Page,
                               .run = Check@PASCAL@};

}  // namespace opledger

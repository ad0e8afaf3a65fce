// dtype-lists-disagree: the lists for float16 and bfloat16 give an operator different policies.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kDtypeListsDisagreePage[] =
    R"(The lists for two 16-bit types give one operator different policies.

Why: bfloat16 has the range of float32, with 8 bits of precision; float16 is more
precise and overflows at 65504. Most operators need the same policy for both, so
a difference is either intended or an oversight.

Off by default; to turn it on: opledger check --severity dtype-lists-disagree=note

Example:
  registered: sqrt
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["sqrt"]}
  list: {"framework": "demo", "target_dtype": "bfloat16", "widest": ["sqrt"]}
  finding: 'sqrt' is 'widest' in list 'bfloat16' but 'fp32' in list 'float16'

What to do: make them equal, or write the reason into the entry's "note".
)";

void CheckDtypeListsDisagree(const CheckIndex& index, std::vector<Finding>& findings) {
  const std::vector<ListIndex>& lists = index.lists();
  for (std::size_t second = 0; second < lists.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const PrecisionList& one = *lists[first].list;
      const PrecisionList& other = *lists[second].list;
      if (one.device != other.device || one.target_dtype == other.target_dtype) continue;
      CompareLists(index, lists[first], lists[second], findings);
    }
  }
}

}  // namespace

extern const Rule kDtypeListsDisagree = {
    "dtype-lists-disagree",
    Severity::kNote,
    "lists for two 16-bit types give an operator different policies",
    kDtypeListsDisagreePage,
    CheckDtypeListsDisagree,
    {},
    true};

}  // namespace opledger

// device-lists-disagree: two devices' lists of one framework give an operator different policies.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kDeviceListsDisagreePage[] =
    R"(The lists of two devices give one operator different policies.

Why: a model that is accurate on one device may not be on the other. Often the
difference has a reason (a device without the kernel), and often it is an
oversight.

Example:
  registered: grid_sampler
  list: {"framework": "demo", "target_dtype": "float16", "device": "cpu",
         "fp32": ["grid_sampler"]}
  list: {"framework": "demo", "target_dtype": "float16", "device": "cuda",
         "widest": ["grid_sampler"]}
  finding: 'grid_sampler' is 'widest' in list 'float16-cuda' but 'fp32' in list 'float16-cpu'

What to do: make them equal, or write the reason into the entry's "note" and
turn the note off with an ignore rule.
)";

void CheckDeviceListsDisagree(const CheckIndex& index, std::vector<Finding>& findings) {
  const std::vector<ListIndex>& lists = index.lists();
  for (std::size_t second = 0; second < lists.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const std::string& device = lists[first].list->device;
      const std::string& other = lists[second].list->device;
      if (device.empty() || other.empty() || device == other) continue;
      CompareLists(lists[first], lists[second], findings);
    }
  }
}

}  // namespace

extern const Rule kDeviceListsDisagree = {
    "device-lists-disagree", Severity::kNote,
    "lists for two devices give an operator different policies", kDeviceListsDisagreePage,
    CheckDeviceListsDisagree};

}  // namespace opledger

// Reads policies from a manifest. Operators are located at their registrations.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/registration_list.h"

#include <map>
#include <set>

#include "registry/manifest/manifest.h"
#include "registry/precision_list/policy.h"
#include "registry/text/text.h"

namespace opledger {

std::optional<RegistrationLists> ReadRegistrationLists(const std::string& path, std::string text,
                                                       const std::string& device,
                                                       Diagnostics& diagnostics) {
  const std::optional<Manifest> manifest = ParseManifest(path, text, diagnostics);
  if (!manifest) return std::nullopt;
  std::map<std::string, NamedList> lists;
  std::set<std::string> devices;
  for (const Operator& op : manifest->operators) {
    const auto policies = op.fields.find("policy");
    if (policies == op.fields.end()) continue;
    for (const FieldValue& policy : policies->second) {
      if (!policy.key.empty()) devices.insert(policy.key);
      if (policy.key != device || !ParsePolicy(policy.value)) continue;
      NamedList& list = lists[policy.value];
      list.name = policy.value;
      list.kind = LiteralValue::Kind::kSet;
      ListItem& item = list.items.emplace_back();
      item.value.kind = LiteralValue::Kind::kString;
      item.value.text = op.name;
      item.value.location = op.sites.empty() ? Location{path, 1, 1, 1, 1} : op.sites[0].location;
      item.feature = policy.condition;
    }
  }
  if (lists.empty()) {
    return diagnostics.Error({path, 0, 0, 0, 0},
                             device.empty() ? "no operator has a policy"
                                            : "no operator has a policy for '" + device + "'",
                             devices.empty() ? "use the file that contains the framework's lists"
                                             : "use --device with one of " + Join(devices, ", "));
  }
  RegistrationLists found{manifest->dialect, {}};
  found.module.source = std::make_shared<const SourceText>(path, std::move(text));
  for (auto& [name, list] : lists) found.module.lists.push_back(std::move(list));
  return found;
}

}  // namespace opledger

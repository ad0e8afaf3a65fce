// What pages and tests call the operators of a list: by their names without namespace and overload.
//   aten::softmax.int, aten::softmax.Dimname  ->  softmax
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/index/index.h"

namespace opledger {

// The operators of one such name.
struct PublicName {
  const Operator* op = nullptr;  // the first of them that is not internal, if there is one
  // What the list says of them: the first entry of each policy.
  std::map<Policy, const EntryUse*> listed;
};

class PublicNames {
 public:
  explicit PublicNames(const CheckIndex& index, const ListIndex& list);

  // By name; of those that exist in the list's configuration.
  const std::map<std::string, PublicName>& all() const { return names_; }
  // The one that a page means: "softmax", "torch.softmax", an alias. Empty: no operator.
  std::string Meant(const std::string& named) const;

 private:
  std::map<std::string, PublicName> names_;
  std::map<std::string, std::string> aliases_;
};

// "softmax" of aten::softmax.int. A dot counts only behind a namespace: nn.dense stays.
std::string PublicNameOf(std::string_view op);

// Whether a name says that it is not for users: _convolution, _quantized::linear.
bool IsInternal(std::string_view name);

// "'fp32' in list 'float16'"
std::string ListedAs(const PublicName& name, const ListIndex& list);

// Adds a finding for each section that could not be looked up; `field` of the list names it.
void AddUnreadSections(const std::vector<NamedOperators>& sections, const char* field,
                       const ListIndex& list, std::vector<Finding>& findings);

}  // namespace opledger

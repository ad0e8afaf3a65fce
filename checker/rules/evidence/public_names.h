// The names of operators on pages and in tests: without namespace and overload.
//   aten::softmax.int, aten::softmax.Dimname  ->  softmax
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/index/index.h"

namespace opledger {

// The operators with such a name.
struct PublicName {
  const Operator* op = nullptr;  // the first that is not internal, if any
  // Their first entry under each policy.
  std::map<Policy, const EntryUse*> listed;
};

class PublicNames {
 public:
  explicit PublicNames(const CheckIndex& index, const ListIndex& list);

  // Returns all names of operators that exist in the list's configuration.
  const std::map<std::string, PublicName>& all() const { return names_; }
  // Returns the name that a page means by "softmax", "torch.softmax" or an alias, or "" if it means
  // no operator.
  std::string Meant(const std::string& named) const;

 private:
  std::map<std::string, PublicName> names_;
  std::map<std::string, std::string> aliases_;
};

// Returns "softmax" for aten::softmax.int. Dots count only after a namespace: nn.dense stays.
std::string PublicNameOf(std::string_view op);

// Returns whether the name marks an internal operator: _convolution, _quantized::linear.
bool IsInternal(std::string_view name);

// Returns "'fp32' in list 'float16'".
std::string ListedAs(const PublicName& name, const ListIndex& list);

// Adds a finding for each section that could not be read. `field` is the field of the list that
// names it.
void AddUnreadSections(const std::vector<NamedOperators>& sections, const char* field,
                       const ListIndex& list, std::vector<Finding>& findings);

}  // namespace opledger

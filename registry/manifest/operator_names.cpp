// Looks up operators by the last part of their names.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/operator_names.h"

namespace opledger {

std::string UnqualifiedName(const std::string& name) {
  const std::size_t at = name.find_last_of(":.");
  return at == std::string::npos ? name : name.substr(at + 1);
}

OperatorNames::OperatorNames(const Manifest& manifest) {
  for (const Operator& op : manifest.operators) {
    names_.insert(UnqualifiedName(op.name));
    for (const Alias& alias : op.aliases) names_.insert(UnqualifiedName(alias.name));
  }
  for (const AbsentOperator& absent : manifest.absent) {
    names_.insert(UnqualifiedName(absent.name));
  }
}

}  // namespace opledger

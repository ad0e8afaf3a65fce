// Finds the leftmost part of the returned expression; see returned_name.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/returned_name.h"

#include <set>
#include <vector>

namespace opledger::scan {
namespace {

std::string FirstName(const PythonTree& tree, PythonId value) {
  while (tree.Kind(value) == PythonKind::kBinary || tree.Kind(value) == PythonKind::kList ||
         tree.Kind(value) == PythonKind::kTuple) {
    value = tree.Child(value, 0);
  }
  const bool named =
      tree.Kind(value) == PythonKind::kName || tree.Kind(value) == PythonKind::kAttribute;
  return named ? std::string(tree[value].text) : std::string();
}

}  // namespace

std::string ReturnedName(const PythonTree& tree, PythonId function) {
  if (tree.Kind(function) == PythonKind::kLambda) return FirstName(tree, tree.Child(function, 1));
  if (tree.Kind(function) != PythonKind::kFunction) return {};
  std::set<std::string> names;
  std::vector<PythonId> open = {tree.Child(function, 4)};
  while (!open.empty()) {
    const PythonId id = open.back();
    open.pop_back();
    const PythonKind kind = tree.Kind(id);
    if (kind == PythonKind::kFunction || kind == PythonKind::kClass) continue;
    if (kind == PythonKind::kReturn) names.insert(FirstName(tree, tree.Child(id, 0)));
    for (const PythonId child : tree.Children(id)) open.push_back(child);
  }
  return names.size() == 1 ? *names.begin() : std::string();
}

}  // namespace opledger::scan

// Changes between two states of a project: operators, and their policies in lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/index/index.h"
#include "checker/terminal/source_link.h"

namespace opledger {

struct PolicyChange {
  std::string list;  // label
  std::string op;
  std::optional<Policy> before;  // nullopt: no entry
  std::optional<Policy> after;
};

struct RenamedOperator {
  const Operator* before = nullptr;
  const Operator* after = nullptr;
};

struct Changes {
  std::vector<const Operator*> added;    // by name; points into the manifest of `after`
  std::vector<const Operator*> removed;  // points into the manifest of `before`
  std::vector<RenamedOperator> renamed;  // by new name; not in `added` or `removed`
  std::vector<PolicyChange> policies;    // by list and operator; only lists that both states have
};

Changes FindChanges(const CheckIndex& before, const CheckIndex& after);

std::string ChangesText(const Changes& changes);
// Returns text for a comment on a pull request. `link` makes links to added operators.
std::string ChangesMarkdown(const Changes& changes, const SourceLink& link);

}  // namespace opledger

// What changed between two states of a project: operators, and what the lists say of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/index/index.h"
#include "checker/terminal/source_link.h"

namespace opledger {

struct PolicyChange {
  std::string list;  // its label
  std::string op;
  std::optional<Policy> before;  // none: it stood in no list
  std::optional<Policy> after;
};

struct RenamedOperator {
  const Operator* before = nullptr;
  const Operator* after = nullptr;
};

struct Changes {
  std::vector<const Operator*> added;    // by name; into the manifest of after
  std::vector<const Operator*> removed;  // into that of before
  std::vector<RenamedOperator> renamed;  // by the new name; neither added nor removed
  std::vector<PolicyChange> policies;    // by list and operator; of lists that both have
};

Changes FindChanges(const CheckIndex& before, const CheckIndex& after);

std::string ChangesText(const Changes& changes);
// For a comment on a pull request; `link` leads to what was added.
std::string ChangesMarkdown(const Changes& changes, const SourceLink& link);

}  // namespace opledger

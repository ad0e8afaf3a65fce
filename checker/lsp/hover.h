// Describes the operator under the cursor: its policy in each list and why, where and under which
// condition it is registered, and the evidence for each policy if it has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "checker/lsp/position.h"
#include "checker/lsp/project_check.h"

namespace opledger {

struct NamedOperator {
  std::string name;
  Span span;  // in the text
};

// Returns the operator that is registered or listed at the offset. `path` is relative to the root,
// and `text` is what the editor holds. Returns nullopt if there is none.
std::optional<NamedOperator> OperatorAt(const ProjectCheck& check, const std::string& path,
                                        std::string_view text, std::size_t offset);

// Describe an operator, or a name in a list that no operator has. Text from the project is escaped.
std::string HoverMarkdown(const ProjectCheck& check, const std::string& name);
std::string HoverPlain(const ProjectCheck& check, const std::string& name);

}  // namespace opledger

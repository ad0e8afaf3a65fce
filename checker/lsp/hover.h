// What is known of the operator under the cursor: what each list says of it and why, where it is
// registered and under which condition, what speaks for each policy where it has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "checker/lsp/position.h"
#include "checker/lsp/project_check.h"

namespace opledger {

struct NamedOperator {
  std::string name;
  Span span;  // of the text
};

// The operator that is registered at a place of a source, or named there by a list. `path` is as
// seen from the root, `text` what the editor holds. None: the cursor is elsewhere.
std::optional<NamedOperator> OperatorAt(const ProjectCheck& check, const std::string& path,
                                        std::string_view text, std::size_t offset);

// Of an operator, or of a name that a list holds and no operator has. Nothing in them is markup but
// what is meant to be.
std::string HoverMarkdown(const ProjectCheck& check, const std::string& name);
std::string HoverPlain(const ProjectCheck& check, const std::string& name);

}  // namespace opledger

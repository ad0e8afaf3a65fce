// JSON Schemas that include the names of this installation and this project, so that any
// editor completes and flags names of rules and of operators, without a language server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// The files that have such a schema: "list" and "project".
std::vector<std::string> ConfigSchemaNames();

// The schema (2020-12) as text: the shipped one, of a project file with the names of the rules, and
// where there are `operators` with them as the only ones. None, with an error, where the shipped
// one cannot be read.
std::optional<std::string> ConfigSchema(const std::string& name,
                                        const std::vector<std::string>& operators,
                                        Diagnostics& diagnostics);

}  // namespace opledger

// JSON Schemas with the names of this installation and this project. With them, any editor
// completes and checks names of rules and operators without a language server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// Returns the kinds of files that have such a schema: "list" and "project".
std::vector<std::string> ConfigSchemaNames();

// Returns the shipped schema (2020-12) as text. A project file's schema lists the names of the
// rules; if `operators` is not empty, only these operators are valid. Returns nullopt, with an
// error, if the shipped schema cannot be read.
std::optional<std::string> ConfigSchema(const std::string& name,
                                        const std::vector<std::string>& operators,
                                        Diagnostics& diagnostics);

}  // namespace opledger

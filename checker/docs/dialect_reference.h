// Documents the fields of dialects from their schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/text/diagnostics.h"

namespace opledger {

// Returns whether this is "dialect" or "dialect.FIELD", as in "dialect.sinks[].prefix". "[]" is
// optional.
bool IsDialectField(const std::string& name);

// Returns the entry of the field and of its direct members. Returns nullopt, with an error that
// suggests the nearest field, if there is no such field, or if the schema cannot be read.
std::optional<std::string> DialectFieldPage(const std::string& name, Diagnostics& diagnostics);

// Returns the contents of registry/dialects/REFERENCE.md, or nullopt, with an error, if the schema
// cannot be read.
std::optional<std::string> DialectReference(Diagnostics& diagnostics);

}  // namespace opledger

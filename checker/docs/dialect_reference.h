// What a dialect can say, from its schema: one field, or all of them as a page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/text/diagnostics.h"

namespace opledger {

// "dialect", or "dialect." and a field: "dialect.sinks[].prefix"; "[]" may be left out.
bool IsDialectField(const std::string& name);

// The entry of that field, with the fields that it has itself. None, with an error that names what
// is near, if there is no such field or the schema cannot be read.
std::optional<std::string> DialectFieldPage(const std::string& name, Diagnostics& diagnostics);

// registry/dialects/REFERENCE.md.
std::optional<std::string> DialectReference(Diagnostics& diagnostics);

}  // namespace opledger

// Combines a dialect with the shipped dialect that it extends. It may add sinks, data files, build
// names, exceptions and paths, but change nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/dialect/dialect.h"
#include "registry/json/json.h"

namespace opledger {

// Adds `addition`, the contents of `document`, to `base`. Reports keys that cannot be extended and
// entries that conflict with `base`, and returns nullopt.
std::optional<Dialect> ExtendDialect(Dialect base, Dialect addition, const JsonDocument& document,
                                     Diagnostics& diagnostics);

}  // namespace opledger

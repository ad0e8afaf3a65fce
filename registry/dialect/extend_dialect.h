// A dialect that extends a shipped one: it adds sinks, data files, build names, exceptions and
// paths, and changes nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/dialect/dialect.h"
#include "registry/json/json.h"

namespace opledger {

// `addition`: what `document` says, without what it extends. Errors: a key that cannot be extended,
// and what `base` says differently already.
std::optional<Dialect> ExtendDialect(Dialect base, Dialect addition, const JsonDocument& document,
                                     Diagnostics& diagnostics);

}  // namespace opledger

// Reading a whole regular file, with a limit: no device, no pipe, no surprise in size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "registry/text/diagnostics.h"

namespace opledger {

// The bytes of the regular file `path`; otherwise an error that names it and says why.
std::optional<std::string> ReadFile(const std::string& path, std::size_t maximum_size,
                                    Diagnostics& diagnostics);

}  // namespace opledger

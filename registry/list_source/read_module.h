// Chooses the reader for each format in which frameworks maintain lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/list_source/list_module.h"
#include "registry/precision_list/derived_from.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Reads `text`, the contents of the file at `path`. Parts that cannot be interpreted are warnings.
// Returns nullopt after an error.
std::optional<ListModule> ReadListModule(ListFormat format, const std::string& path,
                                         std::string text, Diagnostics& diagnostics);

}  // namespace opledger

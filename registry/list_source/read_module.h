// The table of the formats in which frameworks keep lists: which reader reads which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/list_source/list_module.h"
#include "registry/precision_list/derived_from.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// `text` is that of the file at `path`. What is not read is a warning; nullopt after an error.
// `cache`: what the scanner read may be kept between runs.
std::optional<ListModule> ReadListModule(ListFormat format, const std::string& path,
                                         std::string text, bool cache, Diagnostics& diagnostics);

}  // namespace opledger

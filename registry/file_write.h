// Files are old or new, never torn: written beside, synced, renamed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/diagnostics.h"

namespace opledger {

// Replaces `path` by `content` in one step, keeping the mode of an existing file and writing
// through a symbolic link to its target. "-" is standard output. Errors name the file.
bool WriteFile(const std::string& path, std::string_view content, Diagnostics& diagnostics);

}  // namespace opledger

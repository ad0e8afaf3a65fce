// Writes files whose modification time a build system compares. Files that would not change are not
// written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger::scan {

// Writes `path` atomically unless it already holds `bytes`. Creates its folder. Reports errors.
bool WriteIfChanged(const std::string& path, std::string_view bytes, Diagnostics& diagnostics);

// Reads a file that a build step wrote or names. Returns nullopt if it cannot be read.
std::optional<std::string> ReadBuilt(const std::string& path);

// Returns "TARGET: INPUT ..." in the format of make and ninja.
std::string Depfile(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace opledger::scan

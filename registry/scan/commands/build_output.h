// Files that build systems compare by time: left alone where they would not change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger::scan {

// Writes `path`, whole or not at all, unless it holds `bytes`; makes its folder. An error names it.
bool WriteIfChanged(const std::string& path, std::string_view bytes, Diagnostics& diagnostics);

// The bytes of a file that a step of the build wrote or names; none where it cannot be read.
std::optional<std::string> ReadBuilt(const std::string& path);

// "TARGET: INPUT ...", as make and ninja read it.
std::string Depfile(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace opledger::scan

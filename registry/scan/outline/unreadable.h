// Bytes that are no source text: binaries, UTF-16, monsters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger::scan {

// Why these bytes are no source text; empty if they are. Latin-1 comments are common and fine.
std::string WhyUnreadable(std::string_view text);

}  // namespace opledger::scan

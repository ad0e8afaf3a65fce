// What to do where the system refuses something because of a limit (`ulimit`): dozens of places
// report such a refusal by the system's text for it, and the remedy is always the same.
//   "cannot read: Too many open files" -> "raise the limit of open files: ulimit -n"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// The hint for a message that ends in the system's reason; empty: no limit is the reason.
std::string LimitHint(std::string_view message);

}  // namespace opledger

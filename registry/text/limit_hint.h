// Suggests a remedy if a system limit (`ulimit`) causes an error. Many places report such errors
// with the system's text, and the remedy is always the same.
//   "cannot read: Too many open files" -> "raise the limit of open files: ulimit -n"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Returns the hint for a message that ends with the system's reason, or an empty string if the
// reason is not a limit.
std::string LimitHint(std::string_view message);

}  // namespace opledger

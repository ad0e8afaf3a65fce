// Identifies the build of the scanner (build_identity.cmake): a digest of its sources and the
// version of Clang. Results of another build are not reused, because a bug may have been fixed
// since.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger::scan {

std::string_view BuildIdentity();  // "09af3c71d52e6b84"

}  // namespace opledger::scan

// The version of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

const char* Version();  // "1.2.3"

}  // namespace opledger

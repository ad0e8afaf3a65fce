// Which build this is (build_identity.cmake): the same for the same sources and the same Clang.
// What another one found is not taken for what this one would find, since a mistake may have been
// mended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger::scan {

std::string_view BuildIdentity();  // "09af3c71d52e6b84"

}  // namespace opledger::scan

// Tests of Python source as opaque atoms of conditions: python("current_platform.is_rocm()").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// How a condition names a test in the source's own text; white space counts as one blank, and
// quotes as '.
std::string PythonTestAtom(std::string_view text);

// The text of such an atom; empty if it is none.
std::string PythonTestText(std::string_view atom);

}  // namespace opledger

// Tests of Python source as opaque atoms of conditions: python("current_platform.is_rocm()").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Returns the atom for a test with this source text. Each run of white space becomes one space;
// quotation marks and backslashes become '.
std::string PythonTestAtom(std::string_view text);

// Returns the text of such an atom, or an empty string for any other atom.
std::string PythonTestText(std::string_view atom);

}  // namespace opledger

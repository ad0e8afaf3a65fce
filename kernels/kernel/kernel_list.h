// All kernels of this program, as they declare themselves: the truth that our scan of kernels/ is
// held against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// "text": one line for each kernel, in the order of names and, of one name, of preference. "json":
// a manifest (schemas/operators.schema.json) that knows no places, which `check --operators` takes
// like that of a scan. "summary": how many each implementation has, and what that rests on here.
std::string ListKernels(std::string_view format);

}  // namespace opledger

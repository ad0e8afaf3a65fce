// Lists all kernels of this program as they declare themselves. The scan of kernels/ is compared
// with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// "text": one line for each kernel, sorted by name, then by preference. "json": a manifest
// (schemas/operators.schema.json) without locations, which `check --operators` accepts like that of
// a scan. "summary": how many kernels each implementation has, and the libraries and instruction
// sets it uses.
std::string ListKernels(std::string_view format);

}  // namespace opledger

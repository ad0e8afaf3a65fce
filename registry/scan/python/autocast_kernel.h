// What a kernel for autocast casts its arguments to, told by its body:
//   cast_dtype = torch.get_autocast_dtype("cuda")
//   with torch.amp.autocast("cuda", enabled=False):
//       return op(x.to(cast_dtype), index)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/python/ast.h"

namespace opledger::scan {

// The type that autocast is in, as AutocastCast() gives it.
inline constexpr char kContextType[] = "autocast";

// "autocast" (the type that the context asks for), "float16", "bfloat16" or "float32". Empty unless
// the body calls `op` ("ns::name") with autocast disabled, and what it gives are its own
// parameters, the first of them cast, all casts to one type. `device`: which the kernel is for.
std::string AutocastCast(const PythonTree& tree, PythonId function, std::string_view op,
                         std::string_view device);

}  // namespace opledger::scan

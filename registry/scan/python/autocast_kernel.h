// What a kernel for autocast casts its arguments to, told by its body:
//   cast_dtype = torch.get_autocast_dtype("cuda")
//   with torch.amp.autocast("cuda", enabled=False):
//       return op(x.to(cast_dtype), index)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/python/ast.h"

namespace opledger::scan {

// The type that autocast is in, as AutocastCast() gives it.
inline constexpr char kContextType[] = "autocast";

// "autocast" (the type that the context asks for), "float16", "bfloat16" or "float32". Empty if the
// body does anything but cast to one type and call an operator with autocast disabled.
std::string AutocastCast(const PythonTree& tree, PythonId function);

}  // namespace opledger::scan

// Finds the type to which an autocast kernel casts its arguments, from its body:
//   cast_dtype = torch.get_autocast_dtype("cuda")
//   with torch.amp.autocast("cuda", enabled=False):
//       return op(x.to(cast_dtype), index)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/python/ast.h"

namespace opledger::scan {

// Result of AutocastCast() for the type that the autocast context sets.
inline constexpr char kContextType[] = "autocast";

// Returns "autocast" (the type that the context sets), "float16", "bfloat16" or "float32". Returns
// "" unless the body calls `op` ("ns::name") with autocast disabled, the arguments are its own
// parameters, the first one is cast, and all casts are to the same type. `device`: the kernel's
// device.
std::string AutocastCast(const PythonTree& tree, PythonId function, std::string_view op,
                         std::string_view device);

}  // namespace opledger::scan

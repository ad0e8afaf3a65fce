// Windows over images as the module takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/module/module.h"
#include "kernels/kernel/kernel.h"

namespace opledger::cuda {

// Of a call of one or two spatial dimensions with channels last; none, with why.
std::optional<WindowShape> ReadWindowShape(const Call& call, std::string& problem);

}  // namespace opledger::cuda

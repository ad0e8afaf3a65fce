// Windows over images as the module takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/module/module.h"
#include "kernels/kernel/kernel.h"

namespace opledger::cuda {

// Of a call of one or two spatial dimensions with channels last, by ReadWindow or ReadPoolWindow;
// none, with why.
StatusOr<WindowShape> ReadWindowShape(const Call& call, bool is_pool);

}  // namespace opledger::cuda

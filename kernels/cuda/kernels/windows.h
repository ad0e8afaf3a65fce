// Windows over images in the form that the module takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/module/module.h"
#include "kernels/kernel/kernel.h"

namespace opledger::cuda {

// Reads the window of a call by ReadWindow or ReadPoolWindow. Returns an error unless the call has
// channels last and one or two spatial dimensions.
StatusOr<WindowShape> ReadWindowShape(const Call& call, bool is_pool);

}  // namespace opledger::cuda

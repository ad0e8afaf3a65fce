// MXNet models for kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/bindings.h"
#include "kernels/bindings/mxnet/model.h"

namespace opledger {

// The model must outlive it.
Binding BindMxnet(const MxnetModel& model);

}  // namespace opledger

// The launchers of the module, each in the file of its group; module.cu puts them in the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/module/module.h"

namespace opledger::cuda {

const char* LaunchCast(const CastCall* call);
const char* LaunchChain(const Chain* call);
const char* LaunchSoftmax(const SoftmaxCall* call);
const char* LaunchNormalise(const NormaliseCall* call);
const char* LaunchReduce(const ReduceCall* call);
const char* LaunchCopy(const CopyCall* call);
const char* LaunchGather(const GatherCall* call);
const char* LaunchPool(const PoolCall* call);
const char* LaunchColumns(const ColumnsCall* call);
const char* LaunchGrouped(const GroupedCall* call);
const char* LaunchMultiply(const MatrixCall* call);

}  // namespace opledger::cuda

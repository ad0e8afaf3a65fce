// The launchers of the module, each defined in the file of its group; module.cu puts them in the
// table. Each returns nullptr, or an error message (module.h).
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
const char* LaunchPad(const PadCall* call);
const char* LaunchResize(const ResizeCall* call);
const char* LaunchQuantize(const QuantizeCall* call);
const char* LaunchDequantize(const QuantizeCall* call);
const char* LaunchRotate(const RotaryCall* call);
const char* LaunchAttend(const AttentionCall* call);
// Like LaunchAttend, for many rows. `aligned`: four elements of a row may be read at once.
const char* LaunchAttendTiles(const AttentionCall* call, bool aligned);

}  // namespace opledger::cuda

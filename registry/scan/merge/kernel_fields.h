// Kernels that a field of the operator tells by their devices alone.
//   kernels: {"CPU, CUDA": "add"} -> a kernel for cpu, one for cuda; their types unknown
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"

namespace opledger::scan {

// Adds to the operator's kernels what its field KernelNames::field tells, if there is one. Keys
// that are no devices of the dialect tell nothing.
void AddKernelsOfField(const KernelNames& names, Operator& op);

}  // namespace opledger::scan

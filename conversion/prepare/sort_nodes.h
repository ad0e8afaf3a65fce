// Sorts the nodes of ONNX graphs. Runtimes accept any order; ONNX requires that no node reads what
// a later one computes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Sorts the graphs of OnnxModel::unsorted that are in no other unsorted graph. Reapply to the
// resulting model until no graph is unsorted.
EditList SortNodes(const OnnxModel& model);

}  // namespace opledger

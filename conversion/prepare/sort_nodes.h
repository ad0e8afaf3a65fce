// Puts the nodes of ONNX graphs in order: runtimes take them in any, ONNX demands that none reads
// what a later one computes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Of the graphs in OnnxModel::unsorted those that lie in no other one: the rest is unsorted still,
// in the model with these edits.
EditList SortNodes(const OnnxModel& model);

}  // namespace opledger

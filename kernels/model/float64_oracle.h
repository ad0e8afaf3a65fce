// A model in float64: the same graph with every float value, of its inputs, its file and its
// nodes, in float64. What other types give is held against it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/bindings.h"

namespace opledger {

struct Float64Oracle {
  Graph graph;
  Binding binding;
};

// The graph's bytes and what `binding` refers to must outlive it. Casts of the model from one float
// type to another change nothing in it.
Float64Oracle MakeFloat64Oracle(const Graph& graph, const Binding& binding);

// Floats as float64, exactly; anything else as it is.
ConstantTensor Upcast(const ConstantTensor& tensor);
// The numbers of a float64 tensor in another float type, rounded to nearest; of float64 and of
// other types, as they are.
ConstantTensor Downcast(const ConstantTensor& tensor, Dtype dtype);

}  // namespace opledger

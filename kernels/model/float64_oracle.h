// Converts a model to float64: the same graph with all float values (inputs, initializers, results)
// in float64. Results in other types are compared with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/bindings.h"

namespace opledger {

struct Float64Oracle {
  Graph graph;
  Binding binding;
};

// Returns the graph and its binding in float64: casts from one float type to another become casts
// to float64. The graph's bytes and everything that `binding` refers to must outlive the result.
Float64Oracle MakeFloat64Oracle(const Graph& graph, const Binding& binding);

// Converts floats to float64, exactly; returns other types unchanged.
ConstantTensor Upcast(const ConstantTensor& tensor);
// Rounds a float64 tensor to another float type, to nearest; returns other tensors unchanged.
ConstantTensor Downcast(const ConstantTensor& tensor, Dtype dtype);

}  // namespace opledger

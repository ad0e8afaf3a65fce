// What a framework's nodes mean to kernels. No kernel knows a framework, no planner an attribute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/graph.h"
#include "kernels/constant_tensor.h"
#include "kernels/kernel.h"

namespace opledger {

// A node, with what is known of its inputs when it is bound.
struct NodeInputs {
  NodeId node = kNone;
  std::vector<std::optional<TensorType>> types;  // none: left out
  std::vector<const void*> constants;            // their numbers, or nullptr
};

// What a node is: a call of a kernel, or a constant. Or a problem, which says why it is neither.
struct Bound {
  std::string problem;
  std::string kernel;
  std::vector<int> inputs;  // the node's inputs that the kernel takes, in its order; -1: none
  std::map<std::size_t, Dimensions> views;  // of those inputs: the shape the kernel sees them in
  Parameters parameters;
  std::vector<ConstantTensor> constants;  // of the node's outputs, where it needs no kernel
};

Bound Unbound(std::string problem);

struct Binding {
  std::function<Bound(const NodeInputs&)> bind;
  // The numbers of a tensor of the model's file; none, with what is wrong with it.
  std::function<std::optional<ConstantTensor>(TensorId, std::string& problem)> load;
};

}  // namespace opledger

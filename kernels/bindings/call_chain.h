// Builds a node from several calls of kernels, one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/bindings/bindings.h"

namespace opledger {

// Returns the index of the node's input in a call, or -1 if it is left out.
inline int NumberOf(const FrameworkNode& node, std::size_t input) {
  return node.Has(input) ? static_cast<int>(input) : -1;
}

class CallChain {
 public:
  explicit CallChain(const FrameworkNode& node) : inputs_(static_cast<int>(node.numbers())) {}

  // Each function returns the index of what it adds. This one adds a constant.
  int Operand(ConstantTensor tensor);
  // A scalar of that type.
  int Scalar(Dtype dtype, double value);
  int Integers64(const Integers& values);
  // A call whose first output later calls may read. The call can be edited by Last() until the next
  // one.
  int Call(std::string kernel, std::vector<int> inputs);
  // The same for its second output.
  int CallForSecond(std::string kernel, std::vector<int> inputs);
  // The same for its first `outputs` outputs; returns the index of the first, the others follow.
  int CallForAll(std::string kernel, std::vector<int> inputs, int outputs);
  // A call whose first output is the node's output `output`.
  void Give(std::string kernel, std::vector<int> inputs, int output);
  KernelCall& Last() { return bound_.before.back(); }

  // Frequently used calls.
  int Reshaped(int input, Dimensions shape);
  int Transposed(int input, Integers order);
  int Cast(int input, Dtype to);
  int Gathered(int input, int indices, std::int64_t axis);
  // Parts of those sizes along an axis; returns the index of the first, the others follow.
  int Split(int input, std::int64_t axis, const Integers& sizes);

  // Ends the chain with the call that computes the node's outputs.
  LoweredNode Finish(std::string kernel, std::vector<int> inputs) &&;
  // The same if that call computes only the first output; others are set by Give or unused.
  LoweredNode FinishFirst(std::string kernel, std::vector<int> inputs) &&;
  // Ends the chain: the first output is a list of values with these indices.
  LoweredNode FinishList(std::vector<int> elements) &&;
  // Ends the chain: each output was set by Give.
  LoweredNode Finish() &&;

 private:
  // Temporary indices of constants and results, until the chain is finished.
  static constexpr int kOperands = 1 << 20;
  static constexpr int kResults = 1 << 24;

  // Replaces temporary indices. Reading an input that the node does not have is a problem.
  void Number(std::vector<int>& inputs);

  LoweredNode bound_;
  int inputs_;
  int results_ = kResults;
};

// A tensor filled with one value, of any type.
ConstantTensor FilledTensor(TensorType type, double value);

}  // namespace opledger

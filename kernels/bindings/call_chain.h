// Several calls of kernels, one after the other, that make up a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/bindings/bindings.h"

namespace opledger {

// The number that a call has for an input of the node; -1: it is left out.
inline int NumberOf(const FrameworkNode& node, std::size_t input) {
  return node.Has(input) ? static_cast<int>(input) : -1;
}

class CallChain {
 public:
  explicit CallChain(const FrameworkNode& node) : inputs_(static_cast<int>(node.numbers())) {}

  // A constant.
  int Operand(ConstantTensor tensor);
  // A scalar of a type.
  int Scalar(Dtype dtype, double value);
  int Integers64(const Integers& values);
  // A call whose first output later ones may take; gives the number it has for them. The call can
  // be edited by Last() until the next.
  int Call(std::string kernel, std::vector<int> inputs);
  // Its second output instead.
  int CallForSecond(std::string kernel, std::vector<int> inputs);
  // All of its first `outputs` outputs: the number of the first, the others follow.
  int CallForAll(std::string kernel, std::vector<int> inputs, int outputs);
  // A call whose first output is the node's output `output`.
  void Give(std::string kernel, std::vector<int> inputs, int output);
  KernelCall& Last() { return bound_.before.back(); }

  // Calls that many nodes need.
  int Reshaped(int input, Dimensions shape);
  int Transposed(int input, Integers order);
  int Cast(int input, Dtype to);
  int Gathered(int input, int indices, std::int64_t axis);
  // Parts of those sizes along an axis: the number of the first, the others follow.
  int Split(int input, std::int64_t axis, const Integers& sizes);

  // The call that gives the node's outputs: the last.
  LoweredNode Finish(std::string kernel, std::vector<int> inputs) &&;
  // Of the outputs the first alone: others are given, or not there.
  LoweredNode FinishFirst(std::string kernel, std::vector<int> inputs) &&;
  // The first output is a list of such numbers.
  LoweredNode FinishList(std::vector<int> elements) &&;
  // The calls alone: each output is given by one of them.
  LoweredNode Finish() &&;

 private:
  // Constants and results are numbered from here on until the chain is finished.
  static constexpr int kOperands = 1 << 20;
  static constexpr int kResults = 1 << 24;

  // An input that the node does not have is a problem.
  void Number(std::vector<int>& inputs);

  LoweredNode bound_;
  int inputs_;
  int results_ = kResults;
};

// A tensor of one number, of any type.
ConstantTensor FilledTensor(TensorType type, double value);

}  // namespace opledger

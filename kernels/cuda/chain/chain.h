// The host's side of GPU kernels: finding the module, layouts, and chains of element-wise steps.
// In: a call; out: a step that launches the module's functions. This header: writing chains.
//   ChainProgram program(Dtype::kFloat32, shape);
//   program.AddInput(0, type_of_a);                       acc = a
//   program.Step(kAdd, program.AddInput(1, type_of_b));   acc = acc + b, broadcast
//   prepared.run = program.Finish();
// May include: kernels/cuda/module, kernels/kernel, kernels/machine, kernels/tensor,
// registry/files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "kernels/cuda/chain/loader.h"
#include "kernels/cuda/module/chain_codes.h"
#include "kernels/kernel/kernel.h"

namespace opledger::cuda {

// The module's word for a type; none: it has none.
std::optional<ElementType> ElementTypeOf(Dtype dtype);

// The code of the kernel of that name that has one input, with its parameters' defaults; none.
struct UnaryCode {
  ChainCode code;
  float alpha;
  float beta;
};
std::optional<UnaryCode> FindUnaryCode(std::string_view kernel);

class ChainProgram : public JoinableLaunch {
 public:
  // A result of that type; kBool gives whether it is not 0.
  ChainProgram(Dtype dtype, const Dimensions& shape);

  // Input `input` of the kernel as an operand; the first one is what the chain begins with.
  std::uint8_t AddInput(std::size_t input, const TensorType& type);
  // Numbers of its own, one for each of `period`; each stands for `inner` that stand together.
  std::uint8_t AddConstant(std::shared_ptr<DeviceConstant> numbers, std::int64_t inner,
                           std::int64_t period);
  // The workspace, as float32 numbers in the result's shape.
  std::uint8_t AddWorkspace();
  void Step(ChainCode code, std::uint8_t operand = 0, float alpha = 0, float beta = 0);
  // The function of that name, with these parameters; false: it is none.
  bool Unary(std::string_view kernel, float alpha, float beta);

  // This one and then `next`, of which `is_result(i)` says whether its input i is this one's
  // result: the kernel's inputs are this one's `inputs`, after them those of `next`. None: they
  // have another shape, or a chain cannot hold it.
  std::optional<ChainProgram> Then(const ChainProgram& next, std::size_t inputs,
                                   const std::function<bool(std::size_t)>& is_result) const;
  std::shared_ptr<const JoinableLaunch> Join(const JoinableLaunch& next, std::size_t inputs,
                                             const SourceOfInput& source) const override;

  // Why it cannot be run; empty: it can.
  const Status& status() const { return status_; }
  const Chain& chain() const { return chain_; }
  // Launches it; refuses what has a problem.
  opledger::Step Finish() const override;

 private:
  // Where an operand's numbers come from when it runs.
  struct Source {
    enum class From { kInput, kOwn, kWorkspace } from = From::kInput;
    std::size_t input = 0;
    std::shared_ptr<DeviceConstant> own;
  };

  std::uint8_t Add(Source source, ElementType type);
  std::uint8_t AddFrom(const ChainProgram& other, std::uint8_t operand, std::size_t inputs);
  bool Has(ChainCode code) const;
  void Place(ChainOperand& operand, const Dimensions& of);

  Dimensions whole_;  // the result's shape
  Dimensions shape_;  // without dimensions of 1
  Chain chain_ = {};
  std::vector<Source> sources_;
  Status status_;
};

// A call whose result is `program`'s, or why there is none.
Prepared PreparedChain(const TensorType& result, const ChainProgram& program);

}  // namespace opledger::cuda

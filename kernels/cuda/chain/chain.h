// The host side of GPU kernels: loading the module, layouts, and chains of element-wise steps. In:
// a call; out: a step that launches functions of the module. This header: writing chains.
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

// Returns the module's code for a type, or nullopt if the module does not support the type.
std::optional<ElementType> ElementTypeOf(Dtype dtype);

// The code of a unary kernel, with the defaults of its parameters. Returns nullopt if there is
// none.
struct UnaryCode {
  ChainCode code;
  float alpha;
  float beta;
};
std::optional<UnaryCode> FindUnaryCode(std::string_view kernel);

class ChainProgram : public JoinableLaunch {
 public:
  // The result has this type; kBool is 1 where the value is not 0.
  ChainProgram(Dtype dtype, const Dimensions& shape);

  // Adds input `input` of the kernel as an operand. The chain starts with the first operand.
  std::uint8_t AddInput(std::size_t input, const TensorType& type);
  // Adds constants: `period` of them, each applying to `inner` adjacent elements.
  std::uint8_t AddConstant(std::shared_ptr<DeviceConstant> numbers, std::int64_t inner,
                           std::int64_t period);
  // Adds the workspace: float32 elements in the shape of the result.
  std::uint8_t AddWorkspace();
  void Step(ChainCode code, std::uint8_t operand = 0, float alpha = 0, float beta = 0);
  // Adds the function of that name with these parameters. Returns false if there is none.
  bool Unary(std::string_view kernel, float alpha, float beta);

  // Joins this chain and `next`, whose input i is this chain's result if `is_result(i)`. The inputs
  // of the joined kernel are the `inputs` of this one, then those of `next`. Returns nullopt if the
  // shapes differ or the joined chain would be too long.
  std::optional<ChainProgram> Then(const ChainProgram& next, std::size_t inputs,
                                   const std::function<bool(std::size_t)>& is_result) const;
  std::shared_ptr<const JoinableLaunch> Join(const JoinableLaunch& next, std::size_t inputs,
                                             const SourceOfInput& source) const override;

  // Why the chain cannot be run; ok if it can.
  const Status& status() const { return status_; }
  const Chain& chain() const { return chain_; }
  // Returns a step that launches the chain. The status must be ok.
  opledger::Step Finish() const override;

 private:
  // Where an operand's data come from at run time.
  struct Source {
    enum class From { kInput, kOwn, kWorkspace } from = From::kInput;
    std::size_t input = 0;
    std::shared_ptr<DeviceConstant> own;
  };

  std::uint8_t Add(Source source, ElementType type);
  std::uint8_t AddFrom(const ChainProgram& other, std::uint8_t operand, std::size_t inputs);
  bool Has(ChainCode code) const;
  void Place(ChainOperand& operand, const Dimensions& of);

  Dimensions whole_;  // of the result
  Dimensions shape_;  // without dimensions of 1
  Chain chain_ = {};
  std::vector<Source> sources_;
  Status status_;
};

// Prepares a call whose result is that of `program`, or refuses with the program's status.
Prepared PreparedChain(const TensorType& result, const ChainProgram& program);

}  // namespace opledger::cuda

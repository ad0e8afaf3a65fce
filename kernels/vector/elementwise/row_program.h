// Element-wise operators as steps over rows of float32 that stay in the cache: each operand is read
// once, and only the last result is written. Successive programs are joined
// (kernels/plan/join_launches.cpp); a 16-bit result between two of them is rounded as storing it
// would, which gives the same bits.
//   RowProgram program({Dtype::kFloat16, shape});
//   program.Then(Pair::kAdd, program.AddInput(0, type_of_a), program.AddInput(1, type_of_b));
//   return program.Prepare();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/kernel.h"
#include "kernels/vector/elementwise/elementwise.h"
#include "kernels/vector/elementwise/row_operand.h"

namespace opledger {

class RowProgram : public JoinableLaunch {
 public:
  using Number = std::size_t;  // index of an input or of a result

  // The result is float32, float16 or bfloat16, or int8 or uint8 if the last step is Quantize.
  explicit RowProgram(TensorType result) : result_(std::move(result)) {}

  // Adds the kernel's input `input`: float32, float16, bfloat16, int8, uint8, or int32, which is
  // rounded to float32.
  Number AddInput(std::size_t input, const TensorType& type);
  // Adds constants, which broadcast to the result.
  Number AddConstant(std::vector<float> numbers, const Dimensions& shape);
  // Adds a step and returns its result. The program's result is that of the last step.
  Number Then(arithmetic::Pair pair, Number a, Number b);
  Number Then(arithmetic::Pair pair, Number a, float b);
  Number Then(VectorRow row, Number a, float alpha, float beta);
  // (a - mean) * factor + shift.
  Number ThenAffine(Number a, Number mean, Number factor, Number shift);
  Number Round(Dtype to, Number a);  // rounds float32 to a 16-bit type; kFloat32: copies
  // a / scale + zero, rounded and saturated to int8 or uint8.
  Number Quantize(Dtype to, Number a, float scale, float zero);
  // (a - zero) * scale.
  Number Dequantize(Number a, float scale, float zero);
  // Prepares a call that gives the program's result. Refuses if the program is too large.
  Prepared Prepare() const;

  std::shared_ptr<const JoinableLaunch> Join(const JoinableLaunch& next, std::size_t inputs,
                                             const SourceOfInput& source) const override;
  Step Finish() const override;
  bool MayOverwrite(std::size_t input) const override;

 private:
  struct Input {
    std::size_t input = 0;
    RowOperand operand;
    std::shared_ptr<const std::vector<float>> own = {};  // elements of a constant
    std::size_t tile = 0;
  };
  struct Instruction {
    VectorRow row = nullptr;                    // takes a
    std::optional<arithmetic::Pair> pair = {};  // takes a and b; without row and pair: copies a
    Dtype rounds_to = Dtype::kFloat32;          // type of the result; int8 or uint8: Quantize
    Number a = 0;
    Number b = kNoNumber;
    Number factor = kNoNumber;  // of an affine step, whose mean is b
    Number shift = kNoNumber;
    float alpha = 0;  // of a pair without b: its second operand; of Quantize: the scale
    float beta = 0;   // of Quantize: the zero point
    // Of Quantize: the result for each of the 256 bytes; nullptr: the byte itself.
    std::shared_ptr<const std::vector<float>> table = {};
    std::size_t tile = 0;
  };
  static constexpr Number kNoNumber = static_cast<Number>(-1);
  // Inputs are numbered from 0, results from here on.
  static constexpr Number kResults = 1000;

  Number Add(const Instruction& step);
  // Adds an input of the kernel, or returns the existing one if it is read in the same way.
  Number AddSame(const Input& input);
  static bool Repeats(const Input& input);
  static Row Load(const Input& input, const void* data, std::size_t at, std::size_t n,
                  float* buffer);
  bool RoundsLast(const Instruction& step) const;
  void GiveTiles();
  bool Fits() const;
  // Returns the only input if it has 8 or 16 bits, each result element depends on nothing else, and
  // a lookup table is faster than the steps.
  std::optional<Number> TableInput() const;
  static std::size_t WorkOf(const Instruction& step);
  static Step FinishByTable(const std::shared_ptr<const RowProgram>& program, Number input);
  std::size_t NextPart(std::size_t at, std::size_t end) const;
  void RunTile(const void* const* inputs, void* out, std::size_t at, std::size_t n) const;
  // Replaces steps that depend on one Quantize alone by a table of that step.
  void FoldTables();
  void FoldTable(std::size_t quantize);
  std::vector<bool> DependentSteps(std::size_t quantize) const;
  bool IsClosed(std::size_t quantize, std::size_t last, const std::vector<bool>& dependent) const;
  std::vector<float> ResultsOfBytes(std::size_t quantize, std::size_t last,
                                    const std::vector<bool>& dependent) const;
  // The operands of a step: a, b, factor and shift.
  using Operands = std::array<Row, 4>;
  static std::array<Number, 4> NumbersOf(const Instruction& step) {
    return {step.a, step.b, step.factor, step.shift};
  }
  static void Compute(const Instruction& step, Dtype rounds_to, const Operands& operands, float* to,
                      std::size_t n);

  TensorType result_;
  std::vector<Input> inputs_;
  std::vector<Instruction> steps_;
  std::size_t tiles_ = 0;  // tiles needed at once
};

}  // namespace opledger

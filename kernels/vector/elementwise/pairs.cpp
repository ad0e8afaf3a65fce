// Element-wise kernels with two inputs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/broadcast.h"
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Pair;

constexpr std::size_t kMostOwn = 2048;  // elements

// Short constants, such as biases, become constants of the program.
RowProgram::Number AddOperand(RowProgram& program, const Call& call, std::size_t input) {
  const TensorType& type = call.Input(input);
  const void* known = call.constants[input];
  const std::size_t count = Elements(type.dimensions);
  if (known == nullptr || count > kMostOwn) return program.AddInput(input, type);
  std::vector<float> elements(count);
  const float* loaded = LoadRow(type.dtype, known, 0, count, elements.data());
  if (loaded != elements.data()) std::copy_n(loaded, count, elements.data());
  return program.AddConstant(std::move(elements), type.dimensions);
}

template <Pair kPair>
Prepared PrepareVectorPair(const Call& call) {
  if (call.Input(0).dtype != call.Input(1).dtype) return Refuse("its inputs differ in type");
  const auto shape = Broadcast({call.Shape(0), call.Shape(1)});
  if (!shape) return Refuse("its inputs do not broadcast");
  RowProgram program({call.Input(0).dtype, *shape});
  const RowProgram::Number a = AddOperand(program, call, 0);
  program.Then(kPair, a, AddOperand(program, call, 1));
  return program.Prepare();
}

#define OPLEDGER_VECTOR_PAIR(NAME, BOUND) \
  OPLEDGER_KERNEL(NAME, "cpu")            \
      .Types("T", OPLEDGER_VECTOR_FLOATS) \
      .Accumulates(Dtype::kFloat32)       \
      .ErrorBound(BOUND)                  \
      .By("vector")                       \
      .Run(&PrepareVectorPair<Pair::k##NAME>);
OPLEDGER_VECTOR_PAIR(Add, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Sub, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Mul, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Div, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Max, "exact")
OPLEDGER_VECTOR_PAIR(Min, "exact")

}  // namespace
}  // namespace opledger

// LSTM: what the steps of a chunk take from their inputs is one product, what each takes from the
// state another; then rows of gates. The weights are known, and nothing is projected.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/contraction/product.h"
#include "kernels/vector/elementwise/elementwise.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

using arithmetic::Pair;

constexpr std::size_t kChunk = 64;  // steps
constexpr std::size_t kGates = 4;   // input, output, forget, cell
enum LstmInput : std::size_t { kX, kW, kR, kBias, kLengths, kH, kC, kPeephole, kProjection };

// The right factors of one direction, transposed: numbers x gates.
struct LstmWeights {
  ConstantTensor input;
  ConstantTensor state;
};

struct VectorLstm {
  Dtype dtype = Dtype::kFloat32;
  std::size_t steps = 0;
  std::size_t batches = 0;
  std::size_t in = 0;
  std::size_t hidden = 0;
  std::size_t directions = 1;
  bool backwards = false;
  bool batch_first = false;
  bool has[kProjection + 1] = {};
  ProductBlocks of_input;  // of a chunk's steps
  ProductBlocks of_state;
  std::shared_ptr<std::vector<LstmWeights>> weights;

  std::size_t Columns() const { return kGates * hidden; }
  std::size_t Chunk() const { return std::min(steps, kChunk); }
  // Numbers: a chunk's inputs and gates, the sums of a step, h, c, and a row.
  std::size_t OwnWorkspace() const {
    return Chunk() * batches * (in + Columns()) + batches * (Columns() + 2 * hidden) +
           2 * Columns();
  }
  std::size_t Place(std::size_t step, std::size_t batch) const {
    return batch_first ? batch * steps + step : step * batches + batch;
  }
  std::size_t State(std::size_t direction, std::size_t batch) const {
    return batch_first ? batch * directions + direction : direction * batches + batch;
  }
  std::size_t Step(std::size_t direction, std::size_t k) const {
    return direction == 1 || backwards ? steps - 1 - k : k;
  }

  void Pack(const void* w, const void* r);
  void Multiply(const ProductBlocks& blocks, std::size_t rows, const float* left,
                const ConstantTensor& right, float* out, float* workspace) const;
  void RunDirection(std::size_t direction, const void* const* inputs, void* const* outputs,
                    float* workspace) const;
  void Advance(float* gates, float* h, float* c, float* row) const;
};

void VectorLstm::Pack(const void* w, const void* r) {
  weights = std::make_shared<std::vector<LstmWeights>>();
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const auto pack = [&](const ProductBlocks& blocks, const void* from) {
      ConstantTensor panels({Dtype::kFloat32, {static_cast<std::int64_t>(blocks.PanelSize())}});
      PackAllPanels(
          blocks, 1, panels.As<float>(),
          [&](std::size_t, std::size_t k, std::size_t column, std::size_t n, float* buffer) {
            const std::size_t row = direction * Columns() + column;
            GatherRow(dtype, from, row * blocks.inner + k, blocks.inner, n, buffer);
            return buffer;
          });
      panels.Share();
      return panels;
    };
    weights->push_back({pack(of_input, w), pack(of_state, r)});
  }
}

// out = left * right, of at most blocks.rows rows.
void VectorLstm::Multiply(const ProductBlocks& blocks, std::size_t rows, const float* left,
                          const ConstantTensor& right, float* out, float* workspace) const {
  ProductBlocks some = blocks;
  some.rows = rows;
  RunProducts(
      some, workspace,
      [&](std::size_t, std::size_t row, std::size_t count, std::size_t k, std::size_t n,
          float* to) {
        for (std::size_t i = 0; i < count; ++i) {
          std::copy_n(left + (row + i) * blocks.inner + k, n, to + i * arithmetic::kProductRowStep);
        }
      },
      [&](std::size_t) { return right.As<float>(); },
      [&](std::size_t, std::size_t row, std::size_t column, std::size_t n, const float* sums) {
        std::copy_n(sums, n, out + row * Columns() + column);
      });
}

// One batch: c = forget * c + input * cell, h = output * tanh(c).
void VectorLstm::Advance(float* gates, float* h, float* c, float* row) const {
  static const VectorRow sigmoid = FindVectorRow("Sigmoid");
  static const VectorRow tanh = FindVectorRow("Tanh");
  sigmoid(gates, gates, 3 * hidden, 0, 0);
  float* cell = gates + 3 * hidden;
  tanh(cell, cell, hidden, 0, 0);
  arithmetic::Apply(Pair::kMul, gates + 2 * hidden, c, c, hidden);
  arithmetic::Apply(Pair::kMul, gates, cell, row, hidden);
  arithmetic::Apply(Pair::kAdd, c, row, c, hidden);
  tanh(c, row, hidden, 0, 0);
  arithmetic::Apply(Pair::kMul, gates + hidden, row, h, hidden);
}

void VectorLstm::RunDirection(std::size_t direction, const void* const* inputs,
                              void* const* outputs, float* workspace) const {
  const std::size_t columns = Columns();
  float* x = workspace;
  float* from_x = x + Chunk() * batches * in;
  float* sums = from_x + Chunk() * batches * columns;
  float* h = sums + batches * columns;
  float* c = h + batches * hidden;
  float* bias = c + batches * hidden;
  float* row = bias + columns;
  float* blocks = workspace + OwnWorkspace();
  const auto load = [&](std::size_t input, std::size_t at, std::size_t n, float* to) {
    if (!has[input]) return std::fill_n(to, n, 0.0F), void();
    const float* from = LoadRow(dtype, inputs[input], at, n, to);
    if (from != to) std::copy_n(from, n, to);
  };
  load(kBias, direction * 2 * columns, columns, bias);
  load(kBias, direction * 2 * columns + columns, columns, row);
  arithmetic::Apply(Pair::kAdd, bias, row, bias, columns);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    load(kH, State(direction, batch) * hidden, hidden, h + batch * hidden);
    load(kC, State(direction, batch) * hidden, hidden, c + batch * hidden);
  }
  const auto store = [&](const float* from, std::size_t output, std::size_t at) {
    if (outputs[output] == nullptr) return;
    std::copy_n(from, hidden, ResultRow(dtype, outputs[output], at, row));
    StoreRow(dtype, from, outputs[output], at, hidden);
  };
  for (std::size_t first = 0; first < steps; first += Chunk()) {
    const std::size_t some = std::min(Chunk(), steps - first);
    for (std::size_t i = 0; i < some * batches; ++i) {
      load(kX, Place(Step(direction, first + i / batches), i % batches) * in, in, x + i * in);
    }
    Multiply(of_input, some * batches, x, (*weights)[direction].input, from_x, blocks);
    for (std::size_t k = 0; k < some; ++k) {
      Multiply(of_state, batches, h, (*weights)[direction].state, sums, blocks);
      const std::size_t step = Step(direction, first + k);
      for (std::size_t batch = 0; batch < batches; ++batch) {
        float* gates = sums + batch * columns;
        arithmetic::Apply(Pair::kAdd, gates, from_x + (k * batches + batch) * columns, gates,
                          columns);
        arithmetic::Apply(Pair::kAdd, gates, bias, gates, columns);
        Advance(gates, h + batch * hidden, c + batch * hidden, row);
        const std::size_t place = batch_first ? Place(step, batch) * directions + direction
                                              : (step * directions + direction) * batches + batch;
        store(h + batch * hidden, 0, place * hidden);
      }
    }
  }
  for (std::size_t batch = 0; batch < batches; ++batch) {
    store(h + batch * hidden, 1, State(direction, batch) * hidden);
    store(c + batch * hidden, 2, State(direction, batch) * hidden);
  }
}

Prepared PrepareVectorLstm(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Lstm", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (call.constants[kW] == nullptr || call.constants[kR] == nullptr) {
    return Refuse("its weights are computed as the model runs");
  }
  VectorLstm lstm;
  for (std::size_t i = 0; i <= kProjection; ++i) lstm.has[i] = call.Has(i);
  lstm.dtype = call.Input(kX).dtype;
  lstm.batch_first = call.parameters.Integer("batch_first", 0) != 0;
  lstm.backwards = call.parameters.Integer("backwards", 0) != 0;
  const Dimensions& x = call.Shape(kX);
  lstm.steps = static_cast<std::size_t>(x[lstm.batch_first ? 1 : 0]);
  lstm.batches = static_cast<std::size_t>(x[lstm.batch_first ? 0 : 1]);
  lstm.in = static_cast<std::size_t>(x[2]);
  lstm.hidden = static_cast<std::size_t>(call.Shape(kR)[2]);
  lstm.directions = static_cast<std::size_t>(call.Shape(kW)[0]);
  if (lstm.steps * lstm.batches * lstm.in * lstm.hidden == 0) {
    return Refuse("there is nothing in it");
  }
  lstm.of_input = BlocksOf(1, lstm.Chunk() * lstm.batches, lstm.in, lstm.Columns());
  lstm.of_state = BlocksOf(1, lstm.batches, lstm.hidden, lstm.Columns());
  lstm.Pack(call.constants[kW], call.constants[kR]);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  const std::size_t blocks = std::max(lstm.of_input.Workspace(), lstm.of_state.Workspace());
  prepared.workspace = (lstm.OwnWorkspace() + Threads() * blocks) * sizeof(float);
  prepared.unread_inputs = {kW, kR};
  prepared.run = [lstm](const void* const* inputs, void* const* outputs, void* workspace) {
    for (std::size_t direction = 0; direction < lstm.directions; ++direction) {
      lstm.RunDirection(direction, inputs, outputs, static_cast<float*>(workspace));
    }
  };
  return prepared;
}

bool HasLengths(const Call& call) { return call.Has(kLengths); }
bool HasPeepholes(const Call& call) { return call.Has(kPeephole); }
bool IsProjected(const Call& call) { return call.Has(kProjection); }

OPLEDGER_KERNEL(Lstm, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp + n * 2^-24 for each step")
    .Refuses("its sequences have lengths of their own", &HasLengths)
    .Refuses("it has peepholes", &HasPeepholes)
    .Refuses("its state is projected", &IsProjected)
    .Priority(10)
    .Run(&PrepareVectorLstm);

}  // namespace
}  // namespace opledger

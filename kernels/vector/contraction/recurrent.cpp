// RNN, GRU and LSTM with constant weights and without projection. One product computes the input's
// share of the gates for a chunk of steps, another the state's share in each step; gates are then
// computed in rows.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/formulas/dynamic_scale.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/contraction/product.h"
#include "kernels/vector/elementwise/elementwise.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;

constexpr float kOne = 1;

constexpr std::size_t kChunk = 64;  // steps at a time
enum RecurrentInput : std::size_t { kX, kW, kR, kBias, kLengths, kH, kC, kPeephole, kProjection };

// Gates, in the order of the weights. LSTM: input, output, forget, cell; GRU: update, reset, new.
enum class Cell : std::size_t { kRnn = 1, kGru = 3, kLstm = 4 };

// The right factors of one direction, transposed: inputs or states x gates.
struct RecurrentWeights {
  ConstantTensor input;
  ConstantTensor state;
  ConstantTensor reset;  // GRU: for the new gate, multiplied by the reset state
};

struct VectorRecurrent {
  Cell cell = Cell::kRnn;
  Dtype dtype = Dtype::kFloat32;
  std::size_t steps = 0;
  std::size_t batches = 0;
  std::size_t in = 0;
  std::size_t hidden = 0;
  std::size_t directions = 1;
  bool backwards = false;
  bool batch_first = false;
  bool quantises = false;          // LSTM: the states are quantized to 8 bits for products
  bool resets_first = false;       // GRU: applies the reset gate before the product with the state
  VectorRow activation = nullptr;  // RNN
  bool has[kProjection + 1] = {};
  ProductBlocks of_input;  // for the steps of a chunk
  ProductBlocks of_state;
  ProductBlocks of_reset;
  std::shared_ptr<std::vector<RecurrentWeights>> weights;

  std::size_t Columns() const { return static_cast<std::size_t>(cell) * hidden; }
  std::size_t StateColumns() const { return resets_first ? 2 * hidden : Columns(); }
  std::size_t Chunk() const { return std::min(steps, kChunk); }
  // Floats for the inputs and gates of a chunk; for the sums, h, c and reset state of a step; and
  // for rows.
  std::size_t OwnWorkspace() const {
    return Chunk() * batches * (in + Columns()) + batches * (Columns() + 4 * hidden) +
           3 * Columns();
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

  // Columns in which the biases of input and state are added up: all but those of a GRU's new gate.
  std::size_t Together() const { return cell == Cell::kGru ? 2 * hidden : Columns(); }

  // The parts of a workspace.
  struct Memory {
    float* x = nullptr;       // inputs of a chunk
    float* from_x = nullptr;  // their shares of the gates
    float* sums = nullptr;    // the state's shares of the gates in one step
    float* h = nullptr;
    float* c = nullptr;
    float* reset = nullptr;
    float* from_reset = nullptr;
    float* bias = nullptr;
    float* state_bias = nullptr;
    float* row = nullptr;
    float* blocks = nullptr;
  };
  Memory MemoryOf(float* workspace) const;

  void Pack(const void* w, const void* r);
  void RunStep(const RecurrentWeights& right, float* gates, const Memory& of) const;
  void Multiply(const ProductBlocks& blocks, std::size_t rows, const float* left,
                const ConstantTensor& right, float* out, float* workspace) const;
  void RunDirection(std::size_t direction, const void* const* inputs, void* const* outputs,
                    float* workspace) const;
  void Advance(float* from_x, float* sums, const float* bias, float* h, float* c, float* row) const;
  void AdvanceLstm(float* gates, float* h, float* c, float* row) const;
  void AdvanceGru(float* gates, float* from_state, const float* bias, float* h, float* row) const;
  void ResetFirst(float* from_x, const float* sums, const float* h, float* reset) const;
};

void VectorRecurrent::Pack(const void* w, const void* r) {
  weights = std::make_shared<std::vector<RecurrentWeights>>();
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const auto pack = [&](const ProductBlocks& blocks, const void* from, std::size_t first) {
      ConstantTensor panels({Dtype::kFloat32, {static_cast<std::int64_t>(blocks.PanelSize())}});
      PackAllPanels(
          blocks, 1, panels.As<float>(),
          [&](std::size_t, std::size_t k, std::size_t column, std::size_t n, float* buffer) {
            const std::size_t row = direction * Columns() + first + column;
            GatherRow(dtype, from, row * blocks.inner + k, blocks.inner, n, buffer);
            return buffer;
          });
      panels.Share();
      return panels;
    };
    RecurrentWeights& packed = weights->emplace_back();
    packed.input = pack(of_input, w, 0);
    packed.state = pack(of_state, r, 0);
    if (resets_first) packed.reset = pack(of_reset, r, StateColumns());
  }
}

// out = left * right, for at most blocks.rows rows.
void VectorRecurrent::Multiply(const ProductBlocks& blocks, std::size_t rows, const float* left,
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
        std::copy_n(sums, n, out + row * blocks.columns + column);
      });
}

// c = forget * c + input * cell, h = output * tanh(c).
void VectorRecurrent::AdvanceLstm(float* gates, float* h, float* c, float* row) const {
  static const VectorRow sigmoid = FindVectorRow("Sigmoid");
  static const VectorRow tanh = FindVectorRow("Tanh");
  sigmoid(gates, gates, 3 * hidden, 0, 0);
  float* cell_gate = gates + 3 * hidden;
  tanh(cell_gate, cell_gate, hidden, 0, 0);
  Apply(Pair::kMul, gates + 2 * hidden, c, c, hidden);
  Apply(Pair::kMul, gates, cell_gate, row, hidden);
  Apply(Pair::kAdd, c, row, c, hidden);
  tanh(c, row, hidden, 0, 0);
  Apply(Pair::kMul, gates + hidden, row, h, hidden);
}

// h = (1 - update) * new + update * h. `gates`: update and reset, already computed, and the input's
// share of new; `from_state`: the state's share, to which `bias` is added.
void VectorRecurrent::AdvanceGru(float* gates, float* from_state, const float* bias, float* h,
                                 float* row) const {
  static const VectorRow tanh = FindVectorRow("Tanh");
  float* fresh = gates + 2 * hidden;
  Apply(Pair::kAdd, from_state, bias, from_state, hidden);
  if (!resets_first) Apply(Pair::kMul, gates + hidden, from_state, from_state, hidden);
  Apply(Pair::kAdd, fresh, from_state, fresh, hidden);
  tanh(fresh, fresh, hidden, 0, 0);
  arithmetic::Rows().pairs[static_cast<std::size_t>(Pair::kSub)][2](&kOne, gates, row, hidden);
  Apply(Pair::kMul, row, fresh, row, hidden);
  Apply(Pair::kMul, gates, h, h, hidden);
  Apply(Pair::kAdd, row, h, h, hidden);
}

// Advances one batch. `from_x`: the input's share of its gates, with the biases; `sums`: the
// state's share; `bias`: of a GRU's new gate.
void VectorRecurrent::Advance(float* from_x, float* sums, const float* bias, float* h, float* c,
                              float* row) const {
  static const VectorRow sigmoid = FindVectorRow("Sigmoid");
  if (cell != Cell::kGru) {
    Apply(Pair::kAdd, from_x, sums, from_x, Columns());
    if (cell == Cell::kLstm) return AdvanceLstm(from_x, h, c, row);
    return activation(from_x, h, hidden, 0, 0);
  }
  if (!resets_first) {
    Apply(Pair::kAdd, from_x, sums, from_x, 2 * hidden);
    sigmoid(from_x, from_x, 2 * hidden, 0, 0);
  }
  AdvanceGru(from_x, resets_first ? sums : sums + 2 * hidden, bias, h, row);
}

// Computes update and reset of a GRU, and the state multiplied by reset.
void VectorRecurrent::ResetFirst(float* from_x, const float* sums, const float* h,
                                 float* reset) const {
  static const VectorRow sigmoid = FindVectorRow("Sigmoid");
  Apply(Pair::kAdd, from_x, sums, from_x, 2 * hidden);
  sigmoid(from_x, from_x, 2 * hidden, 0, 0);
  Apply(Pair::kMul, from_x + hidden, h, reset, hidden);
}

VectorRecurrent::Memory VectorRecurrent::MemoryOf(float* workspace) const {
  Memory of;
  of.x = workspace;
  of.from_x = of.x + Chunk() * batches * in;
  of.sums = of.from_x + Chunk() * batches * Columns();
  of.h = of.sums + batches * Columns();
  of.c = of.h + batches * hidden;
  of.reset = of.c + batches * hidden;
  of.from_reset = of.reset + batches * hidden;
  of.bias = of.from_reset + batches * hidden;
  of.state_bias = of.bias + Columns();
  of.row = of.state_bias + Columns();
  of.blocks = workspace + OwnWorkspace();
  return of;
}

// Advances all batches by one step. `gates`: the input's share of their gates, with the biases.
void VectorRecurrent::RunStep(const RecurrentWeights& right, float* gates, const Memory& of) const {
  const std::size_t columns = Columns();
  std::size_t width = StateColumns();
  float* last = of.sums;
  if (quantises) RoundToDynamicScale(of.h, batches * hidden);
  Multiply(of_state, batches, of.h, right.state, of.sums, of.blocks);
  if (resets_first) {
    for (std::size_t batch = 0; batch < batches; ++batch) {
      ResetFirst(gates + batch * columns, of.sums + batch * width, of.h + batch * hidden,
                 of.reset + batch * hidden);
    }
    Multiply(of_reset, batches, of.reset, right.reset, of.from_reset, of.blocks);
    last = of.from_reset;
    width = hidden;
  }
  for (std::size_t batch = 0; batch < batches; ++batch) {
    Advance(gates + batch * columns, last + batch * width, of.state_bias + Together(),
            of.h + batch * hidden, of.c + batch * hidden, of.row);
  }
}

void VectorRecurrent::RunDirection(std::size_t direction, const void* const* inputs,
                                   void* const* outputs, float* workspace) const {
  const RecurrentWeights& right = (*weights)[direction];
  const std::size_t columns = Columns();
  const Memory of = MemoryOf(workspace);
  const auto load = [&](std::size_t input, std::size_t at, std::size_t n, float* to) {
    if (!has[input]) return std::fill_n(to, n, 0.0F), void();
    const float* from = LoadRow(dtype, inputs[input], at, n, to);
    if (from != to) std::copy_n(from, n, to);
  };
  load(kBias, direction * 2 * columns, columns, of.bias);
  load(kBias, direction * 2 * columns + columns, columns, of.state_bias);
  Apply(Pair::kAdd, of.bias, of.state_bias, of.bias, Together());
  for (std::size_t batch = 0; batch < batches; ++batch) {
    load(kH, State(direction, batch) * hidden, hidden, of.h + batch * hidden);
    load(kC, State(direction, batch) * hidden, hidden, of.c + batch * hidden);
  }
  const auto store = [&](const float* from, std::size_t output, std::size_t at) {
    if (outputs[output] == nullptr) return;
    std::copy_n(from, hidden, ResultRow(dtype, outputs[output], at, of.row));
    StoreRow(dtype, from, outputs[output], at, hidden);
  };
  for (std::size_t first = 0; first < steps; first += Chunk()) {
    const std::size_t some = std::min(Chunk(), steps - first);
    for (std::size_t i = 0; i < some * batches; ++i) {
      load(kX, Place(Step(direction, first + i / batches), i % batches) * in, in, of.x + i * in);
    }
    Multiply(of_input, some * batches, of.x, right.input, of.from_x, of.blocks);
    for (std::size_t i = 0; i < some * batches; ++i) {
      Apply(Pair::kAdd, of.from_x + i * columns, of.bias, of.from_x + i * columns, columns);
    }
    for (std::size_t k = 0; k < some; ++k) {
      const std::size_t step = Step(direction, first + k);
      RunStep(right, of.from_x + k * batches * columns, of);
      for (std::size_t batch = 0; batch < batches; ++batch) {
        const std::size_t place = batch_first ? Place(step, batch) * directions + direction
                                              : (step * directions + direction) * batches + batch;
        store(of.h + batch * hidden, 0, place * hidden);
      }
    }
  }
  for (std::size_t batch = 0; batch < batches; ++batch) {
    store(of.h + batch * hidden, 1, State(direction, batch) * hidden);
    store(of.c + batch * hidden, 2, State(direction, batch) * hidden);
  }
}

// The reference has checked the shapes.
VectorRecurrent ReadRecurrent(const Call& call, Cell cell) {
  VectorRecurrent recurrent;
  recurrent.cell = cell;
  for (std::size_t i = 0; i <= kProjection; ++i) recurrent.has[i] = call.Has(i);
  recurrent.dtype = call.Input(kX).dtype;
  recurrent.batch_first = call.parameters.Integer("batch_first", 0) != 0;
  recurrent.backwards = call.parameters.Integer("backwards", 0) != 0;
  recurrent.quantises = call.parameters.Integer("quantises", 0) != 0;
  recurrent.resets_first = cell == Cell::kGru && call.parameters.Integer("reset_after", 0) == 0;
  const bool relu = cell == Cell::kRnn && call.parameters.Word("function", "tanh") == "relu";
  recurrent.activation = FindVectorRow(relu ? "Relu" : "Tanh");
  const Dimensions& x = call.Shape(kX);
  recurrent.steps = static_cast<std::size_t>(x[recurrent.batch_first ? 1 : 0]);
  recurrent.batches = static_cast<std::size_t>(x[recurrent.batch_first ? 0 : 1]);
  recurrent.in = static_cast<std::size_t>(x[2]);
  recurrent.hidden = static_cast<std::size_t>(call.Shape(kR)[2]);
  recurrent.directions = static_cast<std::size_t>(call.Shape(kW)[0]);
  return recurrent;
}

template <Cell kCell>
Prepared PrepareVectorRecurrent(const Call& call, const char* name) {
  const ChosenKernel reference = ChooseKernel(name, call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (call.constants[kW] == nullptr || call.constants[kR] == nullptr) {
    return Refuse("its weights are computed at run time");
  }
  VectorRecurrent made = ReadRecurrent(call, kCell);
  if (made.steps * made.batches * made.in * made.hidden == 0) {
    return Refuse("it has an empty tensor");
  }
  made.of_input = BlocksOf(1, made.Chunk() * made.batches, made.in, made.Columns());
  made.of_state = BlocksOf(1, made.batches, made.hidden, made.StateColumns());
  made.of_reset = BlocksOf(1, made.batches, made.hidden, made.hidden);
  made.Pack(call.constants[kW], call.constants[kR]);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  const std::size_t blocks =
      std::max({made.of_input.Workspace(), made.of_state.Workspace(), made.of_reset.Workspace()});
  prepared.workspace = (made.OwnWorkspace() + Threads() * blocks) * sizeof(float);
  prepared.unread_inputs = {kW, kR};
  prepared.run = [made](const void* const* inputs, void* const* outputs, void* workspace) {
    for (std::size_t direction = 0; direction < made.directions; ++direction) {
      made.RunDirection(direction, inputs, outputs, static_cast<float*>(workspace));
    }
  };
  return prepared;
}

bool HasLengths(const Call& call) { return call.Has(kLengths); }
bool HasPeepholes(const Call& call) { return call.Has(kPeephole); }
bool IsProjected(const Call& call) { return call.Has(kProjection); }
// Returns whether gates use other functions, are clipped, or are coupled.
bool HasOtherGates(const Call& call) {
  const Parameters& parameters = call.parameters;
  const std::string function = parameters.Word("function", "tanh");
  return parameters.Has("clip") || parameters.Has("cell_min") || parameters.Has("couples") ||
         parameters.Has("function0") || parameters.Has("function1") ||
         parameters.Has("function2") || (function != "tanh" && function != "relu");
}

#define OPLEDGER_VECTOR_RECURRENT(NAME)                                                        \
  OPLEDGER_KERNEL(NAME, "cpu")                                                                 \
      .Types("T", OPLEDGER_VECTOR_FLOATS)                                                      \
      .Accumulates(Dtype::kFloat32)                                                            \
      .ErrorBound("4 ulp + n * 2^-24 for each step")                                           \
      .Refuses("its sequences have individual lengths", &HasLengths)                           \
      .Refuses("it has peepholes", &HasPeepholes)                                              \
      .Refuses("its state is projected", &IsProjected)                                         \
      .Refuses("its gates have other activations, are clipped or are coupled", &HasOtherGates) \
      .By("vector")                                                                            \
      .Run([](const Call& call) { return PrepareVectorRecurrent<Cell::k##NAME>(call, #NAME); })
OPLEDGER_VECTOR_RECURRENT(Rnn);
OPLEDGER_VECTOR_RECURRENT(Gru);
OPLEDGER_VECTOR_RECURRENT(Lstm);

}  // namespace
}  // namespace opledger

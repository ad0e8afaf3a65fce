// RNN, GRU and LSTM: each step of a sequence updates a state, forwards, backwards or in both
// directions. https://onnx.ai/onnx/operators/onnx__LSTM.html and its siblings have the formulas.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/cpu/formulas/dynamic_scale.h"
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

enum class Cell { kRnn, kGru, kLstm };

// Activations of gates. https://onnx.ai/onnx/operators/onnx__RNN.html has the formulas.
enum class GateFunction {
  kSigmoid,
  kTanh,
  kRelu,
  kSoftsign,
  kSoftplus,
  kElu,
  kLeakyRelu,
  kThresholdedRelu,
  kHardSigmoid,
  kAffine,
  kScaledTanh,
};
struct Gate {
  const char* name = "";
  GateFunction function = GateFunction::kTanh;
  double alpha = 0;
  double beta = 0;
};
constexpr Gate kGates[] = {{"sigmoid", GateFunction::kSigmoid},
                           {"tanh", GateFunction::kTanh},
                           {"relu", GateFunction::kRelu},
                           {"softsign", GateFunction::kSoftsign},
                           {"softplus", GateFunction::kSoftplus},
                           {"elu", GateFunction::kElu, 1},
                           {"leakyrelu", GateFunction::kLeakyRelu, 0.01},
                           {"thresholdedrelu", GateFunction::kThresholdedRelu, 1},
                           {"hardsigmoid", GateFunction::kHardSigmoid, 0.2, 0.5},
                           {"affine", GateFunction::kAffine, 1},
                           {"scaledtanh", GateFunction::kScaledTanh, 1, 1}};

struct RecurrentShape {
  Cell cell = Cell::kRnn;
  std::size_t steps = 0;
  std::size_t batches = 0;
  std::size_t in = 0;
  std::size_t hidden = 0;
  std::size_t out = 0;  // elements of the state: hidden, or those of its projection
  std::size_t directions = 1;
  std::size_t gates = 1;
  bool backwards = false;  // applies to the first direction
  bool batch_first = false;
  bool reset_after = false;  // GRU: the reset gate is applied after the product with the state
  bool couples = false;      // LSTM: the forget gate is one minus the input gate
  bool quantises = false;    // LSTM: rounds states to 8 bits for products, one scale per step
  double clip = std::numeric_limits<double>::infinity();  // bound on inputs of activations
  // LSTM: the cell is clamped after each step; NaN stays NaN, or becomes the maximum.
  bool clips_cell = false;
  bool cell_nan_stays = true;
  double cell_min = 0;
  double cell_max = 0;
  Gate gate[3];       // of gates, of the new state, and (LSTM) of the cell's output
  bool has[9] = {};   // by input
  Dimensions state;   // of h
  Dimensions memory;  // of c
};

// One direction of one batch: its weights, and its current state.
template <typename T>
struct Lane {
  const T* w;
  const T* r;
  const T* bias;        // of w, then of r; may be nullptr
  const T* peephole;    // input, output, forget; may be nullptr
  const T* projection;  // may be nullptr
  Computed<T>* h;
  Computed<T>* c;
  Computed<T>* next;   // the next h
  Computed<T>* reset;  // GRU: the state after the reset gate
};

// Computes the bias plus row `row` of the weights times the step's input. FromState below does so
// for the recurrent weights and the state.
template <typename T>
Computed<T> FromInput(const RecurrentShape& shape, const Lane<T>& lane, const T* x,
                      std::size_t row) {
  Computed<T> sum = lane.bias == nullptr ? Computed<T>(0) : Load(lane.bias[row]);
  for (std::size_t i = 0; i < shape.in; ++i) sum += Load(lane.w[row * shape.in + i]) * Load(x[i]);
  return sum;
}
template <typename T>
Computed<T> FromState(const RecurrentShape& shape, const Lane<T>& lane, const Computed<T>* h,
                      std::size_t row) {
  const std::size_t after = shape.gates * shape.hidden;
  Computed<T> sum = lane.bias == nullptr ? Computed<T>(0) : Load(lane.bias[after + row]);
  for (std::size_t i = 0; i < shape.out; ++i) sum += Load(lane.r[row * shape.out + i]) * h[i];
  return sum;
}

template <typename V>
V FunctionOf(const Gate& gate, V x) {
  const V a = static_cast<V>(gate.alpha);
  const V b = static_cast<V>(gate.beta);
  switch (gate.function) {
    case GateFunction::kSigmoid:
      return function::Sigmoid(x);
    case GateFunction::kTanh:
      return function::Tanh(x);
    case GateFunction::kRelu:
      return std::max(x, V(0));
    case GateFunction::kSoftsign:
      return x / (V(1) + std::fabs(x));
    case GateFunction::kSoftplus:
      return function::Softplus(x);
    case GateFunction::kElu:
      return x < V(0) ? a * function::Expm1(x) : x;
    case GateFunction::kLeakyRelu:
      return x < V(0) ? a * x : x;
    case GateFunction::kThresholdedRelu:
      return x > a ? x : V(0);
    case GateFunction::kHardSigmoid:
      return std::clamp(a * x + b, V(0), V(1));
    case GateFunction::kAffine:
      return a * x + b;
    case GateFunction::kScaledTanh:
      return a * function::Tanh(b * x);
  }
  return x;
}

template <typename V>
V GateValue(const RecurrentShape& shape, std::size_t which, V sum) {
  const V most = static_cast<V>(shape.clip);
  return FunctionOf(shape.gate[which], std::isinf(most) ? sum : std::clamp(sum, -most, most));
}

// Gates: update, reset, new.
template <typename T>
void StepGru(const RecurrentShape& shape, const Lane<T>& lane, const T* x) {
  using V = Computed<T>;
  const std::size_t size = shape.hidden;
  for (std::size_t i = 0; i < size; ++i) {
    const V gate = GateValue(
        shape, 0, FromInput(shape, lane, x, size + i) + FromState(shape, lane, lane.h, size + i));
    lane.reset[i] = shape.reset_after ? gate : gate * lane.h[i];
  }
  for (std::size_t i = 0; i < size; ++i) {
    const V update =
        GateValue(shape, 0, FromInput(shape, lane, x, i) + FromState(shape, lane, lane.h, i));
    const V from_state = shape.reset_after
                             ? lane.reset[i] * FromState(shape, lane, lane.h, 2 * size + i)
                             : FromState(shape, lane, lane.reset, 2 * size + i);
    const V fresh = GateValue(shape, 1, FromInput(shape, lane, x, 2 * size + i) + from_state);
    lane.next[i] = (V(1) - update) * fresh + update * lane.h[i];
  }
}

template <typename V>
V WithinCell(const RecurrentShape& shape, V cell) {
  if (!shape.clips_cell || (std::isnan(cell) && shape.cell_nan_stays)) return cell;
  const V most = static_cast<V>(shape.cell_max);
  return cell <= most ? std::max(cell, static_cast<V>(shape.cell_min)) : most;
}

// Gates: input, output, forget, cell.
template <typename T>
void StepLstm(const RecurrentShape& shape, const Lane<T>& lane, const T* x) {
  using V = Computed<T>;
  const std::size_t size = shape.hidden;
  const auto gate = [&](std::size_t which, std::size_t i) {
    const std::size_t row = which * size + i;
    return FromInput(shape, lane, x, row) + FromState(shape, lane, lane.h, row);
  };
  const auto peep = [&](std::size_t which, std::size_t i) {
    return lane.peephole == nullptr ? V(0) : Load(lane.peephole[which * size + i]) * lane.c[i];
  };
  for (std::size_t i = 0; i < size; ++i) {
    const V in = GateValue(shape, 0, gate(0, i) + peep(0, i));
    const V forget = shape.couples ? V(1) - in : GateValue(shape, 0, gate(2, i) + peep(2, i));
    const V fresh = GateValue(shape, 1, gate(3, i));
    lane.c[i] = WithinCell(shape, forget * lane.c[i] + in * fresh);
    const V out = GateValue(shape, 0, gate(1, i) + peep(1, i));
    lane.next[i] = out * FunctionOf(shape.gate[2], lane.c[i]);
  }
}

template <typename T>
void StepCell(const RecurrentShape& shape, const Lane<T>& lane, const T* x) {
  if (shape.cell == Cell::kGru) {
    StepGru(shape, lane, x);
  } else if (shape.cell == Cell::kLstm) {
    StepLstm(shape, lane, x);
  } else {
    for (std::size_t i = 0; i < shape.hidden; ++i) {
      const Computed<T> sum = FromInput(shape, lane, x, i) + FromState(shape, lane, lane.h, i);
      lane.next[i] = GateValue(shape, 0, sum);
    }
  }
  if (lane.projection == nullptr) {
    std::copy_n(lane.next, shape.hidden, lane.h);
    return;
  }
  for (std::size_t i = 0; i < shape.out; ++i) {
    Computed<T> sum = 0;
    for (std::size_t k = 0; k < shape.hidden; ++k) {
      sum += Load(lane.projection[i * shape.hidden + k]) * lane.next[k];
    }
    lane.h[i] = sum;
  }
}

// Inputs: x, w, r, bias, lengths (int32), h, c, peephole, projection. Outputs: y, h, c.
template <typename T>
struct Recurrence {
  const RecurrentShape& shape;
  const void* const* inputs;
  void* const* outputs;
  Computed<T>* workspace;  // the states of all batches, then scratch memory of each
  std::size_t direction;

  const T* Part(std::size_t i, std::size_t offset) const {
    return shape.has[i] ? static_cast<const T*>(inputs[i]) + offset : nullptr;
  }
  std::size_t State(std::size_t batch) const {
    return shape.batch_first ? batch * shape.directions + direction
                             : direction * shape.batches + batch;
  }

  Lane<T> LaneOf(std::size_t batch) const {
    const std::size_t max = std::max(shape.hidden, shape.out);
    const std::size_t rows = shape.gates * shape.hidden;
    Computed<T>* own = workspace + shape.batches * shape.out + batch * 3 * max;
    return {Part(1, direction * rows * shape.in),
            Part(2, direction * rows * shape.out),
            Part(3, direction * 2 * rows),
            Part(7, direction * 3 * shape.hidden),
            Part(8, direction * shape.out * shape.hidden),
            workspace + batch * shape.out,
            own,
            own + max,
            own + 2 * max};
  }

  void Begin(std::size_t batch) const {
    const Lane<T> lane = LaneOf(batch);
    for (std::size_t i = 0; i < shape.out; ++i) {
      lane.h[i] = shape.has[5] ? Load(Part(5, State(batch) * shape.out)[i]) : Computed<T>(0);
    }
    for (std::size_t i = 0; i < shape.hidden; ++i) {
      lane.c[i] = shape.has[6] ? Load(Part(6, State(batch) * shape.hidden)[i]) : Computed<T>(0);
    }
  }

  void Step(std::size_t k, std::size_t batch) const {
    const Lane<T> lane = LaneOf(batch);
    std::size_t length = shape.steps;
    if (shape.has[4]) {
      const std::int64_t given = static_cast<const std::int32_t*>(inputs[4])[batch];
      length = static_cast<std::size_t>(
          std::clamp<std::int64_t>(given, 0, static_cast<std::int64_t>(shape.steps)));
    }
    const bool backwards = direction == 1 || shape.backwards;
    const std::size_t step = backwards && k < length ? length - 1 - k : k;
    const std::size_t place =
        shape.batch_first ? batch * shape.steps + step : step * shape.batches + batch;
    const std::size_t row = shape.batch_first
                                ? place * shape.directions + direction
                                : (step * shape.directions + direction) * shape.batches + batch;
    if (k < length) StepCell(shape, lane, Part(0, place * shape.in));
    for (std::size_t i = 0; i < shape.out && outputs[0] != nullptr; ++i) {
      Store(static_cast<T*>(outputs[0])[row * shape.out + i],
            k < length ? lane.h[i] : Computed<T>(0));
    }
  }

  void End(std::size_t batch) const {
    const Lane<T> lane = LaneOf(batch);
    for (std::size_t i = 0; i < shape.out && outputs[1] != nullptr; ++i) {
      Store(static_cast<T*>(outputs[1])[State(batch) * shape.out + i], lane.h[i]);
    }
    for (std::size_t i = 0; i < shape.hidden && outputs[2] != nullptr; ++i) {
      Store(static_cast<T*>(outputs[2])[State(batch) * shape.hidden + i], lane.c[i]);
    }
  }

  void Run() const {
    for (std::size_t batch = 0; batch < shape.batches; ++batch) Begin(batch);
    for (std::size_t k = 0; k < shape.steps; ++k) {
      if (shape.quantises) RoundToDynamicScale(workspace, shape.batches * shape.out);
      for (std::size_t batch = 0; batch < shape.batches; ++batch) Step(k, batch);
    }
    for (std::size_t batch = 0; batch < shape.batches; ++batch) End(batch);
  }
};

std::string ReadRecurrent(const Call& call, RecurrentShape& shape) {
  const Dimensions& x = call.Shape(0);
  const Dimensions w = call.Has(1) ? call.Shape(1) : Dimensions{};
  const Dimensions r = call.Has(2) ? call.Shape(2) : Dimensions{};
  const auto directions = call.parameters.Integer("directions", 1);
  const auto gates = static_cast<std::int64_t>(shape.gates);
  if (x.size() != 3 || w.size() != 3 || r.size() != 3 || w[0] != directions || directions < 1 ||
      directions > 2 || w[2] != x[2] || w[1] % gates != 0 || r[1] != w[1] || r[0] != w[0]) {
    return "its weights do not match its input";
  }
  shape.batch_first = call.parameters.Integer("batch_first", 0) != 0;
  const std::int64_t batches = x[shape.batch_first ? 0 : 1];
  const std::int64_t hidden = w[1] / gates;
  const std::int64_t out = r[2];
  if (call.Has(8) ? shape.cell != Cell::kLstm : out != hidden)
    return "its weights do not match its input";
  shape.state = {directions, batches, out};
  if (shape.batch_first) std::swap(shape.state[0], shape.state[1]);
  shape.memory = shape.state;
  shape.memory[2] = hidden;
  const Dimensions expected[9] = {x,
                                  w,
                                  r,
                                  {directions, 2 * gates * hidden},
                                  {batches},
                                  shape.state,
                                  shape.memory,
                                  {directions, 3 * hidden},
                                  {directions, out, hidden}};
  for (std::size_t i = 0; i < 9; ++i) {
    shape.has[i] = call.Has(i);
    const Dtype dtype = i == 4 ? Dtype::kInt32 : call.Input(0).dtype;
    if (call.Has(i) && (call.Shape(i) != expected[i] || call.Input(i).dtype != dtype)) {
      return "its input " + std::to_string(i) + " does not fit its weights";
    }
  }
  shape.steps = static_cast<std::size_t>(x[shape.batch_first ? 1 : 0]);
  shape.batches = static_cast<std::size_t>(batches);
  shape.in = static_cast<std::size_t>(x[2]);
  shape.hidden = static_cast<std::size_t>(hidden);
  shape.out = static_cast<std::size_t>(out);
  shape.directions = static_cast<std::size_t>(directions);
  shape.backwards = call.parameters.Integer("backwards", 0) != 0;
  shape.reset_after = shape.cell == Cell::kGru && call.parameters.Integer("reset_after", 0) != 0;
  return {};
}

// Reads the parameters of LSTM. Returns an empty string, or what is wrong with them.
std::string ReadCell(const Call& call, RecurrentShape& shape) {
  shape.couples = call.parameters.Integer("couples", 0) != 0;
  shape.clips_cell = call.parameters.Has("cell_min");
  shape.cell_min = call.parameters.Number("cell_min", 0);
  shape.cell_max = call.parameters.Number("cell_max", 0);
  shape.cell_nan_stays = call.parameters.Integer("cell_nan_stays", 1) != 0;
  shape.quantises = call.parameters.Integer("quantises", 0) != 0;
  if (shape.quantises && call.Has(4))
    return "it quantizes steps of sequences with individual lengths";
  const bool holds = !shape.clips_cell || shape.cell_min <= shape.cell_max;
  return holds ? "" : "its cell_min is greater than its cell_max";
}

// Parameters: function0, function1, function2 (RNN: function), with alpha0, beta0 and so on; clip;
// couples. Returns an empty string, or which activation or bound is not supported.
std::string ReadGates(const Call& call, RecurrentShape& shape) {
  shape.clip = call.parameters.Number("clip", shape.clip);
  if (!(shape.clip >= 0)) return "its clip is negative";
  if (shape.cell == Cell::kLstm) {
    if (std::string problem = ReadCell(call, shape); !problem.empty()) return problem;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    const bool rnn = shape.cell == Cell::kRnn;
    const char* usual = i == 0 && !rnn ? "sigmoid" : "tanh";
    Gate& gate = shape.gate[i];
    const std::string name = call.parameters.Word(rnn ? "function" : "function" + number, usual);
    const auto* known = std::find_if(std::begin(kGates), std::end(kGates),
                                     [&](const Gate& each) { return each.name == name; });
    if (known == std::end(kGates)) return "its activation is unknown: " + name;
    gate = *known;
    gate.alpha = call.parameters.Number("alpha" + number, known->alpha);
    gate.beta = call.parameters.Number("beta" + number, known->beta);
  }
  return {};
}

// Parameters: directions, backwards, batch_first, reset_after, and those of ReadGates.
template <Cell kCell, std::size_t kGates>
Prepared PrepareRecurrent(const Call& call) {
  RecurrentShape shape;
  shape.cell = kCell;
  shape.gates = kGates;
  if (std::string problem = ReadRecurrent(call, shape); !problem.empty()) return Refuse(problem);
  if (std::string problem = ReadGates(call, shape); !problem.empty()) return Refuse(problem);
  const Dtype dtype = call.Input(0).dtype;
  Dimensions y = shape.state;
  const auto steps = static_cast<std::int64_t>(shape.steps);
  y.insert(y.begin() + (shape.batch_first ? 1 : 0), steps);
  Prepared prepared;
  prepared.outputs = {{dtype, y}, {dtype, shape.state}, {dtype, shape.memory}};
  WithFloat(dtype, [&]<typename T>(T*) {
    prepared.workspace =
        shape.batches * (shape.out + 3 * std::max(shape.hidden, shape.out)) * sizeof(Computed<T>);
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
      for (std::size_t direction = 0; direction < shape.directions; ++direction) {
        Recurrence<T>{shape, inputs, outputs, static_cast<Computed<T>*>(workspace), direction}
            .Run();
      }
    };
  });
  return prepared;
}

#define OPLEDGER_RECURRENT(NAME)                     \
  OPLEDGER_KERNEL(NAME, "cpu")                       \
      .Types("T", OPLEDGER_FLOATS)                   \
      .Accumulates(Dtype::kFloat32)                  \
      .ErrorBound("4 ulp + n * 2^-24 for each step") \
      .Reads("directions")                           \
      .Reads("batch_first")                          \
      .Reads("backwards")                            \
      .Reads("clip")                                 \
      .Reads("function")                             \
      .Reads("alpha")                                \
      .Reads("beta")
OPLEDGER_RECURRENT(Rnn).Run(&PrepareRecurrent<Cell::kRnn, 1>);
OPLEDGER_RECURRENT(Gru).Reads("reset_after").Run(&PrepareRecurrent<Cell::kGru, 3>);
OPLEDGER_RECURRENT(Lstm)
    .Reads("couples")
    .Reads("cell_min")
    .Reads("cell_max")
    .Reads("cell_nan_stays")
    .Reads("quantises")
    .Run(&PrepareRecurrent<Cell::kLstm, 4>);

}  // namespace
}  // namespace opledger

// LinearAttention: each head has a state, a matrix that every row decays, corrects and adds to, and
// that every query reads. https://onnx.ai/onnx/operators/onnx__LinearAttention.html
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct RecurrenceShape {
  std::size_t batches = 0;
  std::size_t rows = 0;
  std::size_t q_heads = 0;
  std::size_t heads = 0;  // of keys and values
  std::size_t key = 0;    // elements of a key
  std::size_t value = 0;
  std::size_t decays = 0;  // per row: none, one per head, or one per element of a key
  std::size_t betas = 0;   // per row: none, one, or one for each head
  bool has_past = false;
  double scale = 1;
};

// Inputs: q, k, v, past state, decay, beta. Outputs: y, state.
template <typename T, typename S>
void RunRecurrence(const RecurrenceShape& shape, const void* const* inputs, void* const* outputs,
                   Computed<T>* workspace) {
  using V = Computed<T>;
  const auto at = [&](std::size_t i) { return static_cast<const T*>(inputs[i]); };
  const std::size_t group = shape.q_heads / shape.heads;
  const std::size_t matrix = shape.key * shape.value;
  V* state = workspace;
  V* added = state + matrix;
  for (std::size_t bh = 0; bh < shape.batches * shape.heads; ++bh) {
    const std::size_t head = bh % shape.heads;
    for (std::size_t i = 0; i < matrix; ++i) {
      state[i] = shape.has_past
                     ? static_cast<V>(Load(static_cast<const S*>(inputs[3])[bh * matrix + i]))
                     : V(0);
    }
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const std::size_t place = bh / shape.heads * shape.rows + row;
      const T* k = at(1) + (place * shape.heads + head) * shape.key;
      const T* v = at(2) + (place * shape.heads + head) * shape.value;
      for (std::size_t d = 0; d < shape.key && shape.decays > 0; ++d) {
        const bool of_head = shape.decays == shape.heads;
        const std::size_t which = of_head ? head : head * shape.key + d;
        const V factor = function::Exp(Load(at(4)[place * shape.decays + which]));
        for (std::size_t m = 0; m < shape.value; ++m) state[d * shape.value + m] *= factor;
      }
      for (std::size_t m = 0; m < shape.value; ++m) {
        added[m] = Load(v[m]);
        if (shape.betas == 0) continue;
        V known = 0;
        for (std::size_t d = 0; d < shape.key; ++d)
          known += state[d * shape.value + m] * Load(k[d]);
        added[m] =
            Load(at(5)[place * shape.betas + (shape.betas == 1 ? 0 : head)]) * (added[m] - known);
      }
      for (std::size_t i = 0; i < matrix; ++i) {
        state[i] += Load(k[i / shape.value]) * added[i % shape.value];
      }
      for (std::size_t q_head = head * group; q_head < (head + 1) * group; ++q_head) {
        const std::size_t of = place * shape.q_heads + q_head;
        const T* q = at(0) + of * shape.key;
        for (std::size_t m = 0; m < shape.value && outputs[0] != nullptr; ++m) {
          V sum = 0;
          for (std::size_t d = 0; d < shape.key; ++d)
            sum += Load(q[d]) * state[d * shape.value + m];
          Store(static_cast<T*>(outputs[0])[of * shape.value + m],
                sum * static_cast<V>(shape.scale));
        }
      }
    }
    for (std::size_t i = 0; i < matrix && outputs[1] != nullptr; ++i) {
      Store(static_cast<S*>(outputs[1])[bh * matrix + i], static_cast<Computed<S>>(state[i]));
    }
  }
}

// Returns whether an input has the dimensions `batches`, `rows` and any third one.
bool IsOfRows(const Call& call, std::size_t input, std::int64_t batches, std::int64_t rows) {
  const Dimensions& shape = call.Shape(input);
  return shape.size() == 3 && shape[0] == batches && shape[1] == rows &&
         call.Input(input).dtype == call.Input(0).dtype;
}

// Parameters: q_heads, kv_heads, scale (0: 1 / sqrt(key)), rule.
std::string ReadRecurrence(const Call& call, RecurrenceShape& shape) {
  const Dimensions& q = call.Shape(0);
  const std::int64_t q_heads = call.parameters.Integer("q_heads", 0);
  const std::int64_t heads = call.parameters.Integer("kv_heads", 0);
  if (q.size() != 3 || heads < 1 || q_heads < 1 || q_heads % heads != 0 || q[2] % q_heads != 0 ||
      !call.Has(1) || !call.Has(2) || !IsOfRows(call, 1, q[0], q[1]) ||
      !IsOfRows(call, 2, q[0], q[1]) || call.Shape(1)[2] != q[2] / q_heads * heads ||
      call.Shape(2)[2] % heads != 0) {
    return "its heads do not divide its query, keys and values";
  }
  shape.batches = static_cast<std::size_t>(q[0]);
  shape.rows = static_cast<std::size_t>(q[1]);
  shape.q_heads = static_cast<std::size_t>(q_heads);
  shape.heads = static_cast<std::size_t>(heads);
  shape.key = static_cast<std::size_t>(q[2] / q_heads);
  shape.value = static_cast<std::size_t>(call.Shape(2)[2] / heads);
  const std::string rule = call.parameters.Word("rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta";
  const bool delta = rule == "delta" || rule == "gated_delta";
  if ((!gated && !delta && rule != "linear") || gated != call.Has(4) || delta != call.Has(5)) {
    return "its rule is unknown, or its decay and beta are not those that the rule needs";
  }
  if ((gated && !IsOfRows(call, 4, q[0], q[1])) || (delta && !IsOfRows(call, 5, q[0], q[1]))) {
    return "its decay or beta does not match its rows";
  }
  shape.decays = gated ? static_cast<std::size_t>(call.Shape(4)[2]) : 0;
  shape.betas = delta ? static_cast<std::size_t>(call.Shape(5)[2]) : 0;
  if ((gated && shape.decays != shape.heads && shape.decays != shape.heads * shape.key) ||
      (delta && shape.betas != 1 && shape.betas != shape.heads)) {
    return "its decay or beta does not match its heads";
  }
  shape.has_past = call.Has(3);
  const double scale = call.parameters.Number("scale", 0);
  shape.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(shape.key));
  return {};
}

Prepared PrepareRecurrence(const Call& call) {
  RecurrenceShape shape;
  if (std::string problem = ReadRecurrence(call, shape); !problem.empty()) return Refuse(problem);
  const Dimensions& q = call.Shape(0);
  const Dimensions state = {q[0], static_cast<std::int64_t>(shape.heads),
                            static_cast<std::int64_t>(shape.key),
                            static_cast<std::int64_t>(shape.value)};
  if (shape.has_past && call.Shape(3) != state) return Refuse("its past state has the wrong shape");
  const Dtype dtype = call.Input(0).dtype;
  const Dtype of_state = shape.has_past ? call.Input(3).dtype : dtype;
  const auto width = static_cast<std::int64_t>(shape.q_heads * shape.value);
  Prepared prepared;
  prepared.outputs = {{dtype, {q[0], q[1], width}}, {of_state, state}};
  WithFloat(dtype, [&]<typename T>(T*) {
    WithFloat(of_state, [&]<typename S>(S*) {
      prepared.workspace = (shape.key * shape.value + shape.value) * sizeof(Computed<T>);
      prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
        RunRecurrence<T, S>(shape, inputs, outputs, static_cast<Computed<T>*>(workspace));
      };
    });
  });
  if (!prepared.run) return Refuse("its state is not of floats");
  return prepared;
}

OPLEDGER_KERNEL(LinearAttention, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("8 ulp + n * 2^-24")
    .Reads("q_heads")
    .Reads("kv_heads")
    .Reads("rule: linear, gated, delta, gated_delta")
    .Reads("scale")
    .Run(&PrepareRecurrence);

}  // namespace
}  // namespace opledger

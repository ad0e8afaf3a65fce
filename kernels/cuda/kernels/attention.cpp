// Attention and RotaryEmbedding on the GPU.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/sequence/attention.h"

#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/chain/strided_layout.h"
#include "kernels/cuda/kernels/kernels.h"

namespace opledger::cuda {
namespace {

HeadSteps StepsOf(const HeadStrides& strides) {
  return {static_cast<std::int64_t>(strides.batch), static_cast<std::int64_t>(strides.head),
          static_cast<std::int64_t>(strides.row)};
}

// Joins keys or values as batch, head, row, element: first the past ones, then the current ones.
struct JoinedRows {
  CopyCall past = {};
  CopyCall now = {};
  HeadSteps steps = {};
  std::size_t offset = 0;  // bytes from the first row to the first current row
  std::size_t bytes = 0;
};

JoinedRows JoinedRowsOf(const AttentionShape& shape, const HeadStrides& now, std::size_t width,
                        std::size_t element) {
  const auto size = [](std::size_t each) { return static_cast<std::int64_t>(each); };
  const HeadStrides whole = {shape.kv_heads * shape.Columns() * width, shape.Columns() * width,
                             width};
  const auto copy = [&](std::size_t rows, const HeadStrides& from) {
    const auto layouts =
        CopyLayoutsOf({size(shape.batches), size(shape.kv_heads), size(rows), size(width)},
                      {size(from.batch), size(from.head), size(from.row), 1},
                      {size(whole.batch), size(whole.head), size(whole.row), 1});
    CopyCall call = {};
    call.element = static_cast<std::int32_t>(element);
    call.from = layouts->from;  // exists for four dimensions
    call.to = layouts->to;
    return call;
  };
  JoinedRows joined;
  joined.past = copy(shape.past, {shape.kv_heads * shape.past * width, shape.past * width, width});
  joined.now = copy(shape.kv_rows, now);
  joined.steps = StepsOf(whole);
  joined.offset = shape.past * width * element;
  joined.bytes = shape.batches * whole.batch * element;
  return joined;
}

void RunCopy(const CopyCall& copy, const void* from, void* to) {
  CopyCall filled = copy;
  filled.in = from;
  filled.out = to;
  Report(Module().copy(&filled));
}

// `past` may be nullptr.
void Join(const JoinedRows& joined, const void* past, const void* now, std::byte* to) {
  if (past != nullptr) RunCopy(joined.past, past, to);
  RunCopy(joined.now, now, to + joined.offset);
}

AttentionCall AttentionCallOf(const Call& call, const AttentionShape& shape) {
  const auto size = [](std::size_t each) { return static_cast<std::int64_t>(each); };
  AttentionCall attention = {};
  attention.type = *ElementTypeOf(call.Input(0).dtype);
  attention.mask_is_bool = shape.mask_is_bool ? 1 : 0;
  attention.causal = shape.causal ? 1 : 0;
  attention.scale = static_cast<float>(shape.scale);
  attention.cap = static_cast<float>(shape.cap);
  attention.q_steps = StepsOf(shape.q);
  attention.k_steps = StepsOf(shape.k);
  attention.v_steps = StepsOf(shape.v);
  attention.out_steps = StepsOf(shape.y);
  attention.batches = size(shape.batches);
  attention.q_heads = size(shape.q_heads);
  attention.kv_heads = size(shape.kv_heads);
  attention.q_rows = size(shape.q_rows);
  attention.past = size(shape.past);
  attention.columns = size(shape.Columns());
  attention.head = size(shape.head);
  attention.value = size(shape.value);
  for (int d = 0; d < 3; ++d) attention.mask_steps[d] = size(shape.mask_strides[d]);
  attention.mask_columns = size(shape.mask_columns);
  attention.left = shape.left;
  attention.right = shape.right;
  return attention;
}

// Where keys and values are joined with the past ones: in outputs of the model, or in the
// workspace.
struct JoinedPlaces {
  std::byte* keys;
  std::byte* values;
};

// Takes the parameters of the reference, but scores are not supported.
Prepared PrepareAttention(const Call& call) {
  AttentionShape shape;
  if (std::string problem = ReadAttention(call, shape); !problem.empty()) return Refuse(problem);
  if (call.outputs > 3) return Refuse("its scores are requested as an output");
  Prepared prepared;
  prepared.outputs = AttentionOutputs(call, shape);
  const std::size_t element = ElementSize(call.Input(0).dtype);
  const JoinedRows keys = JoinedRowsOf(shape, shape.k, shape.head, element);
  const JoinedRows values = JoinedRowsOf(shape, shape.v, shape.value, element);
  constexpr std::size_t kLine = 256;
  const std::size_t own = (keys.bytes + kLine - 1) / kLine * kLine;
  if (shape.past > 0) prepared.workspace = own + values.bytes;
  prepared.run = [=, attention = AttentionCallOf(call, shape)](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    const AttentionTensors in = TensorsOf(shape, inputs);
    JoinedPlaces joined = {static_cast<std::byte*>(outputs[1]),
                           static_cast<std::byte*>(outputs[2])};
    if (shape.past > 0) {
      auto* memory = static_cast<std::byte*>(workspace);
      if (joined.keys == nullptr) joined.keys = memory;
      if (joined.values == nullptr) joined.values = memory + own;
    }
    if (joined.keys != nullptr) Join(keys, in.past_k, in.k, joined.keys);
    if (joined.values != nullptr) Join(values, in.past_v, in.v, joined.values);
    AttentionCall filled = attention;
    filled.q = in.q;
    filled.k = in.k;
    filled.v = in.v;
    if (shape.past > 0) {
      filled.k = joined.keys;
      filled.v = joined.values;
      filled.k_steps = keys.steps;
      filled.v_steps = values.steps;
    }
    filled.mask = in.mask;
    filled.valid = in.valid;
    filled.out = outputs[0];
    Report(Module().attend(&filled));
  };
  return prepared;
}

// Takes the parameters of the reference. A row whose position is outside the tables is copied.
Prepared PrepareRotary(const Call& call) {
  const ChosenKernel reference = ChooseKernel("RotaryEmbedding", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dimensions& x = call.Shape(0);
  RotaryCall rotary = {};
  const bool heads_first = x.size() == 4;
  rotary.type = *ElementTypeOf(call.Input(0).dtype);
  rotary.heads_first = heads_first ? 1 : 0;
  rotary.interleaved = call.parameters.Integer("interleaved", 0) != 0 ? 1 : 0;
  rotary.batches = x[0];
  rotary.heads = heads_first ? x[1] : call.parameters.Integer("heads", 0);
  rotary.rows = x[heads_first ? 2 : 1];
  rotary.width = heads_first ? x[3] : x[2] / rotary.heads;
  rotary.pairs = call.parameters.Integer("pairs", 0);
  if (rotary.pairs == 0) rotary.pairs = rotary.width / 2;
  rotary.position_count = call.Shape(1)[0];
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [rotary, has_positions = call.Has(3)](const void* const* inputs,
                                                       void* const* outputs, void*) {
    RotaryCall filled = rotary;
    filled.in = inputs[0];
    filled.cosines = inputs[1];
    filled.sines = inputs[2];
    filled.positions = has_positions ? static_cast<const std::int64_t*>(inputs[3]) : nullptr;
    filled.out = outputs[0];
    Report(Module().rotate(&filled));
  };
  return prepared;
}

OPLEDGER_KERNEL(Attention, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("8 ulp + n * 2^-24")
    .Run(&PrepareAttention);
OPLEDGER_KERNEL(RotaryEmbedding, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp")
    .Run(&PrepareRotary);

}  // namespace
}  // namespace opledger::cuda

// Binds arguments to primitives: fixed, given by the caller, or upcast into the workspace.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/onednn.h"

#include <algorithm>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/formulas/unary_row.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/onednn/probe.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/elementwise/elementwise.h"
#include "kernels/vector/rows/rows.h"

namespace opledger::onednn {
namespace {

// An argument that is passed in each run.
struct Given {
  Argument argument;
  std::size_t input;
  std::size_t elements;
  bool upcasts;
  std::size_t offset;  // in the workspace
};

struct Runner {
  std::shared_ptr<Primitive> primitive;
  Dtype dtype = Dtype::kFloat32;  // of the caller's tensors
  std::vector<Given> given;
  std::size_t scratchpad = 0;  // offsets in the workspace
  std::size_t result = 0;
  std::size_t elements = 0;  // of the result
  bool downcasts = false;
  bool adds = false;                          // the primitive does not add the addend
  const UnaryFunction* activation = nullptr;  // the activation that the primitive does not apply
  VectorRow vector_activation = nullptr;      // its vector version, or nullptr
  double alpha = 0;
  double beta = 0;

  void Run(const void* const* inputs, void* const* outputs, void* workspace) const;
  bool Finishes() const { return downcasts || adds || activation != nullptr; }
  void Finish(float* numbers, const void* addend, void* out, std::size_t begin,
              std::size_t end) const;
};

// Does what the primitive has left of the epilogue, and rounds.
void Runner::Finish(float* numbers, const void* addend, void* out, std::size_t begin,
                    std::size_t end) const {
  float tile[kTileSize];
  for (std::size_t at = begin; at < end; at += kTileSize) {
    const std::size_t count = std::min(kTileSize, end - at);
    float* row = numbers + at;
    if (adds) {
      const float* other = LoadRow(dtype, addend, at, count, tile);
      arithmetic::Apply(arithmetic::Pair::kAdd, row, other, row, count);
    }
    if (vector_activation != nullptr) {
      vector_activation(row, row, count, static_cast<float>(alpha), static_cast<float>(beta));
    } else if (activation != nullptr) {
      activation->row(row, count, alpha, beta);
    }
    StoreRow(downcasts ? dtype : Dtype::kFloat32, row, out, at, count);
  }
}

void Runner::Run(const void* const* inputs, void* const* outputs, void* workspace) const {
  auto* memory = static_cast<std::byte*>(workspace);
  const void* arguments[kArguments] = {};
  for (const Given& each : given) {
    arguments[each.argument] = inputs[each.input];
    if (!each.upcasts) continue;
    auto* wide = reinterpret_cast<float*>(memory + each.offset);
    ForParts(each.elements, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      const auto* from = static_cast<const std::uint16_t*>(inputs[each.input]) + begin;
      arithmetic::Upcast(dtype, from, wide + begin, end - begin);
    });
    arguments[each.argument] = wide;
  }
  arguments[kScratchpad] = memory + scratchpad;
  void* to = downcasts ? static_cast<void*>(memory + result) : outputs[0];
  arguments[kResult] = to;
  primitive->Run(arguments);
  if (Finishes()) {
    const void* addend = adds ? inputs[kFusedAddend] : nullptr;
    ForParts(elements, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      Finish(static_cast<float*>(to), addend, outputs[0], begin, end);
    });
  }
}

std::size_t Reserve(std::size_t& workspace, std::size_t bytes) {
  const std::size_t offset = AlignedSize(workspace);
  workspace = offset + bytes;
  return offset;
}

}  // namespace

Dtype ComputedIn(Dtype dtype) {
  return dtype != Dtype::kFloat32 && NarrowPays(dtype) ? dtype : Dtype::kFloat32;
}

namespace {

// Returns whether the weights are multiplied by the scale when packed, which is possible only if
// they are not rounded afterwards.
bool FoldsScale(const Call& call) {
  return call.constants[1] != nullptr && ComputedIn(call.Input(0).dtype) == Dtype::kFloat32;
}

}  // namespace

Epilogue EpilogueOf(const Call& call, bool adds) {
  Epilogue epilogue;
  if (!IsFused(call)) return epilogue;
  epilogue.scales = call.Has(kFusedScale) && !FoldsScale(call);
  epilogue.adds = call.Has(kFusedAddend) && adds;
  if (call.Has(kFusedAddend) && !adds) return epilogue;
  const FusedActivation activation = ActivationOf(call);
  if (activation.name == "Relu" || activation.name == "LeakyRelu" || activation.name == "Clip") {
    epilogue.activation = activation.name;
    epilogue.alpha = static_cast<float>(activation.alpha);
    epilogue.beta = static_cast<float>(activation.beta);
  }
  return epilogue;
}

Dtype ResultIn(const Call& call, const Epilogue& epilogue) {
  const bool rests = IsFused(call) && (epilogue.activation != ActivationOf(call).name ||
                                       epilogue.adds != call.Has(kFusedAddend));
  return rests ? Dtype::kFloat32 : ComputedIn(call.Input(0).dtype);
}

bool TakesUnknown(const Call& call) {
  if (!IsFused(call)) return call.Has(2) && call.constants[2] == nullptr;
  return (call.Has(kFusedBias) && call.constants[kFusedBias] == nullptr) ||
         (call.Has(kFusedScale) && call.constants[kFusedScale] == nullptr);
}

Weights WeightsOf(const Call& call, std::size_t channels, std::size_t channel_size) {
  Weights weights;
  weights.data = call.constants[1];
  const Dtype dtype = call.Input(1).dtype;
  const bool scales = IsFused(call) && call.Has(kFusedScale) && FoldsScale(call);
  if (ComputedIn(dtype) != Dtype::kFloat32 || (dtype == Dtype::kFloat32 && !scales)) return weights;
  weights.wide.resize(Elements(call.Shape(1)));
  arithmetic::Upcast(dtype, weights.data, weights.wide.data(), weights.wide.size());
  weights.data = weights.wide.data();
  if (!scales) return weights;
  const auto* scale = static_cast<const float*>(call.constants[kFusedScale]);
  for (std::size_t i = 0; i < weights.wide.size(); ++i) {
    weights.wide[i] *= scale[i / channel_size % channels];
  }
  return weights;
}

Prepared FinishContraction(const Call& call, const Contraction& contraction) {
  if (contraction.primitive == nullptr) return Refuse("oneDNN does not support it on this machine");
  Primitive& primitive = *contraction.primitive;
  Runner runner;
  runner.primitive = contraction.primitive;
  runner.dtype = call.Input(0).dtype;
  const bool upcasts =
      ComputedIn(runner.dtype) == Dtype::kFloat32 && runner.dtype != Dtype::kFloat32;
  Prepared prepared;
  prepared.outputs = {contraction.result};
  prepared.implementation = primitive.implementation();
  const auto give = [&](Argument argument, std::size_t input) {
    const std::size_t elements = Elements(call.Shape(input));
    const std::size_t offset =
        upcasts ? Reserve(prepared.workspace, elements * sizeof(float)) : std::size_t{0};
    runner.given.push_back({argument, input, elements, upcasts, offset});
  };
  const auto fix = [&](Argument argument, std::size_t input, const void* data) {
    primitive.Fix(argument, data);
    prepared.unread_inputs.push_back(input);
  };
  give(kSource, 0);
  if (contraction.fixes_weights) {
    fix(kWeights, 1, contraction.weights.data);
  } else {
    give(kWeights, 1);
  }
  if (IsFused(call)) {
    const bool scales = contraction.epilogue.scales;
    if (scales) fix(kScale, kFusedScale, call.constants[kFusedScale]);
    if (call.Has(kFusedBias)) {
      fix(scales ? kShift : kBias, kFusedBias, call.constants[kFusedBias]);
    } else if (scales) {
      const std::vector<float> none(Elements(call.Shape(kFusedScale)), 0.0F);
      primitive.Fix(kShift, none.data());
    }
    if (call.Has(kFusedScale) && !scales) prepared.unread_inputs.push_back(kFusedScale);
    if (contraction.epilogue.adds) give(kAddend, kFusedAddend);
    runner.adds = call.Has(kFusedAddend) && !contraction.epilogue.adds;
    const FusedActivation activation = ActivationOf(call);
    if (contraction.epilogue.activation.empty()) {
      runner.activation = FindUnary(activation.name);
      runner.vector_activation = FindVectorRow(activation.name);
    }
    runner.alpha = activation.alpha;
    runner.beta = activation.beta;
  }
  runner.elements = Elements(contraction.result.dimensions);
  runner.downcasts =
      ResultIn(call, contraction.epilogue) == Dtype::kFloat32 && runner.dtype != Dtype::kFloat32;
  if (runner.downcasts)
    runner.result = Reserve(prepared.workspace, runner.elements * sizeof(float));
  runner.scratchpad = Reserve(prepared.workspace, primitive.scratchpad());
  prepared.run = [runner = std::move(runner)](const void* const* inputs, void* const* outputs,
                                              void* workspace) {
    runner.Run(inputs, outputs, workspace);
  };
  return prepared;
}

}  // namespace opledger::onednn

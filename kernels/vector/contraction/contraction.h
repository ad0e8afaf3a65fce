// Vector kernels of products. In: factors, which are packed into panels once if constant; out: sums
// of products with the fused operators applied. This header: the shared preparation of matrix
// products and convolutions.
// May include: kernels/arithmetic/loops, kernels/cpu/contraction, kernels/cpu/formulas,
// kernels/cpu/sequence, kernels/cpu/window, kernels/kernel, kernels/machine, kernels/tensor,
// kernels/vector/elementwise, kernels/vector/rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "kernels/kernel/fused_call.h"
#include "kernels/vector/contraction/fused_rows.h"
#include "kernels/vector/contraction/product.h"

namespace opledger {

// `contraction` has blocks, fused, scale, panels, Pack(right, to) and Run(inputs, out, workspace).
// There are `products` right factors, with `channels` columns in total that have a scale each.
// `too_large`: the reason for refusing if the panels would take too much memory.
template <typename Contraction>
Prepared PrepareContraction(const Call& call, Contraction contraction, std::size_t products,
                            std::size_t channels, const char* too_large, const TensorType& result) {
  const ProductBlocks& blocks = contraction.blocks;
  const bool known = call.constants[1] != nullptr;
  const bool folds =
      known && IsFused(call) && call.Has(kFusedScale) && call.constants[kFusedScale] != nullptr;
  contraction.fused = FusedRowsOf(call, folds);
  if (contraction.fused.unknown_activation) return Refuse("its activation is not supported");
  const std::size_t panels = products * blocks.PanelSize();
  if (PanelsAreTooLarge(panels, Elements(call.Shape(1)))) return Refuse(too_large);
  Prepared prepared;
  prepared.outputs = {result};
  prepared.workspace = Threads() * blocks.Workspace() * sizeof(float);
  if (known) {
    if (folds) {
      const auto* scale = static_cast<const float*>(call.constants[kFusedScale]);
      contraction.scale.assign(scale, scale + channels);
      prepared.unread_inputs.push_back(kFusedScale);
    }
    contraction.panels = std::make_shared<ConstantTensor>(
        TensorType{Dtype::kFloat32, {static_cast<std::int64_t>(panels)}});
    contraction.Pack(call.constants[1], contraction.panels->template As<float>());
    contraction.panels->Share();
    prepared.unread_inputs.push_back(1);
  } else {
    prepared.workspace += panels * sizeof(float);
  }
  prepared.run = [contraction = std::move(contraction)](const void* const* inputs,
                                                        void* const* outputs, void* workspace) {
    contraction.Run(inputs, outputs[0], static_cast<float*>(workspace));
  };
  return prepared;
}

}  // namespace opledger

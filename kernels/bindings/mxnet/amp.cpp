// MXNet's casts, those of mixed precision among them, and its tests for what is not finite.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

bool IsFloat(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16 ||
         dtype == Dtype::kFloat64;
}

Bound BindCast(const MxnetNode& node) {
  const auto to = node.Type("dtype");
  if (!to) return Unbound("it casts to a type that has no name here");
  Bound bound = BindMxnetFirst(node, "Cast");
  bound.parameters.Set("to", DtypeName(*to));
  return bound;
}

// Of floats alone.
Bound BindAmpCast(const MxnetNode& node) {
  return IsFloat(node.Input(0).dtype) ? BindCast(node) : BindMxnetIdentity(node);
}

// All floats to the widest type among them, or to the narrowest; the others stay as they are.
// src/operator/tensor/amp_cast.cc of MXNet.
Bound BindAmpMulticast(const MxnetNode& node) {
  const bool narrow = node.Flag("cast_narrow", false);
  std::optional<Dtype> to;
  const auto width = [](Dtype dtype) {
    return dtype == Dtype::kFloat64 ? 2 : dtype == Dtype::kFloat32;
  };
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Dtype dtype = node.Input(i).dtype;
    if (!IsFloat(dtype)) continue;
    const bool better = to && (narrow ? width(dtype) < width(*to) : width(dtype) > width(*to));
    if (!to || better) to = dtype;
  }
  Bound bound;
  if (node.inputs() < node.outputs()) return Unbound("it has fewer inputs than outputs");
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.Wants(i)) continue;
    BoundCall& call = bound.before.emplace_back();
    call.kernel = "Cast";
    call.inputs = {static_cast<int>(i)};
    call.results = {static_cast<int>(i)};
    const Dtype dtype = node.Input(i).dtype;
    call.parameters.Set("to", DtypeName(IsFloat(dtype) && to ? *to : dtype));
  }
  return bound;
}

// 1 where all numbers of all inputs are finite, else 0.
Bound BindAllFinite(const MxnetNode& node) { return BindMxnetAs(node, "AllFinite"); }

}  // namespace

const std::vector<MxnetBinding>& MxnetAmp() {
  static const std::vector<MxnetBinding> kTable = {
      {"Cast", BindCast},
      {"all_finite", BindAllFinite},
      {"amp_cast", BindAmpCast},
      {"amp_multicast", BindAmpMulticast},
      {"multi_all_finite", BindAllFinite},
  };
  return kTable;
}

}  // namespace opledger

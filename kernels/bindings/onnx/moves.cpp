// ONNX operators that move elements, and those of shapes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

LoweredNode BindShaped(const OnnxNode& node, Dimensions shape) {
  LoweredNode bound = BindFirst(node, "Reshape");
  bound.parameters.Set("shape", std::move(shape));
  return bound;
}

LoweredNode BindIdentity(const OnnxNode& node) { return BindFirst(node, "Identity"); }

// In inference nothing is dropped, and the mask is true everywhere. The ratio and the training mode
// are inputs since opset 12.
LoweredNode BindDropout(const OnnxNode& node) {
  const auto trains = node.Has(2) ? node.KnownIntegers(2) : Integers{0};
  if (!trains || trains->empty()) {
    return Unsupported(NeedsValues("its training mode is computed at run time"));
  }
  if ((*trains)[0] != 0) {
    const auto ratio = node.Has(1) ? node.KnownNumbers(1) : std::vector<double>{0.5};
    if (!ratio || ratio->empty() || (*ratio)[0] != 0)
      return Unsupported("it drops elements at random");
  }
  if (node.outputs() < 2) return BindFirst(node, "Identity");
  LoweredNode bound = BindFirst(node, "Dropout");
  bound.parameters.Set("mask", DtypeName(node.opset() < 10 ? node.Input(0).dtype : Dtype::kBool));
  return bound;
}

// 0 keeps the input's dimension, a single -1 is inferred.
LoweredNode BindReshape(const OnnxNode& node) {
  Status problem;
  auto shape = node.ListOrInput("shape", 1, problem);
  if (!shape) return Unsupported(problem.ok() ? "it has no shape" : problem);
  const Dimensions& from = node.Shape(0);
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    std::int64_t& each = (*shape)[i];
    if (each == 0 && node.Integer("allowzero", 0) == 0) {
      if (i >= from.size())
        return Unsupported("its shape copies a dimension that its input does not have");
      each = from[i];
    }
    if (each == -1) {
      open = &each;
    } else if (each < 0 || __builtin_mul_overflow(known, each, &known)) {
      return Unsupported("its shape is invalid");
    }
  }
  const auto all = static_cast<std::int64_t>(Elements(from));
  if (open != nullptr) *open = known == 0 ? 0 : all / known;
  return BindShaped(node, *shape);
}

LoweredNode BindFlatten(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  const std::int64_t axis = node.Integer("axis", 1);
  const std::int64_t at = FromStart(axis, rank);
  if (at < 0 || at > rank) return Unsupported("its axis is out of range");
  const Dimensions& from = node.Shape(0);
  Dimensions shape = {1, 1};
  for (std::int64_t i = 0; i < rank; ++i) shape[i < at ? 0 : 1] *= from[i];
  return BindShaped(node, shape);
}

LoweredNode BindSqueeze(const OnnxNode& node) {
  Status problem;
  const auto axes = node.ListOrInput("axes", 1, problem);
  if (!problem.ok()) return Unsupported(problem);
  const Dimensions& from = node.Shape(0);
  std::vector<bool> goes(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) goes[i] = !axes && from[i] == 1;
  for (const std::int64_t each : axes.value_or(Integers{})) {
    const auto axis = AxisOf(each, node.Rank(0));
    if (!axis || from[*axis] != 1) return Unsupported("it removes a dimension that is not 1");
    goes[*axis] = true;
  }
  Dimensions shape;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!goes[i]) shape.push_back(from[i]);
  }
  return BindShaped(node, shape);
}

LoweredNode BindUnsqueeze(const OnnxNode& node) {
  Status problem;
  const auto axes = node.ListOrInput("axes", 1, problem);
  if (!axes) return Unsupported(problem.ok() ? "it has no axes" : problem);
  const Dimensions& from = node.Shape(0);
  const std::int64_t rank = node.Rank(0) + static_cast<std::int64_t>(axes->size());
  std::vector<bool> is_new(rank);
  for (const std::int64_t each : *axes) {
    const auto axis = AxisOf(each, rank);
    if (!axis || is_new[*axis]) return Unsupported("its axes are out of range or repeated");
    is_new[*axis] = true;
  }
  Dimensions shape;
  std::size_t next = 0;
  for (std::int64_t i = 0; i < rank; ++i) shape.push_back(is_new[i] ? 1 : from[next++]);
  return BindShaped(node, shape);
}

LoweredNode BindTranspose(const OnnxNode& node) {
  LoweredNode bound = BindFirst(node, "Transpose");
  Integers order = node.List("perm");
  if (order.empty()) {
    order.resize(node.Rank(0));
    std::iota(order.rbegin(), order.rend(), 0);
  }
  bound.parameters.Set("order", order);
  return bound;
}

// starts, ends, axes and steps are attributes before opset 10. Positions outside are clamped.
// https://onnx.ai/onnx/operators/onnx__Slice.html
LoweredNode BindSlice(const OnnxNode& node) {
  Status problem;
  const auto starts = node.ListOrInput("starts", 1, problem);
  const auto ends = node.ListOrInput("ends", 2, problem);
  const auto axes = node.ListOrInput("axes", 3, problem);
  const auto steps = node.ListOrInput("steps", 4, problem);
  if (!problem.ok() || !starts || !ends) {
    return Unsupported(problem.ok() ? "it has no starts" : problem);
  }
  Dimensions shape = node.Shape(0);
  Integers from(shape.size(), 0);
  Integers by(shape.size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis =
        AxisOf(axes && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), node.Rank(0));
    const std::int64_t step = steps && i < steps->size() ? (*steps)[i] : 1;
    if (!axis || step == 0 || i >= ends->size())
      return Unsupported("its axes or steps are invalid");
    const std::int64_t size = node.Shape(0)[*axis];
    const auto within = [&](std::int64_t at, std::int64_t min, std::int64_t max) {
      return std::clamp(at < 0 ? at + size : at, min, max);
    };
    const bool forward = step > 0;
    const std::int64_t start =
        forward ? within((*starts)[i], 0, size) : within((*starts)[i], 0, size - 1);
    const std::int64_t end =
        forward ? within((*ends)[i], 0, size) : within((*ends)[i], -1, size - 1);
    const std::int64_t span = forward ? end - start : start - end;
    const std::int64_t magnitude = forward ? step : -std::max(step, -INT64_MAX);
    shape[*axis] = span <= 0 || size == 0 ? 0 : (span - 1) / magnitude + 1;
    from[*axis] = start;
    by[*axis] = shape[*axis] <= 1 ? 1 : step;
  }
  LoweredNode bound = BindFirst(node, "Slice");
  bound.parameters.Set("starts", from);
  bound.parameters.Set("steps", by);
  bound.parameters.Set("shape", shape);
  return bound;
}

LoweredNode BindExpand(const OnnxNode& node) {
  const auto shape = node.KnownIntegers(1);
  if (!shape) return Unsupported(NeedsValues("its shape is computed at run time"));
  LoweredNode bound = BindFirst(node, "Expand");
  bound.parameters.Set("shape", *shape);
  return bound;
}

LoweredNode BindTile(const OnnxNode& node) {
  const auto repeats = node.KnownIntegers(1);
  if (!repeats) return Unsupported(NeedsValues("its repeats are computed at run time"));
  if (node.opset() < 6) return Unsupported("it repeats a single axis, as before opset 6");
  LoweredNode bound = BindFirst(node, "Tile");
  bound.parameters.Set("repeats", *repeats);
  return bound;
}

LoweredNode BindWithAxis(const OnnxNode& node, const char* kernel, std::int64_t absent) {
  const auto axis = AxisOf(node.Integer("axis", absent), std::max<std::int64_t>(node.Rank(0), 1));
  if (!axis) return Unsupported("its axis is out of range");
  LoweredNode bound = BindAs(node, kernel);
  bound.parameters.Set("axis", *axis);
  return bound;
}

LoweredNode BindConcat(const OnnxNode& node) { return BindWithAxis(node, "Concat", 1); }
LoweredNode BindGather(const OnnxNode& node) { return BindWithAxis(node, "Gather", 0); }
LoweredNode BindGatherElements(const OnnxNode& node) {
  return BindWithAxis(node, "GatherElements", 0);
}

// Splits into the given sizes, otherwise into one part for each output, with the last one smaller.
LoweredNode BindSplit(const OnnxNode& node) {
  Status problem;
  auto sizes = node.ListOrInput("split", 1, problem);
  if (!problem.ok()) return Unsupported(problem);
  if (node.Rank(0) == 0) return Unsupported("its input has no dimensions");
  LoweredNode bound = BindWithAxis(node, "Split", 0);
  if (!bound.problem.ok()) return bound;
  bound.inputs.resize(1);
  if (!sizes) {
    const std::int64_t size = node.Shape(0)[bound.parameters.Integer("axis", 0)];
    const auto parts = static_cast<std::int64_t>(node.outputs());
    const std::int64_t each = (size + parts - 1) / parts;
    sizes.emplace();
    for (std::int64_t left = size; static_cast<std::int64_t>(sizes->size()) < parts; left -= each) {
      sizes->push_back(std::clamp<std::int64_t>(left, 0, each));
    }
  }
  bound.parameters.Set("sizes", *sizes);
  return bound;
}

LoweredNode BindPad(const OnnxNode& node) {
  Status problem;
  const auto pads = node.ListOrInput("pads", 1, problem);
  const auto axes = node.Has(3) ? node.KnownIntegers(3) : std::nullopt;
  if (!pads || (node.Has(3) && !axes)) {
    return Unsupported(problem.ok() ? NeedsValues("its axes are computed at run time") : problem);
  }
  Integers begin(node.Rank(0), 0);
  Integers end(node.Rank(0), 0);
  const std::size_t half = pads->size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const auto axis =
        AxisOf(axes && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), node.Rank(0));
    if (!axis) return Unsupported("its axes are out of range");
    begin[*axis] = (*pads)[i];
    end[*axis] = (*pads)[half + i];
  }
  LoweredNode bound = BindFirst(node, "Pad");
  if (node.Has(2)) bound.inputs.push_back(2);
  bound.parameters.Set("mode", node.Word("mode", "constant"));
  bound.parameters.Set("value", node.Number("value", 0));
  bound.parameters.Set("begin", begin);
  bound.parameters.Set("end", end);
  return bound;
}

LoweredNode BindDepthToSpace(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.parameters.Set("block", node.Integer("blocksize", 0));
  bound.parameters.Set("channel_first", std::int64_t{node.Word("mode", "DCR") == "CRD" ? 1 : 0});
  return bound;
}

// Crops or pads with zeros on both sides equally; the odd element is at the end.
LoweredNode BindCenterCropPad(const OnnxNode& node) {
  const auto shape = node.KnownIntegers(1);
  if (!shape) return Unsupported(NeedsValues("its shape is computed at run time"));
  Integers axes = node.List("axes");
  if (!node.HasAttribute("axes")) {
    axes.resize(node.Rank(0));
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (axes.size() != shape->size()) return Unsupported("its axes and its shape differ in length");
  Integers begin(node.Rank(0), 0);
  Integers end(node.Rank(0), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = AxisOf(axes[i], node.Rank(0));
    if (!axis || (*shape)[i] < 0) return Unsupported("its axes or its shape are invalid");
    const std::int64_t more = (*shape)[i] - node.Shape(0)[*axis];
    begin[*axis] = more / 2;
    end[*axis] = more - more / 2;
  }
  LoweredNode bound = BindFirst(node, "Pad");
  bound.parameters.Set("mode", "constant");
  bound.parameters.Set("begin", begin);
  bound.parameters.Set("end", end);
  return bound;
}

LoweredNode ConstantIntegers(const Integers& values, bool scalar) {
  ConstantTensor tensor(
      {Dtype::kInt64,
       scalar ? Dimensions{} : Dimensions{static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.As<std::int64_t>());
  LoweredNode bound;
  bound.constants.push_back(std::move(tensor));
  return bound;
}

LoweredNode BindShape(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = place(node.Integer("start", 0));
  const std::int64_t end = place(node.Integer("end", rank));
  const Dimensions& shape = node.Shape(0);
  return ConstantIntegers(
      start < end ? Integers(shape.begin() + start, shape.begin() + end) : Integers{}, false);
}

LoweredNode BindSize(const OnnxNode& node) {
  return ConstantIntegers({static_cast<std::int64_t>(Elements(node.Shape(0)))}, true);
}

LoweredNode BindRange(const OnnxNode& node) {
  const auto start = node.KnownNumbers(0);
  const auto limit = node.KnownNumbers(1);
  const auto delta = node.KnownNumbers(2);
  if (!start || !limit || !delta || start->empty() || limit->empty() || delta->empty() ||
      (*delta)[0] == 0) {
    return Unsupported(NeedsValues("its bounds are computed at run time"));
  }
  const double count = std::max(0.0, std::ceil(((*limit)[0] - (*start)[0]) / (*delta)[0]));
  TensorType type{node.Input(0).dtype, {static_cast<std::int64_t>(std::min(count, 1e15))}};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  LoweredNode bound = BindAs(node, "Range");
  bound.parameters.Set("count", type.dimensions[0]);
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxMoves() {
  static const std::vector<OnnxBinding> kTable = {
      {"CenterCropPad", BindCenterCropPad},
      {"Concat", BindConcat},
      {"DepthToSpace", BindDepthToSpace},
      {"Dropout", BindDropout},
      {"Expand", BindExpand},
      {"Flatten", BindFlatten},
      {"Gather", BindGather},
      {"GatherElements", BindGatherElements},
      {"Identity", BindIdentity},
      {"Pad", BindPad},
      {"Range", BindRange},
      {"Reshape", BindReshape},
      {"Shape", BindShape},
      {"Size", BindSize},
      {"Slice", BindSlice},
      {"SpaceToDepth", BindDepthToSpace},
      {"Split", BindSplit},
      {"Squeeze", BindSqueeze},
      {"Tile", BindTile},
      {"Transpose", BindTranspose},
      {"Unsqueeze", BindUnsqueeze},
  };
  return kTable;
}

}  // namespace opledger

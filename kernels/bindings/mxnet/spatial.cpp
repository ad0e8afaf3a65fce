// MXNet operators on images: pooling, upsampling, regions.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/spatial.h"

#include <algorithm>

namespace opledger {
namespace {

// Start of the last window of a dimension, counted from its pad: "full" adds a window if the
// windows do not end at the pad, "same" has one for each stride of the input.
std::int64_t LastBegin(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                       std::int64_t pad, const std::string& convention) {
  const std::int64_t span = size + 2 * pad - kernel;
  if (stride < 1 || span < 0 || size < 1) return 0;
  if (convention == "same") return (size - 1) / stride * stride;
  return convention == "full" ? (span + stride - 1) / stride * stride : span / stride * stride;
}

const char* PoolKernel(const std::string& type) {
  return type == "max"   ? "MaxPool"
         : type == "avg" ? "AveragePool"
         : type == "sum" ? "SumPool"
         : type == "lp"  ? "LpPool"
                         : "";
}

// Limits window parameters, because they are multiplied.
bool AreWindowNumbers(const Integers& list) {
  return std::all_of(list.begin(), list.end(),
                     [](std::int64_t each) { return each >= 0 && each < (std::int64_t{1} << 31); });
}

// Sets the window of a pool that is not global. Returns a problem, or an empty string.
std::string SetPoolWindow(const MxnetNode& node, Parameters& parameters) {
  const Dimensions& shape = node.Shape(0);
  SetMxnetWindow(node, parameters);
  const Integers kernel = parameters.List("kernel");
  const Integers strides = parameters.List("strides");
  const Integers begin = parameters.List("begin");
  if (kernel.size() + 2 != shape.size() || !AreWindowNumbers(kernel) ||
      !AreWindowNumbers(strides) || !AreWindowNumbers(begin)) {
    return "its window does not fit its input's spatial dimensions";
  }
  const std::string convention = node.Word("pooling_convention", "valid");
  Integers end = begin;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    if (kernel[d] > shape[d + 2] + 2 * begin[d])
      return "its window is larger than its padded input";
    const std::int64_t last = LastBegin(shape[d + 2], kernel[d], strides[d], begin[d], convention);
    if (last >= shape[d + 2] + begin[d]) return "its last window contains no element of the input";
    end[d] = std::max<std::int64_t>(last + kernel[d] - shape[d + 2] - begin[d], 0);
  }
  // An average counts the model's pads, but not what is beyond.
  if (convention == "full") {
    parameters.Set("ceil", std::int64_t{1});
  } else if (convention == "same") {
    parameters.Set("end", end);
  }
  return {};
}

// For p = 3: the cube root of the sum of signed cubes.
LoweredNode BindCubicPool(const MxnetNode& node, const Parameters& parameters) {
  CallChain chain(node);
  const int square = chain.Call("Square", {0});
  const int cube = chain.Call("Mul", {square, 0});
  const int sum = chain.Call("SumPool", {cube});
  chain.Last().parameters = parameters;
  return std::move(chain).Finish("Cbrt", {sum});
}

LoweredNode BindPooling(const MxnetNode& node) {
  const std::string type = node.Word("pool_type", "max");
  const std::int64_t p = node.Integer("p_value", 2);
  LoweredNode bound = BindFirst(node, type == "lp" && p == 1 ? "SumPool" : PoolKernel(type));
  if (bound.kernel.empty()) return Unsupported("there is no kernel for its pool_type");
  if (!HasChannelsFirst(node)) return Unsupported("there is no kernel for its layout");
  const Dimensions& shape = node.Shape(0);
  if (shape.size() < 3) return Unsupported("its input has no spatial dimensions");
  Parameters& parameters = bound.parameters;
  parameters.Set("p", p);
  parameters.Set("count_pads", std::int64_t{node.Flag("count_include_pad", true) ? 1 : 0});
  if (node.Flag("global_pool", false)) {
    parameters.Set("kernel", Dimensions(shape.begin() + 2, shape.end()));
  } else if (const std::string problem = SetPoolWindow(node, parameters); !problem.empty()) {
    return Unsupported(problem);
  }
  if (type == "lp" && p == 3) return BindCubicPool(node, parameters);
  return bound;
}

void SetScales(const MxnetNode& node, const Dimensions& output, Parameters& parameters) {
  parameters.Set("output", output);
  for (std::size_t d = 0; d < output.size(); ++d) {
    const std::int64_t size = std::max<std::int64_t>(node.Shape(0)[d], 1);
    parameters.Set("scale" + std::to_string(d),
                   static_cast<double>(output[d]) / static_cast<double>(size));
  }
}

// Each pixel becomes scale x scale; further inputs are resized to the first one's size.
LoweredNode BindUpSampling(const MxnetNode& node) {
  if (node.Word("sample_type", "nearest") != "nearest") {
    return Unsupported("there is no kernel for its sample_type");
  }
  const std::int64_t scale = node.Integer("scale", 1);
  if (node.Rank(0) != 4 || scale < 1 || scale > 1000000)
    return Unsupported("its input is not N, C, H, W, or its scale is out of range");
  CallChain chain(node);
  const Dimensions& first = node.Shape(0);
  std::vector<int> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Dimensions& shape = node.Shape(i);
    if (shape.size() != 4 || shape[2] < 1 || shape[3] < 1)
      return Unsupported("its input is not N, C, H, W, or is empty");
    const Dimensions output = {shape[0], shape[1], first[2] * scale, first[3] * scale};
    parts.push_back(chain.Call("Resize", {static_cast<int>(i)}));
    Parameters& parameters = chain.Last().parameters;
    parameters.Set("mode", "nearest");
    parameters.Set("coordinates", "asymmetric");
    parameters.Set("rounding", "floor");
    parameters.Set("output", output);
    for (std::size_t d = 0; d < 4; ++d) {
      parameters.Set("scale" + std::to_string(d),
                     static_cast<double>(output[d]) / static_cast<double>(shape[d]));
    }
  }
  if (parts.size() == 1) return std::move(chain).Finish("Identity", parts);
  if (node.Word("multi_input_mode", "concat") == "sum") {
    return std::move(chain).Finish("Sum", parts);
  }
  LoweredNode bound = std::move(chain).Finish("Concat", parts);
  bound.parameters.Set("axis", std::int64_t{1});
  return bound;
}

// Resizes to a size or by scales, aligned at the corner pixels by default.
LoweredNode BindBilinearResize(const MxnetNode& node) {
  if (node.Rank(0) != 4) return Unsupported("its input is not N, C, H, W");
  const std::string mode = node.Word("mode", "size");
  Dimensions output = node.Shape(0);
  const bool scaled = node.HasAttribute("scale_height") && node.HasAttribute("scale_width");
  if (mode == "like" && node.Has(1) && node.Rank(1) == 4) {
    output[2] = node.Shape(1)[2];
    output[3] = node.Shape(1)[3];
  } else if (mode == "size" && scaled) {
    const auto size = [&](std::size_t d, const char* name) {
      const double wide = static_cast<double>(node.Shape(0)[d]) * node.Number(name, 1);
      return wide >= 1 && wide < 1e9 ? static_cast<std::int64_t>(wide) : std::int64_t{0};
    };
    output[2] = size(2, "scale_height");
    output[3] = size(3, "scale_width");
  } else if (mode == "size") {
    output[2] = node.Integer("height", 1);
    output[3] = node.Integer("width", 1);
  } else {
    return Unsupported("there is no kernel for its mode");
  }
  if (output[2] < 1 || output[3] < 1) return Unsupported("its size is out of range");
  LoweredNode bound = BindFirst(node, "Resize");
  bound.parameters.Set("mode", "linear");
  bound.parameters.Set("coordinates",
                       node.Flag("align_corners", true) ? "align_corners" : "half_pixel");
  SetScales(node, output, bound.parameters);
  return bound;
}

LoweredNode BindAdaptivePooling(const MxnetNode& node) {
  Integers size = node.List("output_size");
  if (size.empty()) size = {1};
  if (size.size() == 1) size.push_back(size[0]);
  LoweredNode bound = BindFirst(node, "AdaptiveAveragePool");
  bound.parameters.Set("output", size);
  return bound;
}

// Regions: batch, x1, y1, x2, y2.
LoweredNode BindRoiAlign(const MxnetNode& node) {
  if (node.Rank(1) != 2 || node.Shape(1)[1] != 5)
    return Unsupported("its regions do not have five elements");
  if (node.Flag("position_sensitive", false))
    return Unsupported("its position-sensitive channels are not supported");
  const Integers size = node.List("pooled_size");
  if (size.empty()) return Unsupported("it has no pooled_size");
  const std::int64_t regions = node.Shape(1)[0];
  CallChain chain(node);
  const auto columns = [&](std::int64_t first, std::int64_t count) {
    const int part = chain.Call("Slice", {1});
    chain.Last().parameters.Set("starts", Integers{0, first});
    chain.Last().parameters.Set("steps", Integers{1, 1});
    chain.Last().parameters.Set("shape", Integers{regions, count});
    return part;
  };
  const int boxes = columns(1, 4);
  const int column = columns(0, 1);
  const int batch = chain.Call("Cast", {column});
  chain.Last().parameters.Set("to", "int32");
  LoweredNode bound = std::move(chain).Finish("RoiAlign", {0, boxes, batch});
  bound.views[2] = {regions};
  bound.parameters.Set("rows", size[0]);
  bound.parameters.Set("columns", size.size() > 1 ? size[1] : size[0]);
  bound.parameters.Set("samples", std::max<std::int64_t>(node.Integer("sample_ratio", -1), 0));
  bound.parameters.Set("scale", node.Number("spatial_scale", 1));
  bound.parameters.Set("half_pixel", std::int64_t{node.Flag("aligned", false) ? 1 : 0});
  return bound;
}

LoweredNode BindBoxNms(const MxnetNode& node) {
  if (node.Wants(1)) return Unsupported("its second output is not supported");
  if (node.Integer("topk", -1) == 0) return BindMxnetIdentity(node);
  LoweredNode bound = BindFirst(node, "BoxNms");
  Parameters& parameters = bound.parameters;
  parameters.Set("overlap", node.Number("overlap_thresh", 0.5));
  parameters.Set("min_score", node.Number("valid_thresh", 0));
  parameters.Set("top", node.Integer("topk", -1));
  parameters.Set("box", node.Integer("coord_start", 2));
  parameters.Set("score", node.Integer("score_index", 1));
  parameters.Set("class", node.Integer("id_index", -1));
  parameters.Set("background", node.Integer("background_id", -1));
  parameters.Set("across", std::int64_t{node.Flag("force_suppress", false) ? 1 : 0});
  const auto is_centre = [&](const char* name) {
    return std::int64_t{node.Word(name, "corner") == "center" ? 1 : 0};
  };
  parameters.Set("centres", is_centre("in_format"));
  parameters.Set("gives_centres", is_centre("out_format"));
  return bound;
}

LoweredNode BindBlocks(const MxnetNode& node) {
  LoweredNode bound =
      BindFirst(node, node.op() == "depth_to_space" ? "DepthToSpace" : "SpaceToDepth");
  bound.parameters.Set("block", node.Integer("block_size", 0));
  return bound;
}

}  // namespace

const std::vector<MxnetBinding>& MxnetSpatial() {
  static const std::vector<MxnetBinding> kTable = {
      {"Pooling", BindPooling},
      {"UpSampling", BindUpSampling},
      {"_contrib_AdaptiveAvgPooling2D", BindAdaptivePooling},
      {"_contrib_BilinearResize2D", BindBilinearResize},
      {"_contrib_ROIAlign", BindRoiAlign, 2},
      {"_contrib_box_nms", BindBoxNms},
      {"depth_to_space", BindBlocks},
      {"space_to_depth", BindBlocks},
  };
  return kTable;
}

// Defaults as in src/operator/nn/convolution-inl.h, deconvolution-inl.h and pooling-inl.h of MXNet.

bool HasChannelsFirst(const MxnetNode& node) {
  const std::string layout = node.Word("layout", "NCHW");
  return layout.size() < 2 || layout[1] == 'C';
}

Integers SpatialList(const MxnetNode& node, std::string_view name, std::size_t rank,
                     std::int64_t absent) {
  Integers list = node.List(name);
  if (list.empty()) list.assign(rank, absent);
  list.resize(rank, absent);
  return list;
}

void SetMxnetWindow(const MxnetNode& node, Parameters& parameters) {
  const Integers kernel = node.List("kernel");
  const std::size_t rank = kernel.size();
  const Integers pads = SpatialList(node, "pad", rank, 0);
  parameters.Set("kernel", kernel);
  parameters.Set("strides", SpatialList(node, "stride", rank, 1));
  parameters.Set("dilations", SpatialList(node, "dilate", rank, 1));
  parameters.Set("begin", pads);
  parameters.Set("end", pads);
}

std::optional<std::int64_t> WholeExtent(std::int64_t size, const MxnetExtent& extent) {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  const auto within = [](std::int64_t number, std::int64_t min) {
    return number >= min && number < kMax;
  };
  if (!within(size, 1) || !within(extent.kernel, 1) || !within(extent.stride, 1) ||
      !within(extent.dilation, 1) || !within(extent.pad, 0) || !within(extent.adjust, 0)) {
    return std::nullopt;
  }
  return extent.stride * (size - 1) + (extent.kernel - 1) * extent.dilation + 1;
}

}  // namespace opledger

// MXNet's operators on boxes and on grids over images. See src/operator/roi_pooling.cc, crop-inl.h,
// grid_generator-inl.h, contrib/bounding_box-inl.h.
// SPDX-License-Identifier: Apache-2.0

#include "kernels/bindings/mxnet/node.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

LoweredNode BindRoiPooling(const MxnetNode& node) {
  const Integers size = node.List("pooled_size");
  if (size.size() != 2) return Unsupported("it has no pooled_size");
  LoweredNode bound = BindAs(node, "RoiPool");
  bound.parameters.Set("rows", size[0]);
  bound.parameters.Set("columns", size[1]);
  bound.parameters.Set("scale", node.Number("spatial_scale", 1));
  return bound;
}

// Crops to the size of the second input, or to h_w: at an offset, or centered.
LoweredNode BindCrop(const MxnetNode& node) {
  if (node.Rank(0) != 4) return Unsupported("its input is not N, C, H, W");
  const Dimensions& in = node.Shape(0);
  Integers size = node.List("h_w", {0, 0});
  if (node.Integer("num_args", 1) > 1) {
    if (!node.Has(1) || node.Rank(1) != 4) return Unsupported("its second input is not N, C, H, W");
    size = {node.Shape(1)[2], node.Shape(1)[3]};
  }
  Integers offset = node.List("offset", {0, 0});
  if (size.size() != 2 || offset.size() != 2)
    return Unsupported("its size or offset does not have two elements");
  if (node.Flag("center_crop", false)) offset = {(in[2] - size[0]) / 2, (in[3] - size[1]) / 2};
  for (std::size_t d = 0; d < 2; ++d) {
    if (size[d] < 1 || offset[d] < 0 || size[d] > in[d + 2] || offset[d] > in[d + 2] - size[d]) {
      return Unsupported("the region that it keeps is not within its input");
    }
  }
  LoweredNode bound = BindFirst(node, "Slice");
  bound.parameters.Set("starts", Integers{0, 0, offset[0], offset[1]});
  bound.parameters.Set("steps", Integers{1, 1, 1, 1});
  bound.parameters.Set("shape", Integers{in[0], in[1], size[0], size[1]});
  return bound;
}

// Returns a constant with a plane for each coordinate of a grid of rows and columns: `write(plane,
// row, column)` returns the elements.
template <typename Write>
ConstantTensor GridOf(Dtype dtype, Dimensions shape, std::int64_t rows, std::int64_t columns,
                      const Write& write) {
  ConstantTensor grid({dtype, std::move(shape)});
  WithFloat(dtype, [&]<typename T>(T*) {
    auto* out = grid.As<T>();
    const std::int64_t places = rows * columns;
    const auto parts = static_cast<std::int64_t>(Elements(grid.type.dimensions)) / places;
    for (std::int64_t i = 0; i < places * parts; ++i) {
      const std::int64_t place = i % places;
      Store(out[i], static_cast<Computed<T>>(write(i / places, place / columns, place % columns)));
    }
  });
  return grid;
}

// From -1 to 1; NaN for a single position, as in MXNet.
double GridPlace(std::int64_t at, std::int64_t size) {
  return -1 + 2 * static_cast<double>(at) / static_cast<double>(size - 1);
}

// (batches, 6): applies an affine map to each position of target_shape.
LoweredNode BindAffineGrid(const MxnetNode& node) {
  const Integers target = node.List("target_shape");
  if (target.size() != 2 || target[0] < 1 || target[1] < 1 || node.Rank(0) != 2 ||
      node.Shape(0)[1] != 6) {
    return Unsupported("its maps do not have six elements, or its target_shape is invalid");
  }
  const Dtype dtype = node.Input(0).dtype;
  const std::int64_t rows = target[0];
  const std::int64_t columns = target[1];
  if (rows > 1 << 20 || columns > 1 << 20 || !CheckSize({dtype, {3, rows, columns}})) {
    return Unsupported("its grid is too large");
  }
  CallChain chain(node);
  const int grid = chain.Operand(GridOf(
      dtype, {3, rows * columns}, rows, columns,
      [&](std::int64_t part, std::int64_t row, std::int64_t column) {
        return part == 0 ? GridPlace(column, columns) : part == 1 ? GridPlace(row, rows) : 1.0;
      }));
  const int maps = chain.Reshaped(0, {node.Shape(0)[0], 2, 3});
  LoweredNode bound = std::move(chain).Finish("MatMul", {maps, grid});
  bound.shapes[0] = {node.Shape(0)[0], 2, rows, columns};
  return bound;
}

// (batches, 2, rows, columns): positions from -1 to 1, displaced by a flow.
LoweredNode BindWarpGrid(const MxnetNode& node) {
  if (node.Rank(0) != 4 || node.Shape(0)[1] != 2)
    return Unsupported("its flow does not have two channels");
  const Dtype dtype = node.Input(0).dtype;
  const std::int64_t rows = node.Shape(0)[2];
  const std::int64_t columns = node.Shape(0)[3];
  const TensorType type{dtype, {2, rows, columns}};
  if (rows < 1 || columns < 1 || !CheckSize(type)) return Unsupported("its flow is empty");
  CallChain chain(node);
  const int places =
      chain.Operand(GridOf(dtype, type.dimensions, rows, columns,
                           [](std::int64_t part, std::int64_t row, std::int64_t column) {
                             return static_cast<double>(part == 0 ? column : row);
                           }));
  const int half = chain.Operand(
      GridOf(dtype, {2, 1, 1}, 1, 1, [&](std::int64_t part, std::int64_t, std::int64_t) {
        return static_cast<double>((part == 0 ? columns : rows) - 1) / 2;
      }));
  const int moved = chain.Call("Add", {0, places});
  const int scaled = chain.Call("Div", {moved, half});
  const int one = chain.Scalar(dtype, 1);
  return std::move(chain).Finish("Sub", {scaled, one});
}

LoweredNode BindGridGenerator(const MxnetNode& node) {
  return node.Word("transform_type", "affine") == "warp" ? BindWarpGrid(node)
                                                         : BindAffineGrid(node);
}

// Left, top, right and bottom of boxes, one value each.
struct Sides {
  int low[2];
  int high[2];
};

Sides SidesOf(CallChain& chain, int input, const Dimensions& shape, bool centres, Dtype dtype) {
  const int part = chain.Split(input, static_cast<std::int64_t>(shape.size()) - 1, {1, 1, 1, 1});
  Sides sides = {{part, part + 1}, {part + 2, part + 3}};
  for (int d = 0; centres && d < 2; ++d) {
    const int half = chain.Call("Mul", {part + 2 + d, chain.Scalar(dtype, 0.5)});
    sides.low[d] = chain.Call("Sub", {part + d, half});
    sides.high[d] = chain.Call("Add", {part + d, half});
  }
  return sides;
}

// Returns the index of the area; negative side lengths count as 0.
int AreaOf(CallChain& chain, const Sides& sides) {
  int side[2];
  for (int d = 0; d < 2; ++d) {
    side[d] = chain.Call("Relu", {chain.Call("Sub", {sides.high[d], sides.low[d]})});
  }
  return chain.Call("Mul", {side[0], side[1]});
}

// Intersection over union of every box of the first input with every box of the second.
LoweredNode BindBoxIou(const MxnetNode& node) {
  if (node.Rank(0) < 1 || node.Rank(1) < 1 || node.Shape(0).back() != 4 ||
      node.Shape(1).back() != 4) {
    return Unsupported("its boxes do not have four coordinates");
  }
  const Dtype dtype = node.Input(0).dtype;
  const bool centres = node.Word("format", "corner") == "center";
  const Dimensions a(node.Shape(0).begin(), node.Shape(0).end() - 1);
  const Dimensions b(node.Shape(1).begin(), node.Shape(1).end() - 1);
  const Dimensions rows = {static_cast<std::int64_t>(Elements(a)), 1, 4};
  const Dimensions columns = {1, static_cast<std::int64_t>(Elements(b)), 4};
  CallChain chain(node);
  const Sides first = SidesOf(chain, chain.Reshaped(0, rows), rows, centres, dtype);
  const Sides second = SidesOf(chain, chain.Reshaped(1, columns), columns, centres, dtype);
  Sides both{};
  for (int d = 0; d < 2; ++d) {
    both.low[d] = chain.Call("Max", {first.low[d], second.low[d]});
    both.high[d] = chain.Call("Min", {first.high[d], second.high[d]});
  }
  const int shared = AreaOf(chain, both);
  const int sum = chain.Call("Add", {AreaOf(chain, first), AreaOf(chain, second)});
  const int covered = chain.Call("Sub", {sum, shared});
  const int zero = chain.Scalar(dtype, 0);
  const int part = chain.Call("Div", {shared, covered});
  const int any = chain.Call("Greater", {shared, zero});
  LoweredNode bound = std::move(chain).Finish("Where", {any, part, zero});
  bound.shapes[0] = a;
  bound.shapes[0].insert(bound.shapes[0].end(), b.begin(), b.end());
  return bound;
}

}  // namespace

const std::vector<MxnetBinding>& MxnetRegions() {
  static const std::vector<MxnetBinding> kTable = {
      {"Crop", BindCrop},
      {"GridGenerator", BindGridGenerator},
      {"ROIPooling", BindRoiPooling, 2},
      {"_contrib_box_iou", BindBoxIou, 2},
  };
  return kTable;
}

}  // namespace opledger

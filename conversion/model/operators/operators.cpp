// The table of operators, by name.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/operators/operators.h"

#include <algorithm>
#include <iterator>

namespace opledger {
namespace {

// Sorted by name.
constexpr OperatorRecord kOperators[] = {
    {"Abs", AbsShape, UnaryRanges},
    {"Acos", SameShape, UnaryRanges},
    {"Acosh", SameShape, UnaryRanges},
    {"Add", ArithmeticShape, AddRanges},
    {"And", BroadcastShape, CompareRanges},
    {"ArgMax", ArgShape, IndexRanges},
    {"ArgMin", ArgShape, IndexRanges},
    {"Asin", SameShape, UnaryRanges},
    {"Asinh", SameShape, UnaryRanges},
    {"Atan", SameShape, UnaryRanges},
    {"Atanh", SameShape, UnaryRanges},
    {"AveragePool", PoolShape, PoolRanges},
    {"BatchNormalization", SameShape, BatchNormalizationRanges},
    {"Bernoulli", SameShape, nullptr},
    {"Cast", PassedShape, CastRanges},
    {"CastLike", SameShape, CastRanges},
    {"Ceil", SameShape, UnaryRanges},
    {"Celu", SameShape, nullptr},
    {"CenterCropPad", nullptr, WithZeroRanges},
    {"Clip", SameShape, ClipRanges},
    {"Compress", nullptr, BoundsRanges},
    {"Concat", ConcatShape, ConcatRanges},
    {"ConcatFromSequence", nullptr, BoundsRanges},
    {"ConstantOfShape", ShapeFromInput, ConstantOfShapeRanges},
    {"Conv", ConvShape, ConvRanges},
    {"ConvTranspose", ConvTransposeShape, ConvRanges},
    {"Cos", SameShape, UnaryRanges},
    {"Cosh", SameShape, UnaryRanges},
    {"CumSum", SameShape, CumSumRanges},
    {"DepthToSpace", DepthToSpaceShape, BoundsRanges},
    {"DequantizeLinear", SameShape, DequantizeRanges},
    {"Div", ArithmeticShape, DivRanges},
    {"Dropout", SameShape, DropoutRanges},
    {"Einsum", nullptr, EinsumRanges},
    {"Elu", SameShape, UnaryRanges},
    {"Equal", EqualShape, CompareRanges},
    {"Erf", SameShape, UnaryRanges},
    {"Exp", SameShape, UnaryRanges},
    {"Expand", ExpandShape, ExpandRanges},
    {"EyeLike", SameShape, nullptr},
    {"Flatten", FlattenShape, ReshapedRanges},
    {"Floor", SameShape, UnaryRanges},
    {"GRU", RecurrentShape, RecurrentRanges},
    {"Gather", GatherShape, GatherRanges},
    {"GatherElements", ShapeOfIndices, BoundsRanges},
    {"GatherND", nullptr, BoundsRanges},
    {"Gelu", SameShape, UnaryRanges},
    {"Gemm", GemmShape, GemmRanges},
    {"GlobalAveragePool", GlobalPoolShape, PoolRanges},
    {"GlobalLpPool", GlobalPoolShape, nullptr},
    {"GlobalMaxPool", GlobalPoolShape, PoolRanges},
    {"Greater", BroadcastShape, CompareRanges},
    {"GreaterOrEqual", BroadcastShape, CompareRanges},
    {"GridSample", nullptr, GridSampleRanges},
    {"GroupNormalization", SameShape, NormalizationRanges},
    {"HardSigmoid", SameShape, UnaryRanges},
    {"HardSwish", SameShape, UnaryRanges},
    {"Hardmax", SameShape, nullptr},
    {"Identity", PassedShape, SameRanges},
    {"InstanceNormalization", SameShape, NormalizationRanges},
    {"IsInf", SameShape, UnaryRanges},
    {"IsNaN", SameShape, UnaryRanges},
    {"LRN", SameShape, nullptr},
    {"LSTM", RecurrentShape, RecurrentRanges},
    {"LayerNormalization", SameShape, NormalizationRanges},
    {"LeakyRelu", SameShape, UnaryRanges},
    {"Less", BroadcastShape, CompareRanges},
    {"LessOrEqual", BroadcastShape, CompareRanges},
    {"Log", SameShape, UnaryRanges},
    {"LogSoftmax", SameShape, SoftmaxRanges},
    {"LpNormalization", SameShape, NormalizationRanges},
    {"LpPool", PoolShape, nullptr},
    {"MatMul", MatMulShape, MatMulRanges},
    {"Max", ArithmeticShape, MaxRanges},
    {"MaxPool", PoolShape, PoolRanges},
    {"MaxUnpool", nullptr, WithZeroRanges},
    {"Mean", BroadcastShape, MeanRanges},
    {"Min", ArithmeticShape, MinRanges},
    {"Mish", SameShape, UnaryRanges},
    {"Mod", BroadcastShape, ModRanges},
    {"Mul", ArithmeticShape, MulRanges},
    {"Neg", NegShape, UnaryRanges},
    {"NonMaxSuppression", nullptr, IndexRanges},
    {"NonZero", nullptr, IndexRanges},
    {"Not", SameShape, UnaryRanges},
    {"OneHot", nullptr, OneHotRanges},
    {"Optional", nullptr, SameRanges},
    {"OptionalGetElement", nullptr, SameRanges},
    {"Or", BroadcastShape, CompareRanges},
    {"PRelu", SameShape, PReluRanges},
    {"Pad", PadShape, PadRanges},
    {"Pow", BroadcastShape, PowRanges},
    {"QuantizeLinear", SameShape, nullptr},
    {"RMSNormalization", SameShape, NormalizationRanges},
    {"RNN", RecurrentShape, RecurrentRanges},
    {"RandomNormalLike", SameShape, nullptr},
    {"RandomUniform", nullptr, RandomRanges},
    {"RandomUniformLike", SameShape, RandomRanges},
    {"Range", RangeShape, RangeRanges},
    {"Reciprocal", SameShape, UnaryRanges},
    {"ReduceL1", ReduceShape, ReduceRanges},
    {"ReduceL2", ReduceShape, ReduceRanges},
    {"ReduceLogSum", ReduceShape, nullptr},
    {"ReduceLogSumExp", ReduceShape, nullptr},
    {"ReduceMax", ReduceShape, ReduceRanges},
    {"ReduceMean", ReduceShape, ReduceRanges},
    {"ReduceMin", ReduceShape, ReduceRanges},
    {"ReduceProd", ReduceShape, ReduceRanges},
    {"ReduceSum", ReduceShape, ReduceRanges},
    {"ReduceSumSquare", ReduceShape, ReduceRanges},
    {"Relu", SameShape, UnaryRanges},
    {"Reshape", ReshapeShape, ReshapedRanges},
    {"Resize", ResizeShape, ResizeRanges},
    {"ReverseSequence", SameShape, BoundsRanges},
    {"Round", SameShape, UnaryRanges},
    {"Scatter", SameShape, ScatterRanges},
    {"ScatterElements", SameShape, ScatterRanges},
    {"ScatterND", SameShape, ScatterRanges},
    {"Selu", SameShape, UnaryRanges},
    {"SequenceAt", nullptr, BoundsRanges},
    {"SequenceConstruct", nullptr, HullRanges},
    {"SequenceEmpty", nullptr, EmptyRanges},
    {"SequenceErase", nullptr, BoundsRanges},
    {"SequenceInsert", nullptr, HullRanges},
    {"Shape", ShapeOfInput, ShapeRanges},
    {"Shrink", SameShape, nullptr},
    {"Sigmoid", SameShape, UnaryRanges},
    {"Sign", SameShape, UnaryRanges},
    {"SimplifiedLayerNormalization", nullptr, NormalizationRanges},
    {"Sin", SameShape, UnaryRanges},
    {"Sinh", SameShape, UnaryRanges},
    {"Size", SizeShape, SizeRanges},
    {"Slice", SliceShape, SliceRanges},
    {"Softmax", SameShape, SoftmaxRanges},
    {"Softplus", SameShape, UnaryRanges},
    {"Softsign", SameShape, UnaryRanges},
    {"SpaceToDepth", SpaceToDepthShape, BoundsRanges},
    {"Split", SplitShape, SplitRanges},
    {"SplitToSequence", nullptr, BoundsRanges},
    {"Sqrt", SameShape, UnaryRanges},
    {"Squeeze", SqueezeShape, ReshapedRanges},
    {"Sub", ArithmeticShape, SubRanges},
    {"Sum", BroadcastShape, SumRanges},
    {"Swish", SameShape, UnaryRanges},
    {"Tan", SameShape, nullptr},
    {"Tanh", SameShape, UnaryRanges},
    {"ThresholdedRelu", SameShape, UnaryRanges},
    {"Tile", TileShape, TileRanges},
    {"TopK", TopKShape, TopKRanges},
    {"Transpose", TransposeShape, TransposeRanges},
    {"Trilu", SameShape, WithZeroRanges},
    {"Unique", nullptr, BoundsRanges},
    {"Unsqueeze", UnsqueezeShape, ReshapedRanges},
    {"Upsample", UpsampleShape, ResizeRanges},
    {"Where", WhereShape, WhereRanges},
    {"Xor", BroadcastShape, CompareRanges},
    {"com.microsoft.FastGelu", nullptr, UnaryRanges},
    {"com.microsoft.Gelu", nullptr, UnaryRanges},
    {"com.microsoft.QuickGelu", nullptr, UnaryRanges},
};

static_assert(std::is_sorted(std::begin(kOperators), std::end(kOperators),
                             [](const OperatorRecord& a, const OperatorRecord& b) {
                               return a.name < b.name;
                             }));

}  // namespace

const OperatorRecord* FindRecord(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kOperators), std::end(kOperators), name,
      [](const OperatorRecord& each, std::string_view wanted) { return each.name < wanted; });
  return found != std::end(kOperators) && found->name == name ? found : nullptr;
}

bool KeepsShape(std::string_view op) {
  const OperatorRecord* found = FindRecord(op);
  return found != nullptr && (found->shapes == SameShape || found->shapes == PassedShape ||
                              found->shapes == NegShape || found->shapes == AbsShape);
}

bool BroadcastsShapes(std::string_view op) {
  const OperatorRecord* found = FindRecord(op);
  return found != nullptr && (found->shapes == BroadcastShape || found->shapes == ArithmeticShape ||
                              found->shapes == EqualShape || found->shapes == WhereShape);
}

void ApplyShapeRule(const OnnxModel& model, NodeId node, Shapes& shapes) {
  const Node& what = model.graph.nodes[node];
  if (!what.domain.empty() || model.graph.Called(what) != kNone) return;
  RuleContext context(model, node, shapes);
  const OperatorRecord* found = FindRecord(what.op);
  if (found != nullptr && found->shapes != nullptr) found->shapes(context);
}

}  // namespace opledger

// Defines the table of operators, sorted by name.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/operators/operators.h"

#include <algorithm>
#include <iterator>

#include "conversion/model/operators/names.h"

namespace opledger {
namespace {

// A record of a unary element-wise operator. `range` is nullptr if it is not known.
constexpr OperatorRecord Unary(std::string_view name, UnaryRange range,
                               ShapeFunction shapes = SameShape) {
  return {name, shapes, range == nullptr ? nullptr : UnaryRanges, range};
}

// Sorted by name.
constexpr OperatorRecord kOperators[] = {
    Unary("Abs", AbsRange, AbsShape),
    Unary("Acos", AcosRange),
    Unary("Acosh", AcoshRange),
    {"Add", ArithmeticShape, AddRanges},
    {"And", BroadcastShape, CompareRanges},
    {"ArgMax", ArgShape, IndexRanges},
    {"ArgMin", ArgShape, IndexRanges},
    Unary("Asin", AsinRange),
    Unary("Asinh", AsinhRange),
    Unary("Atan", AtanRange),
    Unary("Atanh", AtanhRange),
    {"AveragePool", PoolShape, PoolRanges},
    {"BatchNormalization", SameShape, BatchNormalizationRanges},
    {"Bernoulli", SameShape, nullptr},
    {"BitCast", SameShape, nullptr},
    {"BitShift", BroadcastShape, nullptr},
    {"BitwiseAnd", BroadcastShape, nullptr},
    {"BitwiseNot", SameShape, nullptr},
    {"BitwiseOr", BroadcastShape, nullptr},
    {"BitwiseXor", BroadcastShape, nullptr},
    {"Cast", PassedShape, CastRanges},
    {"CastLike", SameShape, CastRanges},
    Unary("Ceil", CeilRange),
    Unary("Celu", nullptr),
    {"CenterCropPad", nullptr, WithZeroRanges},
    {"Clip", SameShape, ClipRanges},
    {"Compress", nullptr, BoundsRanges},
    {"Concat", ConcatShape, ConcatRanges},
    {"ConcatFromSequence", nullptr, BoundsRanges},
    {"ConstantOfShape", ShapeFromInput, ConstantOfShapeRanges},
    {"Conv", ConvShape, ConvRanges},
    {"ConvTranspose", ConvTransposeShape, ConvRanges},
    Unary("Cos", WaveRange),
    Unary("Cosh", CoshRange),
    {"CumSum", SameShape, CumSumRanges},
    {"DepthToSpace", DepthToSpaceShape, BoundsRanges},
    {"DequantizeLinear", SameShape, DequantizeRanges},
    {"Div", ArithmeticShape, DivRanges},
    {"Dropout", SameShape, DropoutRanges},
    {"Einsum", nullptr, EinsumRanges},
    Unary("Elu", EluRange),
    {"Equal", EqualShape, CompareRanges},
    Unary("Erf", ErfRange),
    Unary("Exp", ExpRange),
    {"Expand", ExpandShape, ExpandRanges},
    {"EyeLike", SameShape, nullptr},
    {"Flatten", FlattenShape, ReshapedRanges},
    Unary("Floor", FloorRange),
    {"GRU", RecurrentShape, RecurrentRanges},
    {"Gather", GatherShape, GatherRanges},
    {"GatherElements", ShapeOfIndices, BoundsRanges},
    {"GatherND", nullptr, BoundsRanges},
    Unary("Gelu", GeluRange),
    {"Gemm", GemmShape, GemmRanges},
    {"GlobalAveragePool", GlobalPoolShape, PoolRanges},
    {"GlobalLpPool", GlobalPoolShape, nullptr},
    {"GlobalMaxPool", GlobalPoolShape, PoolRanges},
    {"Greater", BroadcastShape, CompareRanges},
    {"GreaterOrEqual", BroadcastShape, CompareRanges},
    {"GridSample", nullptr, GridSampleRanges},
    {"GroupNormalization", SameShape, NormalizationRanges},
    Unary("HardSigmoid", HardSigmoidRange),
    Unary("HardSwish", HardSwishRange),
    {"Hardmax", SameShape, nullptr},
    {"Identity", PassedShape, SameRanges},
    {"InstanceNormalization", SameShape, NormalizationRanges},
    Unary("IsInf", TruthRange),
    Unary("IsNaN", TruthRange),
    {"LRN", SameShape, nullptr},
    {"LSTM", RecurrentShape, RecurrentRanges},
    {"LayerNormalization", SameShape, NormalizationRanges},
    Unary("LeakyRelu", LeakyReluRange),
    {"Less", BroadcastShape, CompareRanges},
    {"LessOrEqual", BroadcastShape, CompareRanges},
    Unary("Log", LogRange),
    {"LogSoftmax", SameShape, SoftmaxRanges},
    {"LpNormalization", SameShape, NormalizationRanges},
    {"LpPool", PoolShape, nullptr},
    {"MatMul", MatMulShape, MatMulRanges},
    {"Max", ArithmeticShape, MaxRanges},
    {"MaxPool", PoolShape, PoolRanges},
    {"MaxUnpool", nullptr, WithZeroRanges},
    {"Mean", BroadcastShape, MeanRanges},
    {"Min", ArithmeticShape, MinRanges},
    Unary("Mish", MishRange),
    {"Mod", BroadcastShape, ModRanges},
    {"Mul", ArithmeticShape, MulRanges},
    Unary("Neg", NegRange, NegShape),
    {"NonMaxSuppression", nullptr, IndexRanges},
    {"NonZero", nullptr, IndexRanges},
    Unary("Not", NotRange),
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
    Unary("Reciprocal", ReciprocalRange),
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
    Unary("Relu", ReluRange),
    {"Reshape", ReshapeShape, ReshapedRanges},
    {"Resize", ResizeShape, ResizeRanges},
    {"ReverseSequence", SameShape, BoundsRanges},
    Unary("Round", RoundRange),
    {"Scatter", SameShape, ScatterRanges},
    {"ScatterElements", SameShape, ScatterRanges},
    {"ScatterND", SameShape, ScatterRanges},
    Unary("Selu", SeluRange),
    {"SequenceAt", nullptr, BoundsRanges},
    {"SequenceConstruct", nullptr, HullRanges},
    {"SequenceEmpty", nullptr, EmptyRanges},
    {"SequenceErase", nullptr, BoundsRanges},
    {"SequenceInsert", nullptr, HullRanges},
    {"Shape", ShapeOfInput, ShapeRanges},
    Unary("Shrink", nullptr),
    Unary("Sigmoid", SigmoidRange),
    Unary("Sign", SignRange),
    {"SimplifiedLayerNormalization", nullptr, NormalizationRanges},
    Unary("Sin", WaveRange),
    Unary("Sinh", SinhRange),
    {"Size", SizeShape, SizeRanges},
    {"Slice", SliceShape, SliceRanges},
    {"Softmax", SameShape, SoftmaxRanges},
    Unary("Softplus", SoftplusRange),
    Unary("Softsign", SoftsignRange),
    {"SpaceToDepth", SpaceToDepthShape, BoundsRanges},
    {"Split", SplitShape, SplitRanges},
    {"SplitToSequence", nullptr, BoundsRanges},
    Unary("Sqrt", SqrtRange),
    {"Squeeze", SqueezeShape, ReshapedRanges},
    {"Sub", ArithmeticShape, SubRanges},
    {"Sum", BroadcastShape, SumRanges},
    Unary("Swish", SwishRange),
    Unary("Tan", nullptr),
    Unary("Tanh", TanhRange),
    Unary("ThresholdedRelu", ThresholdedReluRange),
    {"Tile", TileShape, TileRanges},
    {"TopK", TopKShape, TopKRanges},
    {"Transpose", TransposeShape, TransposeRanges},
    {"Trilu", SameShape, WithZeroRanges},
    {"Unique", nullptr, BoundsRanges},
    {"Unsqueeze", UnsqueezeShape, ReshapedRanges},
    {"Upsample", UpsampleShape, ResizeRanges},
    {"Where", WhereShape, WhereRanges},
    {"Xor", BroadcastShape, CompareRanges},
    {"com.microsoft.FastGelu", nullptr, FastGeluRanges},
    {"com.microsoft.Gelu", nullptr, UnaryRanges},
    {"com.microsoft.QuickGelu", nullptr, QuickGeluRanges},
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

bool HasRecord(std::string_view name) { return FindRecord(name) != nullptr; }

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

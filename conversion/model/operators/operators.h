// Records of operators: what both conversion and kernels need to know. A record (kOperators in
// operators.cpp) has a name, a shape function and a range function; on ranges of a single number,
// the latter computes the operator. Signatures come from manifests
// (conversion/model/graph/signature.h). *_shapes.cpp and *_ranges.cpp define the functions, one
// family per file. Without a function, shapes are unknown, or outputs may be any number of the
// type.
// May include: conversion/model/onnx, conversion/model/ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "conversion/model/operators/range_context.h"
#include "conversion/model/operators/shape_rule.h"

namespace opledger {

using ShapeFunction = void (*)(RuleContext& node);
using RangeFunction = void (*)(RangeContext& node);
using UnaryRange = Range (*)(RangeContext& node, const Range& x);

struct OperatorRecord {
  std::string_view name;  // including its domain unless that is the default one
  ShapeFunction shapes = nullptr;
  RangeFunction ranges = nullptr;
  UnaryRange unary = nullptr;  // for a unary function, whose `ranges` is UnaryRanges
};

// Returns nullptr if there is no record. `name` is qualified (QualifiedName).
const OperatorRecord* FindRecord(std::string_view name);
// Like FindRecord, for an MXNet operator. Sets `op` to the ONNX operator that the record describes.
const OperatorRecord* FindMxnetRecord(std::string_view name, std::string_view& op);

// The functions of the table. Each sets what is known about the node's outputs.
// pointwise_ranges.cpp: element-wise with several inputs.
void AddRanges(RangeContext& node);
void SubRanges(RangeContext& node);
void MulRanges(RangeContext& node);
void DivRanges(RangeContext& node);
void ModRanges(RangeContext& node);
void PowRanges(RangeContext& node);
void MinRanges(RangeContext& node);
void MaxRanges(RangeContext& node);
void SumRanges(RangeContext& node);
void MeanRanges(RangeContext& node);
void WhereRanges(RangeContext& node);
void ClipRanges(RangeContext& node);
void CompareRanges(RangeContext& node);
void PReluRanges(RangeContext& node);

// unary_ranges.cpp: element-wise with one input.
void UnaryRanges(RangeContext& node);
void FastGeluRanges(RangeContext& node);
void QuickGeluRanges(RangeContext& node);
Range AbsRange(RangeContext& node, const Range& x);
Range AcosRange(RangeContext& node, const Range& x);
Range AcoshRange(RangeContext& node, const Range& x);
Range AsinRange(RangeContext& node, const Range& x);
Range AsinhRange(RangeContext& node, const Range& x);
Range AtanRange(RangeContext& node, const Range& x);
Range AtanhRange(RangeContext& node, const Range& x);
Range CeilRange(RangeContext& node, const Range& x);
Range CoshRange(RangeContext& node, const Range& x);
Range EluRange(RangeContext& node, const Range& x);
Range ErfRange(RangeContext& node, const Range& x);
Range ExpRange(RangeContext& node, const Range& x);
Range FloorRange(RangeContext& node, const Range& x);
Range GeluRange(RangeContext& node, const Range& x);
Range HardSigmoidRange(RangeContext& node, const Range& x);
Range HardSwishRange(RangeContext& node, const Range& x);
Range LeakyReluRange(RangeContext& node, const Range& x);
Range LogRange(RangeContext& node, const Range& x);
Range MishRange(RangeContext& node, const Range& x);
Range NegRange(RangeContext& node, const Range& x);
Range NotRange(RangeContext& node, const Range& x);
Range ReciprocalRange(RangeContext& node, const Range& x);
Range ReluRange(RangeContext& node, const Range& x);
Range RoundRange(RangeContext& node, const Range& x);
Range SeluRange(RangeContext& node, const Range& x);
Range SigmoidRange(RangeContext& node, const Range& x);
Range SignRange(RangeContext& node, const Range& x);
Range SinhRange(RangeContext& node, const Range& x);
Range SoftplusRange(RangeContext& node, const Range& x);
Range SoftsignRange(RangeContext& node, const Range& x);
Range SqrtRange(RangeContext& node, const Range& x);
Range SwishRange(RangeContext& node, const Range& x);
Range TanhRange(RangeContext& node, const Range& x);
Range ThresholdedReluRange(RangeContext& node, const Range& x);
Range TruthRange(RangeContext& node, const Range& x);
Range WaveRange(RangeContext& node, const Range& x);

// conversion_ranges.cpp: casts and quantization.
void CastRanges(RangeContext& node);
void DequantizeRanges(RangeContext& node);

// move_ranges.cpp: operators that move elements.
void SameRanges(RangeContext& node);
void BoundsRanges(RangeContext& node);
void HullRanges(RangeContext& node);
void EmptyRanges(RangeContext& node);
void ReshapedRanges(RangeContext& node);
void TransposeRanges(RangeContext& node);
void SliceRanges(RangeContext& node);
void GatherRanges(RangeContext& node);
void ConcatRanges(RangeContext& node);
void SplitRanges(RangeContext& node);
void ExpandRanges(RangeContext& node);
void TileRanges(RangeContext& node);
void PadRanges(RangeContext& node);
void WithZeroRanges(RangeContext& node);
void ScatterRanges(RangeContext& node);
void ResizeRanges(RangeContext& node);
void GridSampleRanges(RangeContext& node);
void DropoutRanges(RangeContext& node);

// reduction_ranges.cpp: reductions and normalizations.
void ReduceRanges(RangeContext& node);
void CumSumRanges(RangeContext& node);
void PoolRanges(RangeContext& node);
void SoftmaxRanges(RangeContext& node);
void NormalizationRanges(RangeContext& node);
void BatchNormalizationRanges(RangeContext& node);
void IndexRanges(RangeContext& node);
void TopKRanges(RangeContext& node);

// contraction_ranges.cpp: sums of products.
void MatMulRanges(RangeContext& node);
void GemmRanges(RangeContext& node);
void ConvRanges(RangeContext& node);
void EinsumRanges(RangeContext& node);
void RecurrentRanges(RangeContext& node);

// made_ranges.cpp: outputs that do not come from input elements.
void ConstantOfShapeRanges(RangeContext& node);
void ShapeRanges(RangeContext& node);
void SizeRanges(RangeContext& node);
void RangeRanges(RangeContext& node);
void OneHotRanges(RangeContext& node);
void RandomRanges(RangeContext& node);

}  // namespace opledger

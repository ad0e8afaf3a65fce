// Applies an operator to the ranges of float32 and to those of the converted model. Values without
// bounds are assumed to be of ordinary size in both, so that only known bounds count.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/lost_bounds.h"

#include <algorithm>
#include <cmath>

namespace opledger {
namespace {

constexpr int kMaxDepth = 64;  // nodes between a lost bound and the node that loses it

// How far a bound may move, relative to the larger of itself and 1: a few roundings of the type.
double Tolerance(Dtype target) { return target == Dtype::kFloat16 ? 0x1p-7 : 0x1p-5; }

// Replaces the open bounds of a range by those of data of ordinary size. `exact` decides which
// bounds are open.
Range Ordinary(Range range, const Range& exact) {
  if (range.IsEmpty() || exact.IsEmpty()) return range;
  const double size = std::max(1.0, exact.reach);
  // A bound this large is not meant as a limit.
  const double far = exact.IsPoint() ? kInfinite : kFar;
  const bool above = exact.high >= far || (exact.loose.high && exact.high > size);
  const bool below = exact.low <= -far || (exact.loose.low && exact.low < -size);
  if (above) range.high = std::max(size, range.low);
  if (below) range.low = std::min(-size, range.high);
  range.nan = false;  // NaN counts where it arises
  if (above) range.loose.high = false;
  if (below) range.loose.low = false;
  return Tightened(range);
}

bool HaveSameElements(const TensorRange& a, const TensorRange& b) {
  return a.elements != nullptr && b.elements != nullptr &&
         a.elements->numbers.size() == b.elements->numbers.size();
}

bool Moves(double exact, double lowered, double tolerance) {
  return std::isfinite(exact) && std::isfinite(lowered) &&
         std::abs(exact - lowered) > tolerance * std::max(1.0, std::abs(exact));
}

bool BecomesInfinite(const Range& exact, const Range& lowered) {
  return (lowered.high == kInfinite && exact.high < kInfinite) ||
         (lowered.low == -kInfinite && exact.low > -kInfinite);
}

// Returns whether rounding makes a bound infinite that data reaches.
bool Overflows(const Range& exact, const Range& rounded) {
  return (rounded.high == kInfinite && exact.high < kInfinite && !exact.loose.high) ||
         (rounded.low == -kInfinite && exact.low > -kInfinite && !exact.loose.low);
}

bool HasMoved(const Range& exact, const Range& rounded, double tolerance) {
  const bool low = !exact.loose.low && !rounded.loose.low;
  const bool high = !exact.loose.high && !rounded.loose.high;
  return (low && Moves(exact.low, rounded.low, tolerance)) ||
         (high && Moves(exact.high, rounded.high, tolerance));
}

// Says how a bound is lost, given the range as computed and after rounding. Returns nullopt if the
// bounds hold.
std::optional<LostBound> Lost(const Range& exact, const Range& computed, const Range& rounded,
                              Dtype target) {
  if (exact.IsEmpty() || computed.IsEmpty()) return std::nullopt;
  const std::string in_float32 = RangeText(exact) + " in float32";
  const std::string type = DtypeName(target);
  const bool infinite = BecomesInfinite(exact, computed);
  const bool only_rounded = !infinite && Overflows(exact, rounded);
  if ((infinite && exact.Magnitude() > LargestOf(target)) || only_rounded) {
    return LostBound{LabelRule::kOverflow, in_float32 + ", beyond " + type};
  }
  if (infinite) return LostBound{LabelRule::kGuard, in_float32 + " but may be infinite in " + type};
  if (computed.nan && !exact.nan) {
    return LostBound{LabelRule::kGuard, in_float32 + " but may be NaN in " + type};
  }
  if (!HasMoved(exact, rounded, Tolerance(target))) return std::nullopt;
  return LostBound{LabelRule::kRounding, in_float32 + " but " + RangeText(rounded) + " in " + type,
                   true};
}

bool SaysSomething(const TensorRange& range) {
  return range.elements != nullptr || !range.all.IsUnknown() || range.all.reach > 0;
}

}  // namespace

TensorRange BoundKeeper::Presumed(ValueId value, const TensorRange& lowered) const {
  const TensorRange& exact = context_.exact.Of(value);
  if (!HaveSameElements(exact, lowered)) return {Ordinary(lowered.all, exact.all), nullptr};
  return Mapped(lowered, exact,
                [](const Range& each, const Range& of) { return Ordinary(each, of); });
}

std::vector<TensorRange> BoundKeeper::PresumedInputs(NodeId node, bool lowered) const {
  const ValueAnalysis& analysis = lowered ? context_.lowered : context_.exact;
  std::vector<TensorRange> inputs;
  for (const ValueId input : context_.graph.nodes[node].inputs) {
    inputs.push_back(Presumed(input, analysis.Of(input)));
  }
  return inputs;
}

std::vector<TensorRange> BoundKeeper::ExactOutputs(NodeId node) const {
  std::vector<TensorRange> inputs = PresumedInputs(node, false);
  context_.exact.RoundInputs(node, inputs);  // this raises small constants
  return context_.exact.Compute(node, std::move(inputs));
}

std::vector<TensorRange> BoundKeeper::UnraisedOutputs(NodeId node) const {
  std::vector<TensorRange> inputs;
  for (const ValueId input : context_.graph.nodes[node].inputs) {
    const TensorRange& range = context_.unraised.Of(input);
    inputs.push_back(Mapped(range, [](const Range& each) { return Ordinary(each, each); }));
  }
  return context_.unraised.Compute(node, std::move(inputs));
}

std::optional<LostBound> BoundKeeper::Compare(NodeId node, std::vector<TensorRange> lowered) const {
  const Node& what = context_.graph.nodes[node];
  const auto exact = ExactOutputs(node);
  context_.lowered.RoundInputs(node, lowered);
  const auto computed = context_.lowered.Compute(node, std::move(lowered));
  auto rounded = computed;
  context_.lowered.RoundOutputs(node, rounded);
  std::vector<TensorRange> unraised;
  if (context_.raises_small) unraised = UnraisedOutputs(node);
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    if (!context_.graph.IsFloat32(what.outputs[i])) continue;
    auto lost = Lost(exact[i].all, computed[i].all, rounded[i].all, context_.target);
    // Raised constants may move bounds but must not remove them, as in the difference of two
    // constants that became equal.
    if (!lost && context_.raises_small) {
      lost = Lost(unraised[i].all, computed[i].all, rounded[i].all, context_.target);
      if (lost && lost->moves) lost.reset();
    }
    if (!lost) continue;
    const bool presumed = !(exact[i].all == context_.exact.Of(what.outputs[i]).all);
    lost->text = "'" + std::string(context_.graph.values[what.outputs[i]].name) + "' is " +
                 lost->text + (presumed ? ", for data of ordinary size" : "");
    return lost;
  }
  return std::nullopt;
}

std::optional<LostBound> BoundKeeper::Check(NodeId node) const {
  const Node& what = context_.graph.nodes[node];
  const bool known = std::any_of(what.inputs.begin(), what.inputs.end(), [&](ValueId input) {
    return input != kNone && SaysSomething(context_.exact.Of(input));
  });
  // A mask that is proven harmless may become infinite, and so may the input of the Softmax that
  // reads it.
  const bool proven = std::any_of(what.inputs.begin(), what.inputs.end(), [&](ValueId input) {
    const NodeId producer = input == kNone ? kNone : context_.graph.values[input].producer;
    return producer != kNone && context_.labels[producer].may_overflow;
  });
  if (!known || proven || context_.labels[node].may_overflow) return std::nullopt;
  return Compare(node, PresumedInputs(node, true));
}

void BoundKeeper::Keep(NodeId node, const LostBound& lost) {
  visited_.clear();
  RaiseNode(context_, node, lost.rule, lost.text);
  const auto suffices = [&](std::vector<TensorRange> inputs) {
    return !Compare(node, std::move(inputs));
  };
  KeepCondition(node, lost, 0);
  std::vector<TensorRange> inputs = PresumedInputs(node, true);
  if (!suffices(inputs)) KeepInputs(node, inputs, suffices, lost, 0);
}

void BoundKeeper::KeepInputs(NodeId node, const std::vector<TensorRange>& reads,
                             const std::function<bool(std::vector<TensorRange>)>& suffices,
                             const LostBound& lost, int depth) {
  if (depth == kMaxDepth) return;
  const Node& what = context_.graph.nodes[node];
  const std::vector<TensorRange> exact = PresumedInputs(node, false);
  const auto with = [&](std::size_t i, const TensorRange& range) {
    std::vector<TensorRange> inputs = reads;
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      if (what.inputs[j] == what.inputs[i]) inputs[j] = range;
    }
    return inputs;
  };
  std::vector<std::size_t> guilty;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].all == exact[i].all && !HaveSameElements(reads[i], exact[i])) continue;
    if (suffices(with(i, exact[i]))) {
      return KeepValue(
          what.inputs[i],
          [&, i](const TensorRange& range) {
            return suffices(with(i, Presumed(what.inputs[i], range)));
          },
          lost, depth + 1);
    }
    guilty.push_back(i);
  }
  for (const std::size_t i : guilty) {
    const auto others = [&, i](const TensorRange& range) {
      std::vector<TensorRange> inputs = exact;
      inputs[i] = Presumed(what.inputs[i], range);
      return suffices(inputs);
    };
    KeepValue(what.inputs[i], others, lost, depth + 1);
  }
}

void BoundKeeper::KeepNearOne(NodeId node, const LostBound& lost, int depth) {
  if (depth >= kMaxDepth) return;
  for (const ValueId input : context_.graph.nodes[node].inputs) {
    if (input == kNone || !context_.graph.IsFloat32(input)) continue;
    const Range& exact = context_.exact.Of(input).all;
    const bool to_one = !exact.IsPoint() && exact.IsBounded() && exact.Magnitude() <= 1 &&
                        exact.Magnitude() >= kNearOne;
    const NodeId producer = context_.graph.values[input].producer;
    if (!to_one || producer == kNone) continue;
    const std::string reason =
        "'" + std::string(context_.graph.values[input].name) + "' decides that " + lost.text;
    if (!RaiseNode(context_, producer, lost.rule, reason)) continue;
    KeepNearOne(producer, lost, depth + 1);
  }
}

void BoundKeeper::KeepCondition(NodeId node, const LostBound& lost, int depth) {
  const NodeId comparison = context_.lowered.ComparisonOf(node);
  if (comparison == kNone) return;
  RaiseNode(context_, comparison, lost.rule,
            "'" + context_.graph.NameOf(comparison) + "' decides that " + lost.text);
  for (const ValueId side : context_.graph.nodes[comparison].inputs) {
    const Range& exact = context_.exact.Of(side).all;
    if (!exact.IsPoint()) continue;
    KeepValue(
        side, [&](const TensorRange& range) { return range.all == exact; }, lost, depth + 1);
  }
}

void BoundKeeper::KeepValue(ValueId value, const Suffices& suffices, const LostBound& lost,
                            int depth) {
  if (value == kNone || depth >= kMaxDepth || !visited_.insert(value).second) return;
  if (suffices(context_.lowered.Of(value))) return;
  const std::vector<ValueId>& sources = context_.passed_on.SourcesOf(value);
  for (const ValueId source : sources) KeepValue(source, suffices, lost, depth + 1);
  const NodeId producer = context_.graph.values[value].producer;
  if (!sources.empty() || producer == kNone) return;
  const Node& what = context_.graph.nodes[producer];
  const std::string reason =
      "'" + std::string(context_.graph.values[value].name) + "' decides that " + lost.text;
  RaiseNode(context_, producer, lost.rule, reason);
  const auto at = static_cast<std::size_t>(
      std::find(what.outputs.begin(), what.outputs.end(), value) - what.outputs.begin());
  const auto computed = [&](std::vector<TensorRange> inputs) {
    context_.lowered.RoundInputs(producer, inputs);
    auto outputs = context_.lowered.Compute(producer, std::move(inputs));
    context_.lowered.RoundOutputs(producer, outputs);
    return outputs[at];
  };
  std::vector<TensorRange> reads;
  for (const ValueId input : what.inputs) reads.push_back(context_.lowered.Of(input));
  const double most = context_.exact.Of(value).all.Magnitude();
  if (most < 1 && most >= kNearOne) KeepNearOne(producer, lost, depth);
  context_.lowered.Set(value, computed(reads));
  if (suffices(context_.lowered.Of(value))) return;
  KeepCondition(producer, lost, depth);
  context_.lowered.Set(value, computed(reads));
  if (suffices(context_.lowered.Of(value))) return;
  // From here on, assume inputs of ordinary size.
  KeepInputs(
      producer, PresumedInputs(producer, true),
      [&](std::vector<TensorRange> inputs) { return suffices(computed(std::move(inputs))); }, lost,
      depth + 1);
}

namespace {

// Recomputes the node's ranges, since earlier raised nodes change its inputs.
void Refresh(HazardContext& context, NodeId id) {
  const Node& node = context.graph.nodes[id];
  const auto passed_on = [&](const std::vector<ValueId>& values) {
    bool any = false;
    for (const ValueId value : values) {
      if (value == kNone) continue;
      const std::vector<ValueId>& sources = context.passed_on.SourcesOf(value);
      context.lowered.Refresh(value, sources);
      any = any || !sources.empty();
    }
    return any;
  };
  passed_on(node.inputs);
  const bool holds_scopes = passed_on(node.outputs) || context.graph.Called(node) != kNone ||
                            std::any_of(node.attributes.begin(), node.attributes.end(),
                                        [](const Attribute& each) { return !each.scopes.empty(); });
  if (!holds_scopes) context.lowered.Refresh(id);
}

}  // namespace

void RaiseLostBounds(HazardContext& context) {
  constexpr int kMaxRounds = 4;
  BoundKeeper keeper(context);
  for (int round = 0; round < kMaxRounds; ++round) {
    if (context.raises_small) context.exact.Run();  // raised nodes read different constants
    context.lowered.Run();
    bool changed = false;
    for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
      if (changed) Refresh(context, id);
      const auto lost = keeper.Check(id);
      if (!lost) continue;
      const std::size_t before = context.raised;
      keeper.Keep(id, *lost);
      changed = changed || context.raised != before;
    }
    if (!changed) return;
  }
}

}  // namespace opledger

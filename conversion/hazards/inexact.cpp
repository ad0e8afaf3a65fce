// Finds ArgMax -> Cast -> * 7680 -> Cast -> Gather and Range -> * frequency -> Sin, which are exact
// in float32 but not in 16 bits: these represent all integers only up to 2048 (float16) or 256
// (bfloat16). Keeps in float32 what is computed only from integers, constants and inputs, if its
// last digit matters.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// What a value is computed from: anything, only inputs and integers, or only integers and
// constants.
enum class Origin : std::uint8_t { kData, kInput, kInteger };

constexpr std::array kMoves = {SameRanges,   BoundsRanges, ReshapedRanges, TransposeRanges,
                               SliceRanges,  GatherRanges, ConcatRanges,   SplitRanges,
                               ExpandRanges, TileRanges,   DropoutRanges,  PadRanges};
constexpr std::array kPointwise = {
    AddRanges,     SubRanges,   MulRanges,      DivRanges,       ModRanges,   PowRanges,
    MinRanges,     MaxRanges,   SumRanges,      MeanRanges,      WhereRanges, ClipRanges,
    CompareRanges, UnaryRanges, FastGeluRanges, QuickGeluRanges, CastRanges};
constexpr std::array kContractions = {MatMulRanges, GemmRanges, ConvRanges, EinsumRanges};

template <typename Functions>
bool IsIn(const Functions& functions, RangeFunction function) {
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

// Returns whether the type represents all elements exactly.
bool IsRepresentable(const TensorRange& range, Dtype target) {
  if (range.elements != nullptr) {
    const auto& numbers = range.elements->numbers;
    return std::all_of(numbers.begin(), numbers.end(), [&](const Range& each) {
      return each.low == each.high && Rounded(each, target).low == each.low;
    });
  }
  const Range& all = range.all;
  if (all.IsPoint()) return Rounded(all, target).low == all.low;
  return all.integer && all.Magnitude() <= LargestExactInteger(target);
}

class Exactness {
 public:
  explicit Exactness(HazardContext& context)
      : context_(context),
        graph_(context.graph),
        origins_(graph_.values.size(), Origin::kInteger),
        exact_(graph_.values.size(), true) {}

  void Run() {
    constexpr int kMaxPasses = 4;  // a loop passes on values that later nodes compute
    for (int pass = 0; pass < kMaxPasses && Pass(); ++pass) {
    }
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) Visit(id);
    for (const ValueId output : graph_.scopes.front().outputs) VisitCounter(output);
    for (const Node& node : graph_.nodes) {
      if (node.op != "Loop" || !node.domain.empty()) continue;
      for (const ValueId output : node.outputs) {
        if (output == kNone) continue;
        for (const ValueId source : context_.passed_on.SourcesOf(output)) VisitCounter(source);
      }
    }
  }

 private:
  bool IsFloat(ValueId value) const {
    const ValueType& type = graph_.values[value].type;
    return type.kind == ValueType::Kind::kTensor && type.dtype && !IsInteger(*type.dtype);
  }

  // Records that a value has this origin and exactness; the first pass starts with the highest.
  void Lower(ValueId value, Origin origin, bool exact, bool& changed) {
    changed = changed || origins_[value] != origin || exact_[value] != exact;
    origins_[value] = origin;
    exact_[value] = exact;
  }

  // Returns whether anything has changed.
  bool Pass() {
    bool changed = false;
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const Value& value = graph_.values[id];
      const auto self = static_cast<ValueId>(id);
      const std::vector<ValueId>& sources = context_.passed_on.SourcesOf(self);
      if (!IsFloat(self) || value.tensor != kNone) continue;
      if (!sources.empty()) {
        Origin origin = Origin::kInteger;
        bool exact = true;
        for (const ValueId source : sources) {
          origin = std::min(origin, origins_[source]);
          exact = exact && exact_[source];
        }
        Lower(self, origin, exact, changed);
      } else if (value.producer == kNone) {
        Lower(self, value.scope == 0 ? Origin::kInput : Origin::kData, value.scope == 0, changed);
      } else {
        Lower(self, OriginOf(value.producer), IsExact(value.producer, self), changed);
      }
    }
    return changed;
  }

  Origin OriginOf(NodeId id) const {
    const Node& node = graph_.nodes[id];
    const OperatorRecord* found = FindRecord(QualifiedName(node.domain, node.op));
    const RangeFunction function = found == nullptr ? nullptr : found->ranges;
    if (node.op == "Constant" || node.op == "ConstantOfShape" || node.op == "Range") {
      return Origin::kInteger;
    }
    Origin origin = Origin::kInteger;
    for (const ValueId input : node.inputs) {
      if (input != kNone) origin = std::min(origin, origins_[input]);
    }
    // Random numbers, and operators that the analysis does not know.
    const bool unknown = function == nullptr || node.inputs.empty() || function == RandomRanges;
    if (unknown || origin == Origin::kData) return Origin::kData;
    if (origin == Origin::kInteger || IsIn(kMoves, function) || IsIn(kPointwise, function)) {
      return origin;
    }
    return IsIn(kContractions, function) && IsShort(id) ? origin : Origin::kData;
  }

  // Returns whether a contraction sums few products, such as frequencies times positions or a
  // matrix of a few axes.
  bool IsShort(NodeId id) const {
    constexpr std::int64_t kFew = 16;
    const Node& node = graph_.nodes[id];
    if (IsOneOf(node, {"Einsum"})) return SumsNothing(node);
    if (!IsOneOf(node, {"MatMul", "Gemm"}) || context_.model.shapes == nullptr) return false;
    const auto& shape = context_.model.shapes->values[node.inputs[1]];
    return shape && shape->size() >= 2 && (*shape)[shape->size() - 2] <= kFew &&
           shape->back() <= 4096;
  }

  // Returns whether every index of the inputs is also an index of the output.
  static bool SumsNothing(const Node& node) {
    const Attribute* equation = node.Find("equation");
    if (equation == nullptr) return false;
    const std::size_t arrow = equation->text.find("->");
    if (arrow == std::string_view::npos) return false;
    const std::string_view given = equation->text.substr(arrow);
    const std::string_view taken = equation->text.substr(0, arrow);
    return std::all_of(taken.begin(), taken.end(), [&](char each) {
      return each == ',' || each == ' ' || given.find(each) != std::string_view::npos;
    });
  }

  bool ReadsExactly(NodeId id, std::size_t input) const {
    const ValueId value = graph_.nodes[id].inputs[input];
    if (value == kNone || !IsFloat(value)) return true;
    if (!exact_[value]) return false;
    return !WouldCast(context_.labels[id], input) ||
           IsRepresentable(context_.exact.Of(value), context_.target);
  }

  bool IsExact(NodeId id, ValueId output) const {
    const Node& node = graph_.nodes[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!ReadsExactly(id, i)) return false;
    }
    const NodeLabel& label = context_.labels[id];
    if (!MayBeLow(label)) return true;
    const OperatorRecord* found = FindRecord(QualifiedName(node.domain, node.op));
    return (found != nullptr && IsIn(kMoves, found->ranges)) ||
           IsRepresentable(context_.exact.Of(output), context_.target);
  }

  // Returns how the last digit of the input matters, or nullptr if it does not.
  const char* UseOf(NodeId id, std::size_t input) const {
    const Node& node = graph_.nodes[id];
    const ValueId value = node.inputs[input];
    if (IsOneOf(node, {"Cast"}) && node.outputs[0] != kNone && !IsFloat(node.outputs[0])) {
      return "becomes an integer";
    }
    const Range& numbers = context_.exact.Of(value).all;
    if (IsOneOf(node, {"Sin", "Cos", "Tan"})) {
      constexpr double kShortPhase = 4;
      const bool is_short = numbers.IsBounded() && numbers.Magnitude() <= kShortPhase;
      return is_short ? nullptr : "is a phase";
    }
    if (IsOneOf(node, {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"})) {
      return numbers.integer ? "is compared" : nullptr;
    }
    if (IsOneOf(node, {"Range", "Mod"})) return "is used to count";
    if (IsOneOf(node, {"OneHot"}) && input < 2) return "is an index";
    if (IsOneOf(node, {"Resize", "Upsample"}) && input > 0) return "is a scale of dimensions";
    return nullptr;
  }

  void Visit(NodeId id) {
    const Node& node = graph_.nodes[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId value = node.inputs[i];
      if (value == kNone || !IsFloat(value)) continue;
      if (origins_[value] == Origin::kData || ReadsExactly(id, i)) continue;
      const char* use = UseOf(id, i);
      if (use == nullptr) continue;
      const std::string reason = Reason(value, use, context_.graph.NameOf(id));
      RaiseNode(context_, id, LabelRule::kExactness, reason);
      Keep(value, reason);
    }
  }

  // Handles integers that leave the model or a loop iteration.
  void VisitCounter(ValueId value) {
    if (value == kNone || !IsFloat(value) || exact_[value]) return;
    const bool counts = context_.exact.Of(value).all.integer && origins_[value] != Origin::kData;
    if (counts) Keep(value, Reason(value, "is a counter", ""));
  }

  std::string Reason(ValueId value, const char* use, const std::string& where) const {
    const Range& numbers = context_.exact.Of(value).all;
    std::string text =
        "'" + std::string(graph_.values[value].name) + "' (" + RangeText(numbers) + ") " + use;
    if (!where.empty()) text += " in '" + where + "'";
    return text + ", but " + DtypeName(context_.target) + " represents all integers only up to " +
           std::to_string(static_cast<int>(LargestExactInteger(context_.target))) + " exactly";
  }

  void Keep(ValueId value, const std::string& reason) {
    std::vector<ValueId> open = {value};
    std::set<ValueId> seen = {value};
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      if (exact_[id] || origins_[id] == Origin::kData) continue;
      const NodeId producer = graph_.values[id].producer;
      const std::vector<ValueId>& sources = context_.passed_on.SourcesOf(id);
      if (producer != kNone && sources.empty())
        RaiseNode(context_, producer, LabelRule::kExactness, reason);
      const std::vector<ValueId> none;
      const std::vector<ValueId>& inputs = !sources.empty()    ? sources
                                           : producer == kNone ? none
                                                               : graph_.nodes[producer].inputs;
      for (const ValueId input : inputs) {
        if (input != kNone && IsFloat(input) && seen.insert(input).second) open.push_back(input);
      }
    }
  }

  HazardContext& context_;
  const Graph& graph_;
  std::vector<Origin> origins_;  // per value
  std::vector<bool> exact_;  // per value: the converted model computes the same elements as float32
};

}  // namespace

void RaiseInexact(HazardContext& context) { Exactness(context).Run(); }

}  // namespace opledger

// Visits nodes in file order, and scopes at the node that contains them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/values/values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conversion/model/half/half.h"

namespace opledger {
namespace {

constexpr int kMaxDepth = 32;    // nesting of scopes and calls
constexpr int kPlainRounds = 3;  // of a loop, before bounds that still move become infinite
constexpr int kMaxRounds = 12;   // of a loop, before its values become unknown

// Widens `next`, which contains `before`: bounds that changed become infinite.
Range Widened(const Range& before, const Range& next) {
  Range wide = next;
  if (next.low < before.low) wide.low = -kInfinite;
  if (next.high > before.high) wide.high = kInfinite;
  if (next.gap < before.gap) wide.gap = 0;
  if (wide.gap == 0 && !wide.integer) wide.zero = wide.zero || (wide.low <= 0 && wide.high >= 0);
  wide.reach = std::max(before.reach, next.reach) > before.reach ? 0 : next.reach;
  return Tightened(wide);
}

bool IsSame(const TensorRange& a, const TensorRange& b) {
  if (!(a.all == b.all)) return false;
  if (a.elements == b.elements) return true;
  return a.elements != nullptr && b.elements != nullptr && a.elements->shape == b.elements->shape &&
         a.elements->numbers == b.elements->numbers;
}

}  // namespace

Range RaisedNumbers(Range range, Dtype target) {
  if (range.IsEmpty()) return range;
  const double flushed = LargestFlushed(target);
  const auto raised = [&](double number) {
    const bool small = number != 0 && std::abs(number) <= flushed;
    return small ? std::copysign(SmallestOf(target), number) : number;
  };
  range.low = raised(range.low);
  range.high = raised(range.high);
  range.gap = std::max(range.gap, std::nextafter(flushed, kInfinite));
  return Tightened(range);
}

ValueAnalysis::ValueAnalysis(const KnownModel& model, const Computation& computation)
    : model_(model), computation_(computation) {}

void ValueAnalysis::Run() {
  const Graph& graph = model_.graph;
  ranges_.assign(graph.values.size(), {});
  known_.assign(graph.values.size(), false);
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const ValueType& type = graph.values[id].type;
    if (type.kind == ValueType::Kind::kTensor && type.dtype) ranges_[id].all = RangeOf(*type.dtype);
    if (model_.is_given[id]) ranges_[id] = model_.given[id];
    known_[id] = model_.is_given[id];
  }
  budget_ = 16 * graph.nodes.size() + 4096;
  depth_ = 0;
  if (!graph.scopes.empty()) RunScope(0);
}

const TensorRange& ValueAnalysis::Of(ValueId value) const {
  static const TensorRange unknown;
  return value == kNone ? unknown : ranges_[value];
}

bool ValueAnalysis::RunsLow(NodeId node) const {
  return computation_.labels != nullptr && MayBeLow((*computation_.labels)[node]) &&
         !(*computation_.labels)[node].may_overflow;
}

void ValueAnalysis::RaiseInputs(NodeId node, std::vector<TensorRange>& inputs) const {
  if (computation_.raised == nullptr || !MayBeLow((*computation_.raised)[node])) return;
  const LoweredOperands& lowered = (*computation_.raised)[node].lowered;
  const Graph& graph = model_.graph;
  for (std::size_t i = 0; i < graph.nodes[node].inputs.size() && i < lowered.inputs.size(); ++i) {
    const ValueId input = graph.nodes[node].inputs[i];
    if (input == kNone || !lowered.inputs[i] || !model_.is_given[input]) continue;
    if (!IsParameter(graph, graph.values[input])) continue;
    inputs[i] = Mapped(inputs[i],
                       [&](const Range& each) { return RaisedNumbers(each, computation_.target); });
  }
}

// A node that may run low may also run in float32.
TensorRange ValueAnalysis::Lowered(const TensorRange& range) const {
  TensorRange rounded = Rounded(range, computation_.target);
  return computation_.presumes ? rounded : HullOf(range, rounded);
}

void ValueAnalysis::RoundInputs(NodeId node, std::vector<TensorRange>& inputs) const {
  RaiseInputs(node, inputs);
  // A constant may be created in the target type for other readers; a cast then reads that version.
  const Node& what = model_.graph.nodes[node];
  const bool reads_any = computation_.labels != nullptr && !computation_.presumes &&
                         what.domain.empty() && what.op == "Cast" && !what.inputs.empty() &&
                         what.inputs[0] != kNone && model_.graph.IsFloat32(what.inputs[0]) &&
                         IsParameter(model_.graph, model_.graph.values[what.inputs[0]]);
  if (reads_any) inputs[0] = Lowered(inputs[0]);
  if (!RunsLow(node)) return;
  const LoweredOperands& lowered = (*computation_.labels)[node].lowered;
  for (std::size_t i = 0; i < inputs.size() && i < lowered.inputs.size(); ++i) {
    if (lowered.inputs[i]) inputs[i] = Lowered(inputs[i]);
  }
}

std::vector<TensorRange> ValueAnalysis::Read(NodeId node) const {
  std::vector<TensorRange> inputs;
  inputs.reserve(model_.graph.nodes[node].inputs.size());
  for (const ValueId input : model_.graph.nodes[node].inputs) inputs.push_back(Of(input));
  RoundInputs(node, inputs);
  return inputs;
}

std::vector<TensorRange> ValueAnalysis::Compute(NodeId node,
                                                std::vector<TensorRange> inputs) const {
  const Graph& graph = model_.graph;
  const Node& what = graph.nodes[node];
  const bool refers =
      std::any_of(what.attributes.begin(), what.attributes.end(),
                  [](const Attribute& each) { return each.kind == Attribute::Kind::kReference; });
  // Pass the attribute of ConstantOfShape as an additional input.
  const bool given =
      what.outputs.size() == 1 && what.outputs[0] != kNone && model_.is_given[what.outputs[0]];
  if (given) inputs.push_back(model_.given[what.outputs[0]]);
  RangeContext context(graph, model_.onnx, node, model_.shapes, std::move(inputs),
                       computation_.presumes);
  if (const NodeId comparison = ComparisonOf(node); comparison != kNone) {
    const Node& compares = graph.nodes[comparison];
    const std::vector<TensorRange> sides = Read(comparison);
    context.SetCondition(
        {compares.op, compares.inputs[0], compares.inputs[1], sides[0].all, sides[1].all});
  }
  std::string_view op = what.op;
  const OperatorRecord* found = model_.onnx == nullptr
                                    ? FindMxnetRecord(what.op, op)
                                    : FindRecord(QualifiedName(what.domain, what.op));
  context.SetOp(op);
  if (found != nullptr && found->ranges != nullptr && !refers) found->ranges(context);
  if (refers && what.op == "Constant") context.Set(ReferredConstant(what));
  std::vector<TensorRange> outputs = std::move(context.outputs());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (what.outputs[i] == kNone) continue;
    const ValueType& type = graph.values[what.outputs[i]].type;
    const bool numbers =
        type.kind == ValueType::Kind::kTensor || type.kind == ValueType::Kind::kSequence;
    if (!numbers || !type.dtype) {
      outputs[i] = {};
    } else if (*type.dtype != Dtype::kFloat32 && *type.dtype != Dtype::kFloat64) {
      outputs[i] = Rounded(outputs[i], *type.dtype);
    }
  }
  return outputs;
}

NodeId ValueAnalysis::ComparisonOf(NodeId node) const {
  const Graph& graph = model_.graph;
  const Node& what = graph.nodes[node];
  if (!what.domain.empty() || what.op != "Where" || what.inputs.empty() ||
      what.inputs[0] == kNone) {
    return kNone;
  }
  const NodeId producer = graph.values[what.inputs[0]].producer;
  if (producer == kNone) return kNone;
  const Node& compares = graph.nodes[producer];
  const bool orders = compares.op == "Less" || compares.op == "LessOrEqual" ||
                      compares.op == "Greater" || compares.op == "GreaterOrEqual";
  const bool whole = compares.domain.empty() && orders && compares.inputs.size() == 2 &&
                     compares.inputs[0] != kNone && compares.inputs[1] != kNone;
  return whole ? producer : kNone;
}

void ValueAnalysis::RoundOutputs(NodeId node, std::vector<TensorRange>& outputs) const {
  if (!RunsLow(node)) return;
  const LoweredOperands& lowered = (*computation_.labels)[node].lowered;
  for (std::size_t i = 0; i < outputs.size() && i < lowered.outputs.size(); ++i) {
    if (!lowered.outputs[i]) continue;
    outputs[i] = Lowered(outputs[i]);
  }
}

void ValueAnalysis::Refresh(NodeId node) {
  const Node& what = model_.graph.nodes[node];
  const bool given =
      what.op == "Constant" && !what.outputs.empty() && model_.is_given[what.outputs[0]];
  if (given) return;
  std::vector<TensorRange> outputs = Compute(node, Read(node));
  RoundOutputs(node, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (what.outputs[i] != kNone) ranges_[what.outputs[i]] = std::move(outputs[i]);
  }
}

void ValueAnalysis::Refresh(ValueId value, const std::vector<ValueId>& sources) {
  if (sources.empty()) return;
  TensorRange range = Of(sources.front());
  for (const ValueId source : sources) range = HullOf(range, Of(source));
  ranges_[value] = std::move(range);
}

void ValueAnalysis::RunScope(ScopeId scope) {
  ++depth_;
  for (const NodeId node : model_.graph.scopes[scope].nodes) RunNode(node);
  --depth_;
}

void ValueAnalysis::RunNode(NodeId node) {
  const Graph& graph = model_.graph;
  const Node& what = graph.nodes[node];
  const bool given =
      !what.outputs.empty() && what.outputs[0] != kNone && model_.is_given[what.outputs[0]];
  if (given && what.op == "Constant") return;
  if (budget_ == 0 || depth_ > kMaxDepth) {
    for (const ValueId output : what.outputs) Join(output, {});
    return;
  }
  --budget_;
  if (const FunctionId function = graph.Called(what); function != kNone) {
    return RunCall(node, function);
  }
  if (what.domain.empty() && what.op == "If") return RunIf(node);
  if (what.domain.empty() && what.op == "Loop") return RunLoop(node);
  if (what.domain.empty() && what.op == "Scan") return RunScan(node);
  std::vector<TensorRange> outputs = Compute(node, Read(node));
  RoundOutputs(node, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) Join(what.outputs[i], std::move(outputs[i]));
  for (const Attribute& attribute : what.attributes) {
    for (const ScopeId scope : attribute.scopes) RunScope(scope);  // their inputs may be anything
  }
}

void ValueAnalysis::RunIf(NodeId node) {
  const Node& what = model_.graph.nodes[node];
  std::vector<TensorRange> outputs;
  for (const Attribute& attribute : what.attributes) {
    for (const ScopeId scope : attribute.scopes) {
      const Range& condition = Of(what.inputs.empty() ? kNone : what.inputs[0]).all;
      RunScope(scope);
      const bool taken = attribute.name == "then_branch" ? condition.high != 0 : condition.low <= 0;
      if (!taken && !condition.IsEmpty()) continue;
      const std::vector<TensorRange> branch = OutputsOf(scope);
      if (outputs.empty()) outputs = branch;
      for (std::size_t i = 0; i < std::min(outputs.size(), branch.size()); ++i) {
        outputs[i] = HullOf(outputs[i], branch[i]);
      }
    }
  }
  outputs.resize(what.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) Join(what.outputs[i], std::move(outputs[i]));
}

void ValueAnalysis::RunToFixedPoint(ScopeId body, std::size_t first, std::size_t first_output,
                                    std::vector<TensorRange>& carried) {
  for (int round = 0;; ++round) {
    if (round == kMaxRounds) std::fill(carried.begin(), carried.end(), TensorRange());
    for (std::size_t i = 0; i < carried.size(); ++i) Bind(body, first + i, carried[i]);
    RunScope(body);
    if (round >= kMaxRounds) return;
    const std::vector<TensorRange> after = OutputsOf(body);
    bool changes = false;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      const std::size_t output = first_output + i;
      TensorRange next = HullOf(carried[i], output < after.size() ? after[output] : TensorRange());
      if (IsSame(next, carried[i])) continue;
      changes = true;
      if (round >= kPlainRounds) next = {Widened(carried[i].all, next.all), nullptr};
      carried[i] = std::move(next);
    }
    if (!changes) return;
  }
}

// The node's inputs are the trip count, the condition and the carried values. The body's inputs are
// the iteration, the condition and the carried values; its outputs are the condition, the carried
// values and the collected ones.
void ValueAnalysis::RunLoop(NodeId node) {
  const Graph& graph = model_.graph;
  const Node& what = graph.nodes[node];
  const Attribute* attribute = what.Find("body");
  if (attribute == nullptr || attribute->scopes.empty()) return;
  const ScopeId body = attribute->scopes[0];
  double trips = 0x1p62;
  if (!what.inputs.empty() && what.inputs[0] != kNone) trips = Of(what.inputs[0]).all.high;
  Bind(body, 0, {Range::Integers(0, std::max(0.0, trips - 1)), nullptr});
  Bind(body, 1, {Range::Integers(0, 1), nullptr});
  std::vector<TensorRange> carried;
  for (std::size_t i = 2; i < what.inputs.size(); ++i) carried.push_back(Of(what.inputs[i]));
  const Range& goes = Of(what.inputs.size() > 1 ? what.inputs[1] : kNone).all;
  const bool begins = what.inputs.size() < 2 || what.inputs[1] == kNone || goes == Range::Point(1);
  const bool counted =
      !what.inputs.empty() && what.inputs[0] != kNone && Of(what.inputs[0]).all.IsPoint();
  if (!begins || !counted || !RunTrips(body, trips, carried)) RunToFixedPoint(body, 2, 1, carried);
  const std::vector<TensorRange> given = OutputsOf(body);
  for (std::size_t i = 0; i < what.outputs.size(); ++i) {
    const bool is_carried = i < carried.size();
    const TensorRange collected = i + 1 < given.size() ? given[i + 1] : TensorRange();
    Join(what.outputs[i], is_carried ? carried[i] : TensorRange{collected.all, nullptr});
  }
}

bool ValueAnalysis::IsPlain(ScopeId scope) const {
  const std::vector<NodeId>& nodes = model_.graph.scopes[scope].nodes;
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
    const Node& node = model_.graph.nodes[id];
    const bool scopes = std::any_of(node.attributes.begin(), node.attributes.end(),
                                    [](const Attribute& each) { return !each.scopes.empty(); });
    return !scopes && model_.graph.Called(node) == kNone;
  });
}

bool ValueAnalysis::RunTrips(ScopeId body, double trips, std::vector<TensorRange>& carried) {
  constexpr double kMaxTrips = 32;
  const Scope& scope = model_.graph.scopes[body];
  if (!(trips >= 1 && trips <= kMaxTrips) || !IsPlain(body) || replaces_) return false;
  std::vector<ValueId> values = scope.inputs;
  for (const NodeId id : scope.nodes) {
    const Node& node = model_.graph.nodes[id];
    values.insert(values.end(), node.outputs.begin(), node.outputs.end());
  }
  std::erase(values, kNone);
  std::vector<TensorRange> all;  // of all iterations
  std::vector<TensorRange> after = carried;
  bool goes_on = true;
  for (double trip = 0; trip < trips && goes_on; ++trip) {
    replaces_ = true;
    Bind(body, 0, OfElements({}, {Range::Point(trip)}));
    Bind(body, 1, OfElements({}, {Range::Point(1)}));
    for (std::size_t i = 0; i < after.size(); ++i) Bind(body, 2 + i, after[i]);
    RunScope(body);
    replaces_ = false;
    const std::vector<TensorRange> given = OutputsOf(body);
    goes_on = given.size() > after.size() && given[0].all == Range::Point(1);
    for (std::size_t i = 0; i < after.size() && goes_on; ++i) after[i] = given[i + 1];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const TensorRange& now = Of(values[i]);
      if (all.size() == i) all.push_back(now);
      if (trip > 0) all[i] = HullOf(all[i], now);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) ranges_[values[i]] = all[i];
  if (goes_on) carried = std::move(after);
  return goes_on;
}

// The node's inputs are the carried values, then the values read slice by slice.
void ValueAnalysis::RunScan(NodeId node) {
  const Node& what = model_.graph.nodes[node];
  const Attribute* attribute = what.Find("body");
  const Attribute* read = what.Find("num_scan_inputs");
  if (attribute == nullptr || attribute->scopes.empty() || read == nullptr) return;
  const ScopeId body = attribute->scopes[0];
  const std::size_t first = model_.graph.OpsetIn(what.scope) < 9 ? 1 : 0;  // sequence_lens
  const std::size_t count = what.inputs.size() - std::min(first, what.inputs.size());
  const auto slices = static_cast<std::size_t>(std::max<std::int64_t>(0, read->integer));
  if (slices > count) return;
  std::vector<TensorRange> carried;
  for (std::size_t i = 0; i < count; ++i) {
    const TensorRange& input = Of(what.inputs[first + i]);
    if (i < count - slices) carried.push_back(input);
    if (i >= count - slices) Bind(body, i, {input.all, nullptr});
  }
  RunToFixedPoint(body, 0, 0, carried);
  const std::vector<TensorRange> given = OutputsOf(body);
  for (std::size_t i = 0; i < what.outputs.size(); ++i) {
    const TensorRange collected = i < given.size() ? given[i] : TensorRange();
    Join(what.outputs[i], i < carried.size() ? carried[i] : TensorRange{collected.all, nullptr});
  }
}

TensorRange ValueAnalysis::ReferredConstant(const Node& node) const {
  if (call_ == kNone || node.attributes.size() != 1) return {};
  const Attribute* said = model_.graph.nodes[call_].Find(node.attributes.front().text);
  if (said == nullptr) return {};
  const bool number = said->kind == Attribute::Kind::kFloat;
  if (!number && said->kind != Attribute::Kind::kInt) return {};
  return OfElements({}, {Range::Point(number ? static_cast<double>(said->number)
                                             : static_cast<double>(said->integer))});
}

void ValueAnalysis::RunCall(NodeId node, FunctionId function) {
  const Graph& graph = model_.graph;
  const Node& what = graph.nodes[node];
  const ScopeId body = graph.functions[function].body;
  for (std::size_t i = 0; i < graph.scopes[body].inputs.size(); ++i) {
    Bind(body, i, i < what.inputs.size() ? Of(what.inputs[i]) : TensorRange());
  }
  const NodeId caller = std::exchange(call_, node);
  RunScope(body);
  call_ = caller;
  std::vector<TensorRange> outputs = OutputsOf(body);
  outputs.resize(what.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) Join(what.outputs[i], std::move(outputs[i]));
}

void ValueAnalysis::Bind(ScopeId scope, std::size_t input, TensorRange range) {
  const std::vector<ValueId>& inputs = model_.graph.scopes[scope].inputs;
  if (input < inputs.size()) Join(inputs[input], std::move(range));
}

// The range of a value covers all calls, iterations and visits of its scope.
void ValueAnalysis::Join(ValueId value, TensorRange range) {
  if (value == kNone) return;
  if (known_[value] && !replaces_ && model_.graph.values[value].scope != 0) {
    range = HullOf(ranges_[value], range);
  }
  ranges_[value] = std::move(range);
  known_[value] = true;
}

std::vector<TensorRange> ValueAnalysis::OutputsOf(ScopeId scope) const {
  std::vector<TensorRange> outputs;
  for (const ValueId output : model_.graph.scopes[scope].outputs) outputs.push_back(Of(output));
  return outputs;
}

}  // namespace opledger

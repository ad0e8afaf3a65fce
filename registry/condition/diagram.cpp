// Decision diagrams of conditions; see diagram.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/diagram.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace opledger {
namespace {

constexpr std::size_t kMaxSteps = std::size_t{1} << 17;  // per operation
constexpr int kMaxDepth = 4000;                          // tests along one path
constexpr std::size_t kCacheSize = std::size_t{1} << 14;
constexpr std::size_t kCollectFirst = std::size_t{1} << 16;  // nodes
constexpr std::uint64_t kRankStep = std::uint64_t{1} << 24;

std::size_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

}  // namespace

std::uint64_t HashOfText(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

ConditionDiagram& ConditionDiagram::Shared() {
  static ConditionDiagram* diagram = new ConditionDiagram;
  return *diagram;
}

ConditionDiagram::ConditionDiagram()
    : nodes_(2), buckets_(std::size_t{1} << 12), cache_(kCacheSize), collect_at_(kCollectFirst) {}

// ---- Variables ----

std::uint32_t ConditionDiagram::VariableOf(const ConditionTree& term, const std::string& name) {
  auto [at, fresh] = by_name_.try_emplace(name, static_cast<std::uint32_t>(variables_.size()));
  if (!fresh) return at->second;
  const std::uint64_t before = at == by_name_.begin() ? 0 : variables_[std::prev(at)->second].rank;
  const std::uint64_t after = std::next(at) == by_name_.end()
                                  ? before + 2 * kRankStep
                                  : variables_[std::next(at)->second].rank;
  variables_.push_back({term, before + (after - before) / 2, HashOfText(name)});
  if (after - before < 2) RankAll();
  return at->second;
}

void ConditionDiagram::RankAll() {
  std::uint64_t rank = 0;
  for (const auto& [name, variable] : by_name_) variables_[variable].rank = rank += kRankStep;
}

bool ConditionDiagram::Before(const ConditionTest& a, const ConditionTest& b) const {
  if (a.variable != b.variable) return variables_[a.variable].rank < variables_[b.variable].rank;
  if (a.defined != b.defined) return a.defined;
  return a.at_most < b.at_most;
}

// ---- Nodes ----

// Returns `f` with its first variable set to 0, or `f` itself if `variable` is not its first
// variable.
ConditionFunction ConditionDiagram::AtZero(ConditionFunction f, std::uint32_t variable) const {
  while (!IsConstant(f) && nodes_[f].test.variable == variable) {
    if (!nodes_[f].test.defined && nodes_[f].test.at_most >= 0) return nodes_[f].high;
    f = nodes_[f].test.defined ? nodes_[f].high : nodes_[f].low;
  }
  return f;
}

std::size_t ConditionDiagram::BucketOf(const ConditionTest& test, ConditionFunction high,
                                       ConditionFunction low) const {
  const std::uint64_t question =
      Mix(test.variable * 2 + test.defined, static_cast<std::uint64_t>(test.at_most));
  return Mix(question, (std::uint64_t{high} << 32) | low) & (buckets_.size() - 1);
}

// Returns the node of this test, or a child if both outcomes are equivalent. `high` does not test
// the variable again, unless the test is whether it is defined; in that case `low` does not.
ConditionFunction ConditionDiagram::Make(const ConditionTest& test, ConditionFunction high,
                                         ConditionFunction low) {
  if (high == kTooLargeFunction || low == kTooLargeFunction) return kTooLargeFunction;
  if (high == low) return low;
  if (test.defined) {
    if (AtZero(high, test.variable) == low) return high;
  } else if (!IsConstant(low) && nodes_[low].test.variable == test.variable &&
             nodes_[low].high == high) {
    return low;
  }
  for (std::uint32_t node = buckets_[BucketOf(test, high, low)]; node != 0;
       node = nodes_[node].next) {
    const Node& known = nodes_[node];
    if (known.test == test && known.high == high && known.low == low) return node;
  }
  ConditionFunction made;
  if (free_.empty()) {
    made = static_cast<ConditionFunction>(nodes_.size());
    nodes_.emplace_back();
    if (nodes_.size() > 2 * buckets_.size()) GrowBuckets();
  } else {
    made = free_.back();
    free_.pop_back();
  }
  nodes_[made] = {test, high, low, 0, 0};
  Link(made);
  return made;
}

// Inserts the node at the front of its bucket.
void ConditionDiagram::Link(std::uint32_t node) {
  Node& one = nodes_[node];
  const std::size_t bucket = BucketOf(one.test, one.high, one.low);
  one.next = buckets_[bucket];
  buckets_[bucket] = node;
}

// Rehashes all nodes except the last, which has just been created and is not linked yet.
void ConditionDiagram::GrowBuckets() {
  buckets_.assign(buckets_.size() * 4, 0);
  std::vector<bool> is_free(nodes_.size());
  for (const std::uint32_t node : free_) is_free[node] = true;
  for (std::uint32_t node = 2; node + 1 < nodes_.size(); ++node) {
    if (!is_free[node]) Link(node);
  }
}

void ConditionDiagram::Hold(ConditionFunction f) {
  if (!IsConstant(f)) ++nodes_[f].holders;
}

void ConditionDiagram::Release(ConditionFunction f) {
  if (!IsConstant(f)) --nodes_[f].holders;
}

void ConditionDiagram::CollectIfMany() {
  if (live_nodes() < collect_at_) return;
  std::vector<bool> live(nodes_.size());
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t node = 2; node < nodes_.size(); ++node) {
    if (nodes_[node].holders > 0) waiting.push_back(node);
  }
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    if (IsConstant(node) || live[node]) continue;
    live[node] = true;
    waiting.push_back(nodes_[node].high);
    waiting.push_back(nodes_[node].low);
  }
  std::fill(buckets_.begin(), buckets_.end(), 0);
  cache_.assign(kCacheSize, {});
  free_.clear();
  for (auto node = static_cast<std::uint32_t>(nodes_.size()) - 1; node >= 2; --node) {
    if (live[node]) {
      Link(node);
    } else {
      free_.push_back(node);
    }
  }
  collect_at_ = std::max(kCollectFirst, 2 * live_nodes());
}

// ---- Operations ----

ConditionTest ConditionDiagram::FirstTest(ConditionFunction f, ConditionFunction g) const {
  if (IsConstant(f)) return nodes_[g].test;
  if (IsConstant(g) || Before(nodes_[f].test, nodes_[g].test)) return nodes_[f].test;
  return nodes_[g].test;
}

ConditionFunction ConditionDiagram::Restrict(ConditionFunction f, const ConditionTest& test,
                                             bool answer) const {
  if (IsConstant(f) || nodes_[f].test.variable != test.variable) return f;
  if (nodes_[f].test == test) return answer ? nodes_[f].high : nodes_[f].low;
  if (test.defined) return answer ? f : AtZero(f, test.variable);
  // A value within this bound is also within the greater bound that `f` tests.
  return answer ? nodes_[f].high : f;
}

ConditionFunction ConditionDiagram::Run(Operation operation, ConditionFunction a,
                                        ConditionFunction b) {
  if (a == kTooLargeFunction || b == kTooLargeFunction) return kTooLargeFunction;
  steps_left_ = kMaxSteps;
  return Apply(operation, a, b, 0);
}

ConditionFunction ConditionDiagram::Apply(Operation operation, ConditionFunction a,
                                          ConditionFunction b, int depth) {
  if (operation == Operation::kNot) {
    if (IsConstant(a)) return a == kNeverFunction ? kAlwaysFunction : kNeverFunction;
  } else {
    const bool is_and = operation == Operation::kAnd;
    const ConditionFunction absorbing = is_and ? kNeverFunction : kAlwaysFunction;
    if (a == absorbing || b == absorbing) return absorbing;
    if (IsConstant(a) || a == b) return b;
    if (IsConstant(b)) return a;
    if (b < a) std::swap(a, b);
  }
  const auto key = static_cast<std::uint64_t>(operation);
  const std::size_t slot = Mix((std::uint64_t{a} << 32) | b, key) & (kCacheSize - 1);
  if (const CacheEntry& known = cache_[slot];
      known.a == a && known.b == b && known.operation == operation) {
    return known.result;
  }
  if (steps_left_ == 0 || depth > kMaxDepth) return kTooLargeFunction;
  --steps_left_;
  const ConditionTest test = FirstTest(a, b);
  const ConditionFunction high =
      Apply(operation, Restrict(a, test, true), Restrict(b, test, true), depth + 1);
  if (high == kTooLargeFunction) return high;
  const ConditionFunction low =
      Apply(operation, Restrict(a, test, false), Restrict(b, test, false), depth + 1);
  const ConditionFunction result = Make(test, high, low);
  if (result != kTooLargeFunction) cache_[slot] = {a, b, operation, result};
  return result;
}

ConditionFunction ConditionDiagram::And(ConditionFunction a, ConditionFunction b) {
  return Run(Operation::kAnd, a, b);
}

ConditionFunction ConditionDiagram::Or(ConditionFunction a, ConditionFunction b) {
  return Run(Operation::kOr, a, b);
}

ConditionFunction ConditionDiagram::Not(ConditionFunction a) {
  return Run(Operation::kNot, a, kNeverFunction);
}

ConditionFunction ConditionDiagram::Choose(ConditionFunction test, ConditionFunction yes,
                                           ConditionFunction no) {
  return Or(And(test, yes), And(Not(test), no));
}

ConditionFunction ConditionDiagram::Defined(const std::string& macro) {
  return OfTest({VariableOf(Macro(macro), macro), true, 0});
}

ConditionFunction ConditionDiagram::AtMost(const ConditionTree& term, std::int64_t value) {
  const bool named = term->kind == ConditionNode::Kind::kMacro;
  const std::uint32_t variable = VariableOf(term, named ? term->name : ConditionText(*term));
  return OfTest({variable, false, value});
}

ConditionFunction ConditionDiagram::OfTest(const ConditionTest& test) {
  return Make(test, kAlwaysFunction, kNeverFunction);
}

// ---- Inspecting functions ----

std::vector<ConditionOutcome> ConditionDiagram::OutcomesOf(ConditionFunction f) const {
  std::vector<ConditionOutcome> outcomes;
  const std::uint32_t variable = nodes_[f].test.variable;
  if (nodes_[f].test.defined) {
    outcomes.push_back({true, 0, 0, nodes_[f].low});
    f = nodes_[f].high;
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (; !IsConstant(f) && nodes_[f].test.variable == variable; f = nodes_[f].low) {
    outcomes.push_back({false, least, nodes_[f].test.at_most, nodes_[f].high});
    least = nodes_[f].test.at_most + 1;
  }
  outcomes.push_back({false, least, std::numeric_limits<std::int64_t>::max(), f});
  return outcomes;
}

std::vector<std::uint32_t> ConditionDiagram::SupportOf(ConditionFunction f) const {
  std::vector<std::uint32_t> support;
  std::vector<ConditionFunction> waiting{f};
  std::unordered_map<ConditionFunction, bool> seen;
  while (!waiting.empty()) {
    const ConditionFunction node = waiting.back();
    waiting.pop_back();
    if (IsConstant(node) || !seen.emplace(node, true).second) continue;
    support.push_back(nodes_[node].test.variable);
    waiting.push_back(nodes_[node].high);
    waiting.push_back(nodes_[node].low);
  }
  std::sort(support.begin(), support.end(), [&](std::uint32_t a, std::uint32_t b) {
    return variables_[a].rank < variables_[b].rank;
  });
  support.erase(std::unique(support.begin(), support.end()), support.end());
  return support;
}

std::size_t ConditionDiagram::SizeOf(ConditionFunction f, std::size_t most) const {
  std::vector<ConditionFunction> waiting{f};
  std::unordered_set<ConditionFunction> seen;
  while (!waiting.empty() && seen.size() <= most) {
    const ConditionFunction node = waiting.back();
    waiting.pop_back();
    if (IsConstant(node) || !seen.insert(node).second) continue;
    waiting.push_back(nodes_[node].high);
    waiting.push_back(nodes_[node].low);
  }
  return seen.size();
}

std::uint64_t ConditionDiagram::HashOf(ConditionFunction f) const {
  std::unordered_map<ConditionFunction, std::uint64_t> known{{kNeverFunction, 0},
                                                             {kAlwaysFunction, 1}};
  const auto run = [&](const auto& self, ConditionFunction node) -> std::uint64_t {
    if (const auto found = known.find(node); found != known.end()) return found->second;
    const ConditionTest& test = nodes_[node].test;
    const std::uint64_t question = Mix(variables_[test.variable].hash + test.defined,
                                       static_cast<std::uint64_t>(test.at_most));
    const std::uint64_t answers = Mix(self(self, nodes_[node].high), self(self, nodes_[node].low));
    return known[node] = Mix(question, answers);
  };
  return run(run, f);
}

}  // namespace opledger

// Decision diagrams of conditions: every condition is one node, equal conditions are the same node.
// The variables are macros and what else a condition asks for; each takes an integer, a macro also
// "undefined", which counts as 0. The order of the variables is that of their names, so that a
// diagram depends on the function and these names alone.
// R. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation" (1986), with chains of
// thresholds for the values of a variable, so that `A > 2` implies `A > 1` by construction.
//   A >= 2 || !defined(A)  ->  defined(A) ? (A <= 1 ? never : always) : always
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "registry/condition/tree.h"

namespace opledger {

// A node; see ConditionDiagram::Hold.
using ConditionFunction = std::uint32_t;
inline constexpr ConditionFunction kNeverFunction = 0;
inline constexpr ConditionFunction kAlwaysFunction = 1;
// The result of an operation that takes too many steps.
inline constexpr ConditionFunction kTooLargeFunction = 0xFFFFFFFFu;

// FNV-1a: the same in every process.
std::uint64_t HashOfText(std::string_view text);

// What a node asks: whether the variable is defined, or whether its value is at most a number.
struct ConditionTest {
  std::uint32_t variable = 0;
  bool defined = false;
  std::int64_t at_most = 0;

  bool operator==(const ConditionTest&) const = default;
};

// Values of a variable that lead to the same node.
struct ConditionOutcome {
  bool undefined = false;  // then there is no interval
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  ConditionFunction then = kNeverFunction;
};

class ConditionDiagram {
 public:
  // The one of this process. It is not safe to be used by several threads.
  static ConditionDiagram& Shared();

  // The functions of one test. `term` is a macro, an opaque atom or arithmetic over these.
  ConditionFunction Defined(const std::string& macro);
  ConditionFunction AtMost(const ConditionTree& term, std::int64_t value);
  ConditionFunction OfTest(const ConditionTest& test);

  ConditionFunction And(ConditionFunction a, ConditionFunction b);
  ConditionFunction Or(ConditionFunction a, ConditionFunction b);
  ConditionFunction Not(ConditionFunction a);
  // `test` ? `yes` : `no`.
  ConditionFunction Choose(ConditionFunction test, ConditionFunction yes, ConditionFunction no);
  bool Implies(ConditionFunction a, ConditionFunction b) {
    return And(a, Not(b)) == kNeverFunction;
  }

  // A node is kept while somebody holds it; CollectIfMany() frees the others, once there are many.
  void Hold(ConditionFunction f);
  void Release(ConditionFunction f);
  void CollectIfMany();

  bool IsConstant(ConditionFunction f) const { return f <= kAlwaysFunction; }
  const ConditionTest& TestOf(ConditionFunction f) const { return nodes_[f].test; }
  ConditionFunction High(ConditionFunction f) const { return nodes_[f].high; }
  ConditionFunction Low(ConditionFunction f) const { return nodes_[f].low; }
  const ConditionTree& TermOf(std::uint32_t variable) const { return variables_[variable].term; }
  bool ComesBefore(std::uint32_t variable, std::uint32_t other) const {
    return variables_[variable].rank < variables_[other].rank;
  }
  // The earlier of the tests that the nodes begin with; one of them may be constant.
  ConditionTest FirstTest(ConditionFunction f, ConditionFunction g) const;
  // What is left of `f` where the test, which comes before all of `f`, has that answer.
  ConditionFunction Restrict(ConditionFunction f, const ConditionTest& test, bool answer) const;
  // The outcomes of the variable that `f`, no constant, begins with: the values in ascending order.
  std::vector<ConditionOutcome> OutcomesOf(ConditionFunction f) const;
  // The variables that the function depends on, in their order.
  std::vector<std::uint32_t> SupportOf(ConditionFunction f) const;

  // The nodes that it is made of; counting ends above `most`.
  std::size_t SizeOf(ConditionFunction f, std::size_t most) const;

  // Of the function and the names of its variables alone: the same in every process.
  std::uint64_t HashOf(ConditionFunction f) const;

  std::size_t live_nodes() const { return nodes_.size() - free_.size(); }

 private:
  struct Variable {
    ConditionTree term;
    std::uint64_t rank = 0;  // increases with the names
    std::uint64_t hash = 0;  // of the name
  };
  struct Node {
    ConditionTest test;
    ConditionFunction high = kNeverFunction;  // where the answer is yes
    ConditionFunction low = kNeverFunction;
    std::uint32_t next = 0;  // in the bucket
    std::uint32_t holders = 0;
  };
  enum class Operation : std::uint32_t { kAnd, kOr, kNot };
  struct CacheEntry {
    ConditionFunction a = kTooLargeFunction;
    ConditionFunction b = kTooLargeFunction;
    Operation operation = Operation::kAnd;
    ConditionFunction result = kTooLargeFunction;
  };

  ConditionDiagram();
  std::uint32_t VariableOf(const ConditionTree& term, const std::string& name);
  void RankAll();
  bool Before(const ConditionTest& a, const ConditionTest& b) const;
  ConditionFunction AtZero(ConditionFunction f, std::uint32_t variable) const;
  ConditionFunction Make(const ConditionTest& test, ConditionFunction high, ConditionFunction low);
  ConditionFunction Run(Operation operation, ConditionFunction a, ConditionFunction b);
  ConditionFunction Apply(Operation operation, ConditionFunction a, ConditionFunction b, int depth);
  std::size_t BucketOf(const ConditionTest& test, ConditionFunction high,
                       ConditionFunction low) const;
  void Link(std::uint32_t node);
  void GrowBuckets();

  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::vector<Variable> variables_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> buckets_;
  std::vector<std::uint32_t> free_;
  std::vector<CacheEntry> cache_;
  std::size_t collect_at_;
  std::size_t steps_left_ = 0;
};

}  // namespace opledger

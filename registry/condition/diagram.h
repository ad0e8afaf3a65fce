// Decision diagrams of conditions: every condition is one node, and equal conditions share a node.
// Variables are macros, opaque atoms and arithmetic terms. Each has an integer value; a macro can
// also be undefined, which counts as 0. Variables are ordered by name, so a diagram depends only on
// the function and on these names. See R. Bryant, "Graph-Based Algorithms for Boolean Function
// Manipulation" (1986); chains of thresholds represent the values of a variable, so that `A > 2`
// implies `A > 1` by construction.
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

// A node of the diagram; see ConditionDiagram::Hold.
using ConditionFunction = std::uint32_t;
inline constexpr ConditionFunction kNeverFunction = 0;
inline constexpr ConditionFunction kAlwaysFunction = 1;
// Result of an operation that takes too many steps.
inline constexpr ConditionFunction kTooLargeFunction = 0xFFFFFFFFu;

// FNV-1a; the same in every process.
std::uint64_t HashOfText(std::string_view text);

// The test of a node: whether the variable is defined, or whether its value is at most `at_most`.
struct ConditionTest {
  std::uint32_t variable = 0;
  bool defined = false;
  std::int64_t at_most = 0;

  bool operator==(const ConditionTest&) const = default;
};

// A range of values of a variable that lead to the same node.
struct ConditionOutcome {
  bool undefined = false;  // if set, the interval is unused
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  ConditionFunction then = kNeverFunction;
};

class ConditionDiagram {
 public:
  // Returns the diagram of this process. Not thread-safe.
  static ConditionDiagram& Shared();

  // Functions of a single test. `term` is a macro, an opaque atom or arithmetic over these.
  ConditionFunction Defined(const std::string& macro);
  ConditionFunction AtMost(const ConditionTree& term, std::int64_t value);
  ConditionFunction OfTest(const ConditionTest& test);

  ConditionFunction And(ConditionFunction a, ConditionFunction b);
  ConditionFunction Or(ConditionFunction a, ConditionFunction b);
  ConditionFunction Not(ConditionFunction a);
  // Returns `test` ? `yes` : `no`.
  ConditionFunction Choose(ConditionFunction test, ConditionFunction yes, ConditionFunction no);
  bool Implies(ConditionFunction a, ConditionFunction b) {
    return And(a, Not(b)) == kNeverFunction;
  }

  // A node is kept while it is held. CollectIfMany() frees the others once there are many.
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
  // Returns the earlier of the first tests of two nodes; at most one of them may be constant.
  ConditionTest FirstTest(ConditionFunction f, ConditionFunction g) const;
  // Returns `f` given the answer to a test that precedes all tests of `f`.
  ConditionFunction Restrict(ConditionFunction f, const ConditionTest& test, bool answer) const;
  // Returns the outcomes of the first variable of `f`, which must not be constant, in ascending
  // order of values.
  std::vector<ConditionOutcome> OutcomesOf(ConditionFunction f) const;
  // Returns the variables that the function depends on, in diagram order.
  std::vector<std::uint32_t> SupportOf(ConditionFunction f) const;

  // Returns the number of nodes in the function; stops counting above `most`.
  std::size_t SizeOf(ConditionFunction f, std::size_t most) const;

  // Depends only on the function and the names of its variables, so it is the same in every
  // process.
  std::uint64_t HashOf(ConditionFunction f) const;

  std::size_t live_nodes() const { return nodes_.size() - free_.size(); }

 private:
  struct Variable {
    ConditionTree term;
    std::uint64_t rank = 0;  // ascending in order of names
    std::uint64_t hash = 0;  // of the name
  };
  struct Node {
    ConditionTest test;
    ConditionFunction high = kNeverFunction;  // if the answer is yes
    ConditionFunction low = kNeverFunction;
    std::uint32_t next = 0;  // in the same bucket
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

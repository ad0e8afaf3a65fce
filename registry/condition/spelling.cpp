// Builds and shortens the spelling of a condition; see spelling.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/spelling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <vector>

#include "registry/condition/function.h"
#include "registry/condition/shortest.h"
#include "registry/condition/value_set.h"

namespace opledger {
namespace {

using Kind = ConditionSpelling::Kind;
using NodeKind = ConditionNode::Kind;

constexpr std::size_t kMaxSize = 2000;    // longer spellings are discarded
constexpr std::size_t kMaxOperands = 64;  // limit for the search for redundant operands
constexpr std::size_t kMaxText = std::size_t{1}
                                 << 16;  // bytes of an expression that is one variable
constexpr std::string_view kTooComplex = "too_complex(";

SharedSpelling Made(ConditionFunction f, Kind kind, SharedSpelling first, SharedSpelling second) {
  auto made = std::make_shared<ConditionSpelling>(f);
  made->size = first->size + (second ? second->size : 0);
  const bool whole = first->size != 0 && (!second || second->size != 0);
  if (!whole || made->size > kMaxSize) {
    made->size = 0;
    return made;
  }
  made->kind = kind;
  made->first = std::move(first);
  made->second = std::move(second);
  return made;
}

SharedSpelling OfTree(ConditionFunction f, const ConditionTree& tree) {
  auto spelling = std::make_shared<ConditionSpelling>(f);
  spelling->kind = Kind::kTree;
  spelling->tree = tree;
  spelling->size = 1;
  return spelling;
}

// Returns a spelling that treats the expression as one variable. If it is too long for that, the
// variable is an opaque name.
SharedSpelling TooLarge(const ConditionTree& tree) {
  const std::string text = ConditionText(*tree);
  if (text.size() <= kMaxText && tree->depth <= kMaxConditionDepth) {
    return OfTree(AtomOf(tree), tree);
  }
  return Spelled(TooComplexAtom(text));
}

// Collects the operands of a chain of the same kind.
void Flatten(const ConditionSpelling& spelling, Kind kind,
             std::vector<const ConditionSpelling*>& operands) {
  if (spelling.kind != kind) return operands.push_back(&spelling);
  Flatten(*spelling.first, kind, operands);
  Flatten(*spelling.second, kind, operands);
}

// Drops the operands of a conjunction that the others imply, or those of a disjunction that imply
// the others.
void DropRedundant(bool all, std::vector<const ConditionSpelling*>& operands) {
  if (operands.size() > kMaxOperands) return;
  std::stable_sort(operands.begin(), operands.end(),
                   [](const auto* a, const auto* b) { return a->size > b->size; });
  std::vector<ConditionFunction> functions;
  for (const ConditionSpelling* one : operands) functions.push_back(one->function);
  std::vector<const ConditionSpelling*> needed;
  for (const std::size_t i : NeededOperands(all, functions)) needed.push_back(operands[i]);
  operands = std::move(needed);
}

// ---- Trees ----

bool IsJunction(const ConditionTree& tree) {
  return tree->kind == NodeKind::kAnd || tree->kind == NodeKind::kOr;
}

ConditionTree Junction(NodeKind kind, const std::vector<ConditionTree>& operands) {
  return kind == NodeKind::kAnd ? Conjunction(operands) : Disjunction(operands);
}

// Counts the terms and the operators between them. `A == 0` is one term, like `A`.
std::size_t LengthOf(const ConditionNode& node) {
  if (IsComparison(node) && node.operands[0]->depth == 1 && node.operands[1]->depth == 1) return 1;
  std::size_t length = std::max<std::size_t>(node.operands.size(), 2) - 1;
  for (const ConditionTree& operand : node.operands) length += LengthOf(*operand);
  return length;
}

// Returns whether `tree` has fewer terms and operators, and not more bytes. Otherwise the source's
// expression is kept: `A < 5` is not shorter than `A <= 4`, nor `!A` than `A == 0`.
bool IsShorter(const ConditionTree& tree, const ConditionTree& than) {
  return LengthOf(*tree) < LengthOf(*than) &&
         ConditionText(*tree).size() <= ConditionText(*than).size();
}

ConditionTree TreeOf(const ConditionSpelling& spelling) {
  switch (spelling.kind) {
    case Kind::kNot:
      return Negation(TreeOf(*spelling.first));
    case Kind::kAnd:
    case Kind::kOr: {
      const bool all = spelling.kind == Kind::kAnd;
      const NodeKind kind = all ? NodeKind::kAnd : NodeKind::kOr;
      std::vector<const ConditionSpelling*> operands;
      Flatten(spelling, spelling.kind, operands);
      DropRedundant(all, operands);
      std::vector<ConditionTree> trees;
      for (const ConditionSpelling* one : operands) trees.push_back(TreeOf(*one));
      return AsCondition(Junction(kind, trees));
    }
    default:
      return AsCondition(spelling.tree);
  }
}

struct Part {
  ConditionTree tree;
  ConditionFunction function;
};

// Drops the operands that their siblings make redundant.
Part Pruned(const ConditionTree& tree) {
  ConditionDiagram& diagram = ConditionDiagram::Shared();
  if (tree->kind == NodeKind::kNot && IsJunction(tree->operands[0])) {
    const Part operand = Pruned(tree->operands[0]);
    return {Negation(operand.tree), diagram.Not(operand.function)};
  }
  if (!IsJunction(tree)) return {tree, FunctionOf(tree)};
  std::vector<Part> parts;
  for (const ConditionTree& one : tree->operands) parts.push_back(Pruned(one));
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return LengthOf(*a.tree) > LengthOf(*b.tree);
  });
  const bool all = tree->kind == NodeKind::kAnd;
  std::vector<ConditionFunction> functions;
  for (const Part& one : parts) functions.push_back(one.function);
  ConditionFunction function = all ? kAlwaysFunction : kNeverFunction;
  std::vector<ConditionTree> needed;
  for (const std::size_t i : NeededOperands(all, functions)) {
    needed.push_back(parts[i].tree);
    function = all ? diagram.And(functions[i], function) : diagram.Or(functions[i], function);
  }
  return {AsCondition(Junction(tree->kind, needed)), function};
}

// Returns the shortest form of a leaf, or nullptr if it depends on several variables.
ConditionTree ShortLeaf(const ConditionTree& leaf) {
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  const ConditionFunction f = FunctionOf(leaf);
  if (f == kTooLargeFunction || diagram.IsConstant(f)) return nullptr;
  for (const ConditionOutcome& one : diagram.OutcomesOf(f)) {
    if (!diagram.IsConstant(one.then)) return nullptr;
  }
  ConditionTree short_one =
      MembershipTree(diagram.TermOf(diagram.TestOf(f).variable), PossibleValues(f));
  return IsShorter(short_one, leaf) ? short_one : leaf;
}

// Returns the expression with shortened leaves if each variable occurs in only one leaf, in which
// case there is no shorter expression. Otherwise returns nullptr. `variables` collects the
// variables seen so far.
ConditionTree ReadOnce(const ConditionTree& tree, std::set<std::uint32_t>& variables) {
  if (tree->kind == NodeKind::kNot && IsJunction(tree->operands[0])) {
    const ConditionTree operand = ReadOnce(tree->operands[0], variables);
    return operand ? Negation(operand) : nullptr;
  }
  if (IsJunction(tree)) {
    std::vector<ConditionTree> operands;
    for (const ConditionTree& operand : tree->operands) {
      operands.push_back(ReadOnce(operand, variables));
      if (!operands.back()) return nullptr;
    }
    return Junction(tree->kind, operands);
  }
  const ConditionTree leaf = ShortLeaf(tree);
  if (!leaf) return nullptr;
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  return variables.insert(diagram.TestOf(FunctionOf(leaf)).variable).second ? leaf : nullptr;
}

// Returns the expression as it was built, shortened as far as possible.
ConditionTree OwnTree(const ConditionSpelling& spelling, bool& is_shortest) {
  ConditionTree tree = TreeOf(spelling);
  std::set<std::uint32_t> variables;
  ConditionTree once = ReadOnce(tree, variables);
  if (!once) {
    tree = Pruned(tree).tree;
    variables.clear();
    once = ReadOnce(tree, variables);
  }
  is_shortest = once != nullptr;
  if (once) tree = once;
  ConditionTree other = NegatedAtLeaves(tree, false);
  return ConditionText(*other).size() < ConditionText(*tree).size() ? other : tree;
}

}  // namespace

ConditionSpelling::ConditionSpelling(ConditionFunction f) : function(f) {
  ConditionDiagram::Shared().Hold(function);
}

ConditionSpelling::~ConditionSpelling() { ConditionDiagram::Shared().Release(function); }

SharedSpelling Spelled(const ConditionTree& tree) {
  const ConditionFunction f = FunctionOf(tree);
  if (f == kAlwaysFunction) return nullptr;
  return f == kTooLargeFunction ? TooLarge(tree) : OfTree(f, tree);
}

SharedSpelling Joined(bool all, const SharedSpelling& first, const SharedSpelling& second) {
  ConditionDiagram& diagram = ConditionDiagram::Shared();
  const ConditionFunction f = all ? diagram.And(first->function, second->function)
                                  : diagram.Or(first->function, second->function);
  if (f == kAlwaysFunction) return nullptr;
  if (f == kTooLargeFunction) {
    const ConditionTree one = ShortestTree(*first);
    const ConditionTree other = ShortestTree(*second);
    return TooLarge(all ? Conjunction({one, other}) : Disjunction({one, other}));
  }
  if (f == first->function) return first;
  if (f == second->function) return second;
  return Made(f, all ? Kind::kAnd : Kind::kOr, first, second);
}

SharedSpelling Negated(const SharedSpelling& operand) {
  const ConditionFunction f = ConditionDiagram::Shared().Not(operand->function);
  if (f == kAlwaysFunction) return nullptr;
  if (f == kTooLargeFunction) return TooLarge(Negation(ShortestTree(*operand)));
  if (operand->kind == Kind::kNot) return operand->first;
  return Made(f, Kind::kNot, operand, nullptr);
}

ConditionTree TooComplexAtom(std::string_view text) {
  std::array<char, 16> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), HashOfText(text), 16);
  const std::string number(digits.data(), end.ptr);
  return Opaque(std::string(kTooComplex) + "0x" + number + ")");
}

bool IsTooComplexAtom(std::string_view name) { return name.starts_with(kTooComplex); }

ConditionTree ShortestTree(const ConditionSpelling& spelling) {
  if (spelling.function == kNeverFunction) return Integer({0, false});
  ConditionTree shortest;
  if (spelling.size != 0) {
    bool is_shortest = false;
    shortest = OwnTree(spelling, is_shortest);
    if (is_shortest) return shortest;
    if (shortest->depth > kMaxConditionDepth) shortest = nullptr;
  }
  for (const ConditionTree& tree : ShortTreesOf(spelling.function)) {
    if (tree->depth > kMaxConditionDepth || (shortest && !IsShorter(tree, shortest))) continue;
    shortest = AsCondition(tree);
  }
  if (shortest) return shortest;
  const std::uint64_t hash = ConditionDiagram::Shared().HashOf(spelling.function);
  return TooComplexAtom("#" + std::to_string(hash));
}

}  // namespace opledger

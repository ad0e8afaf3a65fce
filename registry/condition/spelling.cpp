// How a condition came about; see spelling.h.
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

constexpr std::size_t kMaxSize = 2000;                  // longer spellings are forgotten
constexpr std::size_t kMaxOperands = 64;                // of which redundant ones are looked for
constexpr std::size_t kMaxText = std::size_t{1} << 16;  // of an expression that is one variable
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

// A variable of its own, by its text. An expression that is too long for that is a name without
// meaning.
SharedSpelling TooLarge(const ConditionTree& tree) {
  const std::string text = ConditionText(*tree);
  if (text.size() <= kMaxText && tree->depth <= kMaxConditionDepth) {
    return OfTree(AtomOf(tree), tree);
  }
  return Spelled(TooComplexAtom(text));
}

// The operands of a chain of the same kind.
void Flatten(const ConditionSpelling& spelling, Kind kind,
             std::vector<const ConditionSpelling*>& operands) {
  if (spelling.kind != kind) return operands.push_back(&spelling);
  Flatten(*spelling.first, kind, operands);
  Flatten(*spelling.second, kind, operands);
}

// Leaves out the operands that the others imply (or that imply one of the others).
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

ConditionTree TreeOf(const ConditionSpelling& spelling) {
  switch (spelling.kind) {
    case Kind::kNot:
      return Negation(TreeOf(*spelling.first));
    case Kind::kAnd:
    case Kind::kOr: {
      const bool all = spelling.kind == Kind::kAnd;
      std::vector<const ConditionSpelling*> operands;
      Flatten(spelling, spelling.kind, operands);
      DropRedundant(all, operands);
      std::vector<ConditionTree> trees;
      for (const ConditionSpelling* one : operands) trees.push_back(TreeOf(*one));
      return all ? Conjunction(trees) : Disjunction(trees);
    }
    default:
      return AsCondition(spelling.tree);
  }
}

// A leaf as short as it can be; nullptr where it asks for more than one variable.
ConditionTree ShortLeaf(const ConditionTree& leaf) {
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  const ConditionFunction f = FunctionOf(leaf);
  if (f == kTooLargeFunction || diagram.IsConstant(f)) return nullptr;
  for (const ConditionOutcome& one : diagram.OutcomesOf(f)) {
    if (!diagram.IsConstant(one.then)) return nullptr;
  }
  ConditionTree short_one =
      MembershipTree(diagram.TermOf(diagram.TestOf(f).variable), PossibleValues(f));
  return ConditionText(*short_one).size() < ConditionText(*leaf).size() ? short_one : leaf;
}

// The expression with short leaves, if each variable is in one leaf and no negation stands before
// brackets: then there is no shorter one. Else nullptr. `variables`: of the leaves so far.
ConditionTree ReadOnce(const ConditionTree& tree, std::set<std::uint32_t>& variables) {
  if (tree->kind == NodeKind::kAnd || tree->kind == NodeKind::kOr) {
    std::vector<ConditionTree> operands;
    for (const ConditionTree& operand : tree->operands) {
      operands.push_back(ReadOnce(operand, variables));
      if (!operands.back()) return nullptr;
    }
    return tree->kind == NodeKind::kAnd ? Conjunction(operands) : Disjunction(operands);
  }
  const ConditionTree leaf = ShortLeaf(tree);
  if (!leaf) return nullptr;
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  return variables.insert(diagram.TestOf(FunctionOf(leaf)).variable).second ? leaf : nullptr;
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
    shortest = TreeOf(spelling);
    std::set<std::uint32_t> variables;
    if (ConditionTree once = ReadOnce(shortest, variables)) return once;
    if (shortest->depth > kMaxConditionDepth) shortest = nullptr;
  }
  std::size_t length = shortest ? ConditionText(*shortest).size() : 0;
  for (const ConditionTree& tree : ShortTreesOf(spelling.function)) {
    const std::size_t other = ConditionText(*tree).size();
    if (tree->depth > kMaxConditionDepth || (shortest && other >= length)) continue;
    shortest = tree;
    length = other;
  }
  if (shortest) return shortest;
  const std::uint64_t hash = ConditionDiagram::Shared().HashOf(spelling.function);
  return TooComplexAtom("#" + std::to_string(hash));
}

}  // namespace opledger

// Converts expressions to functions of a decision diagram; see function.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/function.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "registry/condition/arithmetic.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;
using Op = ConditionOperator;

// An expression with more possible values is treated as a variable.
constexpr std::size_t kMaxValues = 64;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

// A possible value of an expression: an integer, or a term over macros.
struct ValueCase {
  ConditionFunction when;
  ConditionTree value;
};
using ValueCases = std::vector<ValueCase>;

bool IsLogical(const ConditionNode& node) {
  return node.kind == NodeKind::kDefined || node.kind == NodeKind::kNot ||
         node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr || IsComparison(node);
}

bool HasUnsigned(const ConditionTree& tree) {
  if (tree->kind == NodeKind::kInteger) return tree->value.is_unsigned;
  return std::any_of(tree->operands.begin(), tree->operands.end(), HasUnsigned);
}

class FunctionBuilder {
 public:
  ConditionFunction Of(const ConditionTree& tree) {
    switch (tree->kind) {
      case NodeKind::kInteger:
        return tree->value.bits != 0 ? kAlwaysFunction : kNeverFunction;
      case NodeKind::kDefined:
        return diagram_.Defined(tree->name);
      case NodeKind::kNot:
        return diagram_.Not(Of(tree->operands[0]));
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return Combined(tree);
      case NodeKind::kChoice:
        return diagram_.Choose(Of(tree->operands[0]), Of(tree->operands[1]), Of(tree->operands[2]));
      default:
        break;
    }
    if (IsComparison(*tree)) return Compared(tree->operands[0], tree->op, tree->operands[1]);
    return Compared(tree, Op::kNotEqual, Integer({0, false}));
  }

  // Returns the function "the term, which is one variable, is not 0".
  ConditionFunction Truth(const ConditionTree& term) { return Threshold(term, Op::kNotEqual, 0); }

 private:
  ConditionFunction Combined(const ConditionTree& tree) {
    const bool all = tree->kind == NodeKind::kAnd;
    ConditionFunction result = all ? kAlwaysFunction : kNeverFunction;
    // Starts with the last operand, so that a long chain grows at its top.
    for (auto operand = tree->operands.rbegin(); operand != tree->operands.rend(); ++operand) {
      const ConditionFunction next = Of(*operand);
      result = all ? diagram_.And(next, result) : diagram_.Or(next, result);
    }
    return result;
  }

  ConditionFunction Compared(const ConditionTree& left, Op op, const ConditionTree& right) {
    ValueCases lefts;
    ValueCases rights;
    if (!Values(left, lefts) || !Values(right, rights)) return Atom(Binary(op, left, right));
    ConditionFunction result = kNeverFunction;
    for (const ValueCase& a : lefts) {
      for (const ValueCase& b : rights) {
        const ConditionFunction both = diagram_.And(a.when, b.when);
        if (both == kNeverFunction) continue;
        result = diagram_.Or(result, diagram_.And(both, Terms(a.value, op, b.value)));
      }
    }
    return result;
  }

  // Converts a comparison whose operands contain no truth values.
  ConditionFunction Terms(const ConditionTree& left, Op op, const ConditionTree& right) {
    const ConditionTree tree = Binary(op, left, right);
    if (tree->kind == NodeKind::kInteger) {
      return tree->value.bits != 0 ? kAlwaysFunction : kNeverFunction;
    }
    const ConditionTree& number = tree->operands[1];
    if (number->kind != NodeKind::kInteger || number->value.is_unsigned ||
        HasUnsigned(tree->operands[0])) {
      return Atom(tree);
    }
    const auto value = static_cast<std::int64_t>(number->value.bits);
    // A negative number compares as a large one with an unsigned value.
    if (value < 0) return Atom(tree);
    return Threshold(tree->operands[0], tree->op, value);
  }

  ConditionFunction AtMost(const ConditionTree& term, std::int64_t value) {
    return value == kGreatest ? kAlwaysFunction : diagram_.AtMost(term, value);
  }
  ConditionFunction Less(const ConditionTree& term, std::int64_t value) {
    return value == kLeast ? kNeverFunction : diagram_.AtMost(term, value - 1);
  }

  ConditionFunction Threshold(const ConditionTree& term, Op op, std::int64_t value) {
    switch (op) {
      case Op::kLess:
        return Less(term, value);
      case Op::kLessEqual:
        return AtMost(term, value);
      case Op::kGreater:
        return diagram_.Not(AtMost(term, value));
      case Op::kGreaterEqual:
        return diagram_.Not(Less(term, value));
      case Op::kEqual:
        return diagram_.And(AtMost(term, value), diagram_.Not(Less(term, value)));
      default:
        return diagram_.Or(Less(term, value), diagram_.Not(AtMost(term, value)));
    }
  }

  // Treats a comparison as a variable, and its opposite as the negation of the same variable.
  ConditionFunction Atom(const ConditionTree& tree) {
    const bool inverse =
        tree->op == Op::kNotEqual || tree->op == Op::kGreaterEqual || tree->op == Op::kLessEqual;
    const ConditionTree term = inverse ? Negation(tree) : tree;
    return inverse ? diagram_.Not(Truth(term)) : Truth(term);
  }

  // Collects the possible values of the expression. Returns false if there are too many.
  bool Values(const ConditionTree& tree, ValueCases& cases) {
    cases.clear();
    if (IsLogical(*tree)) {
      const ConditionFunction truth = Of(tree);
      cases = {{truth, Integer({1, false})}, {diagram_.Not(truth), Integer({0, false})}};
      return true;
    }
    switch (tree->kind) {
      case NodeKind::kChoice:
        return ChosenValues(tree, cases);
      case NodeKind::kUnary:
      case NodeKind::kBinary:
        return ComputedValues(tree, cases);
      default:
        cases = {{kAlwaysFunction, tree}};
        return true;
    }
  }

  bool ChosenValues(const ConditionTree& tree, ValueCases& cases) {
    const ConditionFunction test = Of(tree->operands[0]);
    if (HasUnsigned(tree->operands[1]) || HasUnsigned(tree->operands[2])) return false;
    ValueCases seconds;
    if (!Values(tree->operands[1], cases) || !Values(tree->operands[2], seconds)) return false;
    for (ValueCase& one : cases) one.when = diagram_.And(test, one.when);
    for (const ValueCase& one : seconds) {
      cases.push_back({diagram_.And(diagram_.Not(test), one.when), one.value});
    }
    return cases.size() <= kMaxValues;
  }

  bool ComputedValues(const ConditionTree& tree, ValueCases& cases) {
    ValueCases lefts;
    ValueCases rights{{kAlwaysFunction, nullptr}};
    if (!Values(tree->operands[0], lefts)) return false;
    if (tree->kind == NodeKind::kBinary && !Values(tree->operands[1], rights)) return false;
    if (lefts.size() * rights.size() > kMaxValues) return false;
    for (const ValueCase& a : lefts) {
      for (const ValueCase& b : rights) {
        const ConditionFunction when = diagram_.And(a.when, b.when);
        if (when == kNeverFunction) continue;
        Add(when, b.value ? Binary(tree->op, a.value, b.value) : Unary(tree->op, a.value), cases);
      }
    }
    return true;
  }

  // Merges cases of equal integers.
  void Add(ConditionFunction when, const ConditionTree& value, ValueCases& cases) {
    const auto same = std::find_if(cases.begin(), cases.end(), [&](const ValueCase& known) {
      return value->kind == NodeKind::kInteger && known.value->kind == NodeKind::kInteger &&
             value->value == known.value->value;
    });
    if (same == cases.end()) {
      cases.push_back({when, value});
    } else {
      same->when = diagram_.Or(same->when, when);
    }
  }

  ConditionDiagram& diagram_ = ConditionDiagram::Shared();
};

}  // namespace

ConditionFunction FunctionOf(const ConditionTree& tree) { return FunctionBuilder().Of(tree); }

ConditionFunction AtomOf(const ConditionTree& tree) { return FunctionBuilder().Truth(tree); }

ConditionTree TreeOfTest(const ConditionTest& test) {
  const ConditionTree& term = ConditionDiagram::Shared().TermOf(test.variable);
  if (test.defined) return DefinedMacro(term->name);
  const auto bits = static_cast<std::uint64_t>(test.at_most);
  return Binary(Op::kLessEqual, term, Integer({bits, false}));
}

ConditionFunction Replaced(ConditionFunction f, const TestReplacement& replace) {
  ConditionDiagram& diagram = ConditionDiagram::Shared();
  std::unordered_map<ConditionFunction, ConditionFunction> done;
  const std::function<ConditionFunction(ConditionFunction)> run = [&](ConditionFunction node) {
    if (diagram.IsConstant(node)) return node;
    if (const auto known = done.find(node); known != done.end()) return known->second;
    const ConditionTest test = diagram.TestOf(node);
    const ConditionFunction asked = replace(test).value_or(diagram.OfTest(test));
    ConditionFunction result;
    if (diagram.IsConstant(asked)) {
      result = run(asked == kAlwaysFunction ? diagram.High(node) : diagram.Low(node));
    } else {
      const ConditionFunction high = run(diagram.High(node));
      result = diagram.Choose(asked, high, run(diagram.Low(node)));
    }
    done.emplace(node, result);
    return result;
  };
  return run(f);
}

}  // namespace opledger

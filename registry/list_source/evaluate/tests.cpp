// Evaluates the tests of `if` and of conditional expressions: constants, features, or undecided.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

Condition PythonEvaluator::Test(PythonId id, std::string_view statement, int& problem) {
  problem = -1;
  if (hooks_ != nullptr) return TextTest(id);
  if (const std::optional<Condition> feature = FeatureTest(id)) return *feature;
  const PythonId name = tree_.Child(id, 0);
  const bool run = tree_.Kind(id) == PythonKind::kComparison &&
                   tree_.DottedName(name) == "__name__" && tree_[tree_.Child(id, 1)].text == "==" &&
                   FindBinding("__name__") == nullptr;
  if (run && tree_.Spelling(tree_.Child(id, 1)).ends_with("\"__main__\""))
    return Condition::Never();
  if (run && tree_.Spelling(tree_.Child(id, 1)).ends_with("'__main__'")) return Condition::Never();
  const Truth truth = TruthOf(Evaluate(id));
  if (truth == Truth::kTrue) return {};
  if (truth == Truth::kFalse) return Condition::Never();
  problem = AddProblem(id,
                       "the test of this '" + std::string(statement) +
                           "' cannot be evaluated: only is_enabled('FEATURE') is supported",
                       "its body is included in the result");
  return Condition::FromExpression("unread(" + std::to_string(tree_.At(id).line) + ")");
}

// Evaluates and, or, not, True, False and X.is_enabled('FEATURE').
std::optional<Condition> PythonEvaluator::FeatureTest(PythonId id) {
  const PythonNode& node = tree_[id];
  if (node.kind == PythonKind::kCall) return Query(id);
  if (node.kind == PythonKind::kConstant && node.text == "True") return Condition();
  if (node.kind == PythonKind::kConstant && node.text == "False") return Condition::Never();
  if (node.kind == PythonKind::kUnary && node.text == "not") {
    const std::optional<Condition> test = FeatureTest(tree_.Child(id, 0));
    return test ? std::optional(test->Not()) : std::nullopt;
  }
  if (node.kind != PythonKind::kBoolean) return std::nullopt;
  const bool all = node.text == "and";
  Condition result = all ? Condition() : Condition::Never();
  for (const PythonId operand : tree_.Children(id)) {
    const std::optional<Condition> test = FeatureTest(operand);
    if (!test) return std::nullopt;
    result = all ? result.And(*test) : result.Or(*test);
  }
  return result;
}

// Evaluates a call that consists of names, dots and empty calls, ends with is_enabled, and has one
// argument.
std::optional<Condition> PythonEvaluator::Query(PythonId id) {
  const PythonId function = tree_.Child(id, 0);
  const PythonId argument = tree_.Child(id, 1);
  const PythonNode& callee = tree_[function];
  const bool named = callee.kind == PythonKind::kAttribute || callee.kind == PythonKind::kName;
  if (!named || callee.text != "is_enabled" || tree_.Children(id).size() != 2) return std::nullopt;
  if (tree_.Kind(argument) != PythonKind::kString || tree_[argument].unknown) return std::nullopt;
  PythonId base = function;
  while (tree_.Kind(base) == PythonKind::kAttribute || tree_.Kind(base) == PythonKind::kCall) {
    if (tree_.Kind(base) == PythonKind::kCall && tree_.Children(base).size() != 1) {
      return std::nullopt;
    }
    base = tree_.Child(base, 0);
  }
  if (tree_.Kind(base) != PythonKind::kName) return std::nullopt;
  return Condition::FromExpression(tree_[argument].text);
}

PythonEvaluator::Truth PythonEvaluator::Equal(const PythonValue& left,
                                              const PythonValue& right) const {
  const auto scalar = [](const PythonValue& value) {
    return value.IsString() || value.kind == Kind::kNumber || value.kind == Kind::kConstant;
  };
  if (!scalar(left) || !scalar(right)) return Truth::kUnknown;
  if (left.kind != right.kind) {
    const bool number = left.kind == Kind::kNumber || right.kind == Kind::kNumber;
    const bool text = left.IsString() || right.IsString();
    return number && !text ? Truth::kUnknown : Truth::kFalse;  // 1 == True
  }
  return PythonHash(left) == PythonHash(right) ? Truth::kTrue
         : left.kind == Kind::kNumber && (left.text.find_first_of(".eExXjobOB") != left.text.npos ||
                                          right.text.find_first_of(".eExXjobOB") != left.text.npos)
             ? Truth::kUnknown
             : Truth::kFalse;
}

PythonEvaluator::Truth PythonEvaluator::Contains(const PythonValue& container,
                                                 const PythonValue& value) const {
  if (container.IsString() && value.IsString()) {
    const bool found = container.text.find(value.text) != std::string::npos;
    return found ? Truth::kTrue : Truth::kFalse;
  }
  const std::string hash = PythonHash(value);
  if (!container.IsContainer() || hash.empty()) return Truth::kUnknown;
  Truth truth = container.container->problems.empty() ? Truth::kFalse : Truth::kUnknown;
  for (const PythonElement& element : container.container->elements) {
    const bool dict = container.container->kind == ContainerKind::kDict;
    const PythonValue& each = dict ? element.key : element.value;
    const std::string other = element.hash.empty() ? PythonHash(each) : element.hash;
    if (other.empty() && truth == Truth::kFalse && value.IsContainer()) truth = Truth::kUnknown;
    if (other != hash) continue;
    const bool sure = element.feature.IsAlways() && !container.container->outside;
    if (sure) return Truth::kTrue;
    truth = Truth::kUnknown;
  }
  return truth;
}

PythonEvaluator::Truth PythonEvaluator::Compared(const PythonValue& left, std::string_view op,
                                                 const PythonValue& right) const {
  const auto negated = [](Truth truth) {
    return truth == Truth::kUnknown ? truth : truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
  };
  // An object created by a call is not None.
  const bool made = left.IsUnknown() && left.text.ends_with(')');
  const bool is_none = right.kind == Kind::kConstant && right.text == "None";
  if (made && is_none && (op == "is" || op == "==")) return Truth::kFalse;
  if (made && is_none && (op == "is not" || op == "!=")) return Truth::kTrue;
  if (left.IsUnknown() || right.IsUnknown()) return Truth::kUnknown;
  if (op == "in") return Contains(right, left);
  if (op == "not in") return negated(Contains(right, left));
  const bool none = right.kind == Kind::kConstant;
  if ((op == "is" || op == "is not") && none) {
    const bool same = left.kind == Kind::kConstant && left.text == right.text;
    return same == (op == "is") ? Truth::kTrue : Truth::kFalse;
  }
  if (op == "==") return Equal(left, right);
  if (op == "!=") return negated(Equal(left, right));
  if (op == "is" || op == "is not") return Truth::kUnknown;
  int order = 0;
  long long one = 0;
  long long other = 0;
  if (left.IsString() && right.IsString()) {
    order = left.text.compare(right.text);
  } else if (PythonInteger(left, one) && PythonInteger(right, other)) {
    order = one < other ? -1 : one > other ? 1 : 0;
  } else {
    return Truth::kUnknown;
  }
  const bool holds = op == "<"    ? order < 0
                     : op == "<=" ? order <= 0
                     : op == ">"  ? order > 0
                                  : order >= 0;
  return holds ? Truth::kTrue : Truth::kFalse;
}

PythonValue PythonEvaluator::Comparison(PythonId id) {
  const Ids parts = tree_.Children(id);
  PythonValue left = Evaluate(parts[0]);
  for (const PythonId compared : parts.subspan(1)) {
    const PythonValue right = Evaluate(tree_.Child(compared, 0));
    const Truth truth = Compared(left, tree_[compared].text, right);
    if (truth == Truth::kUnknown) {
      return left.IsUnknown() ? left : right.IsUnknown() ? right : Unknown(id, "an expression");
    }
    if (truth == Truth::kFalse) return Bool(false, id);
    left = right;
  }
  return Bool(true, id);
}

PythonValue PythonEvaluator::Boolean(PythonId id) {
  const bool all = tree_[id].text == "and";
  PythonValue value;
  for (const PythonId operand : tree_.Children(id)) {
    value = Evaluate(operand);
    const Truth truth = TruthOf(value);
    if (truth == Truth::kUnknown) {
      PythonValue unknown = value.IsUnknown() ? value : Unknown(id, "an expression");
      Disturb(id, unknown.problem);  // it is unknown whether the others are evaluated
      return unknown;
    }
    if ((truth == Truth::kTrue) != all) return value;
  }
  return value;
}

}  // namespace opledger

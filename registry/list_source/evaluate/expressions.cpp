// Evaluates expressions: displays, operators, subscripts and comprehensions; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

PythonValue PythonEvaluator::Evaluate(PythonId id) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return Unknown(id, "an expression nested this deeply");
  if (!Spend(1)) return UnknownOf(AddProblem(id, "this exceeds the limit on evaluation"));
  PythonValue value = hooks_ == nullptr ? EvaluateKind(id) : EvaluateGiven(id);
  const PythonKind kind = tree_.Kind(id);
  // A result computed from a named value does not have its name.
  if (kind == PythonKind::kBinary || kind == PythonKind::kUnary ||
      kind == PythonKind::kComparison || kind == PythonKind::kFormat) {
    if (value.IsUnknown()) value.text.clear();
  }
  return value;
}

// Marks values that are unknown because they depend on a parameter.
PythonValue PythonEvaluator::EvaluateGiven(PythonId id) {
  const bool outer = std::exchange(given_, false);
  PythonValue value = EvaluateKind(id);
  if (value.IsUnknown()) value.given = value.given || given_;
  given_ = outer || given_ || value.given;
  return value;
}

PythonValue PythonEvaluator::Literal(PythonId id) {
  const PythonNode& node = tree_[id];
  PythonValue value;
  value.place = id;
  value.text = node.text;
  switch (node.kind) {
    case PythonKind::kString:
      if (node.unknown) return Unknown(id, "a string with an unknown escape");
      value.kind = Kind::kString;
      value.joined = node.joined;
      return value;
    case PythonKind::kNumber:
      value.kind = Kind::kNumber;
      return value;
    case PythonKind::kConstant:
      value.kind = Kind::kConstant;
      return value;
    default:
      return Unknown(id, "a bytes literal");
  }
}

PythonValue PythonEvaluator::EvaluateKind(PythonId id) {
  switch (tree_.Kind(id)) {
    case PythonKind::kString:
    case PythonKind::kNumber:
    case PythonKind::kConstant:
    case PythonKind::kBytes:
      return Literal(id);
    case PythonKind::kFormat:
      return Format(id);
    case PythonKind::kName:
      return Lookup(id);
    case PythonKind::kList:
      return Display(id, ContainerKind::kList);
    case PythonKind::kTuple:
      return Display(id, ContainerKind::kTuple);
    case PythonKind::kSet:
      return Display(id, ContainerKind::kSet);
    case PythonKind::kDict:
      return DictDisplay(id);
    case PythonKind::kListComprehension:
    case PythonKind::kGenerator:
      return Comprehension(id, ContainerKind::kList);
    case PythonKind::kSetComprehension:
      return Comprehension(id, ContainerKind::kSet);
    case PythonKind::kDictComprehension:
      return Comprehension(id, ContainerKind::kDict);
    case PythonKind::kUnary:
      return Unary(id);
    case PythonKind::kBinary:
      return Binary(id);
    case PythonKind::kBoolean:
      return Boolean(id);
    case PythonKind::kComparison:
      return Comparison(id);
    case PythonKind::kConditional:
      return Conditional(id);
    case PythonKind::kSubscript:
      return Subscript(id);
    case PythonKind::kAttribute:
      return Attribute(id);
    case PythonKind::kCall:
      return Call(id);
    case PythonKind::kNamed:
      return Named(id);
    case PythonKind::kLambda:
      return Lambda(id);
    case PythonKind::kAwait:
      Evaluate(tree_.Child(id, 0));
      return Unknown(id, "an expression");
    case PythonKind::kYield:
    case PythonKind::kYieldFrom:
      yielded_ = true;
      if (tree_.Child(id, 0) != 0) Evaluate(tree_.Child(id, 0));
      return Unknown(id, "an expression");
    default:
      return Unknown(id, "an expression");
  }
}

// Binds the name in the function or module, even inside a comprehension.
PythonValue PythonEvaluator::Named(PythonId id) {
  PythonValue value = Evaluate(tree_.Child(id, 1));
  PythonScope* const inner = scope_;
  while (scope_->is_comprehension && scope_->parent != nullptr) scope_ = scope_->parent;
  Bind(tree_.Child(id, 0), value);
  scope_ = inner;
  return value;
}

PythonValue PythonEvaluator::Display(PythonId id, ContainerKind kind) {
  PythonContainer& container = NewContainer(kind, id);
  for (const PythonId element : tree_.Children(id)) EvaluateInto(element, container, {});
  return Of(container);
}

// Evaluates an element of a display: *other, a value, or a conditional expression.
void PythonEvaluator::EvaluateInto(PythonId id, PythonContainer& into, const Condition& feature) {
  if (tree_.Kind(id) == PythonKind::kStarred) {
    PythonContainer items;
    items.place = into.place;
    Iterate(Evaluate(tree_.Child(id, 0)), id, items);
    into.problems.insert(items.problems.begin(), items.problems.end());
    into.ordered = into.ordered && items.ordered;
    for (const PythonElement& item : items.elements) {
      Insert(into, item.value, Both(item.feature, feature));
    }
    return;
  }
  if (tree_.Kind(id) != PythonKind::kConditional) {
    Append(into, Evaluate(id), feature);
    return;
  }
  const Nesting nesting(*this);
  if (nesting.too_deep()) {
    Append(into, Unknown(id, "an expression"), feature);
    return;
  }
  int problem = -1;
  const Condition test = Test(tree_.Child(id, 0), "if", problem);
  if (problem >= 0 && epoch_ == 0) module_problems_.insert(problem);
  if (!test.IsNever()) EvaluateInto(tree_.Child(id, 1), into, Both(feature, test));
  if (!test.IsAlways()) EvaluateInto(tree_.Child(id, 2), into, Both(feature, test.Not()));
}

PythonValue PythonEvaluator::DictDisplay(PythonId id) {
  PythonContainer& dict = NewContainer(ContainerKind::kDict, id);
  for (const PythonId item : tree_.Children(id)) {
    const PythonValue first = Evaluate(tree_.Child(item, 0));
    if (tree_.Kind(item) == PythonKind::kStarred) {
      UpdateDict(dict, first, item, {});
      continue;
    }
    const PythonValue value = Evaluate(tree_.Child(item, 1));
    const std::string hash = PythonHash(first);
    if (hash.empty() || value.IsUnknown()) {
      SetItem(dict, first, value, {});
      continue;
    }
    // Repeated keys are kept, so that callers can see them.
    if (!Append(dict, value, {})) continue;
    dict.elements.back().key = first;
    dict.elements.back().hash = hash;
  }
  return Of(dict);
}

PythonValue PythonEvaluator::Unary(PythonId id) {
  const std::string_view op = tree_[id].text;
  const PythonId operand = tree_.Child(id, 0);
  PythonValue value = Evaluate(operand);
  if (op == "not") {
    const Truth truth = TruthOf(value);
    if (truth != Truth::kUnknown) return Bool(truth == Truth::kFalse, id);
  } else if (value.kind == Kind::kNumber && op != "~") {
    if (op == "-")
      value.text = value.text.starts_with('-') ? value.text.substr(1) : "-" + value.text;
    value.place = id;
    return value;
  }
  return value.IsUnknown() ? value : Unknown(id, "an expression");
}

PythonValue PythonEvaluator::Binary(PythonId id) {
  const PythonValue left = Evaluate(tree_.Child(id, 0));
  const PythonValue right = Evaluate(tree_.Child(id, 1));
  return Operate(tree_[id].text, left, right, id);
}

PythonValue PythonEvaluator::Operate(std::string_view op, const PythonValue& left,
                                     const PythonValue& right, PythonId place) {
  if (left.IsUnknown()) {
    // Keeps the known part of a list.
    const bool keeps = right.IsContainer() && (op == "+" || op == "|");
    if (!keeps) return left;
    PythonContainer& result = NewContainer(right.container->kind, place);
    result.problems.insert(left.problem);
    Extend(result, right, place, {});
    return Of(result);
  }
  if (op == "%" && left.IsString()) return Percent(left, right, place);
  if (op == "+" && left.IsString() && right.IsString()) return Text(left.text + right.text, place);
  long long one = 0;
  long long other = 0;
  if (PythonInteger(left, one) && PythonInteger(right, other)) {
    return Arithmetic(op, one, other, place);
  }
  if (op == "*" && PythonInteger(right, other)) return Repeat(left, other, place);
  if (op == "*" && PythonInteger(left, one)) return Repeat(right, one, place);
  if (!left.IsContainer()) return right.IsUnknown() ? right : Unknown(place, "an expression");
  const bool joins = op == "+" && left.container->kind != ContainerKind::kSet &&
                     left.container->kind != ContainerKind::kDict;
  if (!joins) return SetOperation(op, left, right, place);
  if (right.IsContainer() && right.container->kind != left.container->kind) {
    return Unknown(place, "an expression");
  }
  PythonContainer& result = NewContainer(left.container->kind, place);
  Iterate(left, place, result);
  Iterate(right, place, result);
  return Of(result);
}

PythonValue PythonEvaluator::Arithmetic(std::string_view op, long long left, long long right,
                                        PythonId place) {
  long long result = 0;
  bool overflow = true;
  if (op == "+") overflow = __builtin_add_overflow(left, right, &result);
  if (op == "-") overflow = __builtin_sub_overflow(left, right, &result);
  if (op == "*") overflow = __builtin_mul_overflow(left, right, &result);
  const bool divides = right > 0;
  if (op == "%" && divides) {
    result = ((left % right) + right) % right;
    overflow = right > (1LL << 60);
  }
  if (op == "//" && divides) {
    result = left / right - (left % right < 0 ? 1 : 0);
    overflow = false;
  }
  return overflow ? Unknown(place, "an expression") : Number(result, place);
}

PythonValue PythonEvaluator::Repeat(const PythonValue& value, long long times, PythonId place) {
  times = std::max(times, 0LL);
  if (value.IsString() && times <= 65536) {
    std::string text;
    for (long long i = 0; i < times && text.size() <= 65536; ++i) text += value.text;
    return Text(std::move(text), place);
  }
  if (!value.IsContainer()) return value.IsUnknown() ? value : Unknown(place, "an expression");
  PythonContainer& result = NewContainer(value.container->kind, place);
  for (long long i = 0; i < times && times < 100000 && Spend(1); ++i) Iterate(value, place, result);
  return times < 100000 ? Of(result) : Unknown(place, "an expression");
}

PythonValue PythonEvaluator::SetOperation(std::string_view op, const PythonValue& left,
                                          const PythonValue& right, PythonId place) {
  const PythonContainer& from = *left.container;
  const bool dict = from.kind == ContainerKind::kDict;
  const bool set = from.kind == ContainerKind::kSet;
  if ((!set && !dict) || (dict && op != "|")) return Unknown(place, "an expression");
  PythonContainer& result = NewContainer(from.kind, place);
  result.elements = from.elements;
  result.problems = from.problems;
  Spend(from.elements.size());
  if (op == "|") {
    Extend(result, right, place, {});
  } else if (op == "-") {
    RemoveAll(result, right, place, {});
  } else if (op == "&") {
    KeepOnly(result, right, place, {});
  } else if (op == "^") {
    Toggle(result, right, place, {});
  } else {
    return Unknown(place, "an expression");
  }
  return Of(result);
}

PythonValue PythonEvaluator::Conditional(PythonId id) {
  int problem = -1;
  const Condition test = Test(tree_.Child(id, 0), "if", problem);
  if (test.IsAlways()) return Evaluate(tree_.Child(id, 1));
  if (test.IsNever()) return Evaluate(tree_.Child(id, 2));
  const Condition when = std::exchange(when_, Both(when_, test));
  const PythonValue one = Evaluate(tree_.Child(id, 1));
  when_ = Both(when, test.Not());
  const PythonValue other = Evaluate(tree_.Child(id, 2));
  when_ = when;
  PythonValue merged = Merge(one, test, other, id);
  if (problem >= 0 && merged.IsContainer() && epoch_ == 0) module_problems_.insert(problem);
  return merged;
}

PythonValue PythonEvaluator::Subscript(PythonId id) {
  PythonValue value = Evaluate(tree_.Child(id, 0));
  const PythonId index = tree_.Child(id, 1);
  if (value.IsUnknown()) value.text.clear();
  if (value.IsUnknown()) return value;
  if (tree_.Kind(index) == PythonKind::kSlice) return Slice(value, index, id);
  PythonValue item = Item(value, Evaluate(index), id);
  if (item.IsUnknown()) ExposeArgument(id, value, true);
  return item;
}

PythonValue PythonEvaluator::Item(const PythonValue& value, const PythonValue& index,
                                  PythonId place) {
  if (index.IsUnknown()) return index;
  if (value.IsContainer() && value.container->kind == ContainerKind::kDict) {
    const std::string hash = PythonHash(index);
    const std::vector<PythonElement>& elements = value.container->elements;
    const auto found = std::find_if(elements.rbegin(), elements.rend(), [&](const auto& element) {
      return !hash.empty() && element.hash == hash;
    });
    Spend(elements.size() / 8);
    if (found == elements.rend()) return Unknown(place, "a key that is not known");
    const bool sure = found->feature.IsAlways() || found->value.IsContainer();
    return sure ? found->value : Unknown(place, "a value that depends on a condition");
  }
  PythonContainer items;
  long long position = 0;
  const bool readable = PythonInteger(index, position) && Iterate(value, place, items) &&
                        items.problems.empty() && items.ordered;
  const auto count = static_cast<long long>(items.elements.size());
  if (position < 0) position += count;
  if (!readable || position < 0 || position >= count) return Unknown(place, "an expression");
  for (const PythonElement& element : items.elements) {
    if (!element.feature.IsAlways()) return Unknown(place, "a value that depends on a condition");
  }
  return items.elements[static_cast<std::size_t>(position)].value;
}

PythonValue PythonEvaluator::Slice(const PythonValue& value, PythonId slice, PythonId place) {
  PythonContainer& items =
      NewContainer(value.IsContainer() ? value.container->kind : ContainerKind::kList, place);
  long long step = 1;
  const PythonId step_id = tree_.Child(slice, 2);
  if (step_id != 0 && !PythonInteger(Evaluate(step_id), step)) step = 0;
  const bool whole = tree_.Child(slice, 0) == 0 && tree_.Child(slice, 1) == 0;
  if (!Iterate(value, place, items) || step == 0) return Unknown(place, "an expression");
  if (whole && step == 1 && value.IsContainer()) return Of(items);
  const auto count = static_cast<long long>(items.elements.size());
  long long bounds[2] = {step > 0 ? 0 : count - 1, step > 0 ? count : -1};
  for (std::size_t i = 0; i < 2; ++i) {
    const PythonId bound = tree_.Child(slice, i);
    if (bound == 0) continue;
    if (!PythonInteger(Evaluate(bound), bounds[i])) return Unknown(place, "an expression");
    if (bounds[i] < 0) bounds[i] += count;
    bounds[i] = std::clamp(bounds[i], step > 0 ? 0LL : -1LL, step > 0 ? count : count - 1);
  }
  for (const PythonElement& element : items.elements) {
    if (!element.feature.IsAlways()) items.ordered = false;
  }
  if (!items.ordered || !items.problems.empty()) return Unknown(place, "a slice of this");
  std::vector<PythonElement> chosen;
  step = std::clamp(step, -count - 1, count + 1);
  for (long long i = bounds[0]; step > 0 ? i < bounds[1] : i > bounds[1]; i += step) {
    chosen.push_back(items.elements[static_cast<std::size_t>(i)]);
  }
  items.elements = std::move(chosen);
  if (!value.IsString()) return Of(items);
  std::string text;
  for (const PythonElement& element : items.elements) text += element.value.text;
  return Text(std::move(text), place);
}

PythonValue PythonEvaluator::Attribute(PythonId id) {
  const PythonId base = tree_.Child(id, 0);
  if (hooks_ != nullptr) {
    if (std::optional<PythonValue> value = ImportedValue(id)) return *value;
  }
  const PythonKind kind = tree_.Kind(base);
  const bool made = hooks_ != nullptr && kind == PythonKind::kCall;
  if (kind == PythonKind::kName || kind == PythonKind::kAttribute || made) {
    const PythonValue value = Evaluate(base);
    const bool named = value.kind == Kind::kFunction || value.kind == Kind::kClass;
    if (hooks_ != nullptr && named && tree_[id].text == "__name__") {
      return Text(value.text, id);
    }
    if (value.kind == Kind::kClass) {
      const PythonBinding* binding = FindMember(value, tree_[id].text);
      if (binding != nullptr && binding->bound && !binding->value.IsUnknown()) {
        return Bound(value, binding->value);
      }
      given_ = given_ || (binding != nullptr && binding->value.given);
    }
  }
  const std::string name = tree_.DottedName(id);
  if (const PythonValue value = Evaluate(base); value.IsContainer()) {
    Expose(value, Unknown(id, "the use of this attribute").problem, 0);
  }
  if (name == "TYPE_CHECKING" || name.ends_with(".TYPE_CHECKING")) return Bool(false, id);
  return Unknown(id, "a call or attribute");
}

PythonValue PythonEvaluator::Comprehension(PythonId id, ContainerKind kind) {
  const Ids parts = tree_.Children(id);
  PythonContainer& result = NewContainer(kind, id);
  PythonScope* const outer = scope_;
  scope_ = &NewScope(outer);
  scope_->is_comprehension = true;
  Clauses(parts.subspan(1), parts[0], {}, result);
  scope_ = outer;
  return Of(result);
}

void PythonEvaluator::Clauses(Ids clauses, PythonId element, const Condition& feature,
                              PythonContainer& into) {
  if (clauses.empty()) {
    if (tree_.Kind(element) == PythonKind::kPair) {
      const PythonValue key = Evaluate(tree_.Child(element, 0));
      SetItem(into, key, Evaluate(tree_.Child(element, 1)), feature);
    } else {
      const PythonValue value = Evaluate(element);
      Insert(into, value, feature);
    }
    return;
  }
  const Ids parts = tree_.Children(clauses[0]);
  PythonContainer items;
  items.place = parts[1];
  PythonScope* const inner = scope_;
  if (inner->bindings.empty()) scope_ = inner->parent;  // as in Python for the first clause
  const PythonValue iterable = Evaluate(parts[1]);
  scope_ = inner;
  Iterate(iterable, parts[1], items);
  into.problems.insert(items.problems.begin(), items.problems.end());
  if (hooks_ != nullptr && !items.problems.empty() && items.elements.empty()) {
    items.elements.push_back(UnknownItem(clauses[0], parts[1]));
  }
  if (!items.problems.empty()) Disturb(element, *items.problems.begin());
  if (into.kind == ContainerKind::kList) into.ordered = into.ordered && items.ordered;
  const Condition when = when_;
  for (const PythonElement& item : items.elements) {
    if (++iterations_ > kMaxPythonIterations) {
      into.problems.insert(AddProblem(clauses[0], "this loop has too many iterations to evaluate"));
      break;
    }
    when_ = Both(when, item.feature);
    Forget(parts[0]);
    Assign(parts[0], item.value);
    Filter(clauses, parts.subspan(2), element, Both(feature, item.feature), into);
  }
  when_ = when;
}

// Applies the conditions of the first clause, then evaluates the remaining clauses.
void PythonEvaluator::Filter(Ids clauses, Ids tests, PythonId element, Condition feature,
                             PythonContainer& into) {
  for (const PythonId test : tests) {
    int problem = -1;
    const Condition condition = Test(test, "if", problem);
    if (problem >= 0 && epoch_ == 0) module_problems_.insert(problem);
    feature = Both(feature, condition);
    if (feature.IsNever()) return;
    when_ = Both(when_, condition);
  }
  const Nesting nesting(*this);
  Clauses(clauses.subspan(1), element, feature, into);
}

}  // namespace opledger

// Evaluates loops; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

PythonEvaluator::Jump PythonEvaluator::For(PythonId id) {
  const PythonValue iterable = Evaluate(tree_.Child(id, 1));
  PythonContainer items;
  items.place = tree_.Child(id, 1);
  Iterate(iterable, items.place, items);
  const std::string message = "the block of this 'for' cannot be evaluated";
  const std::string hint = "elements that it adds to a list are missing from the result";
  const bool leaves = HasBreak(tree_.Child(id, 2));
  const bool loose = !items.ordered && items.elements.size() > 1;
  if (hooks_ != nullptr && !items.problems.empty() && items.elements.empty()) {
    items.elements.push_back(UnknownItem(id, items.place));
  }
  if (!items.problems.empty() || tree_[id].async || (loose && leaves)) {
    Disturb(id, AddProblem(id, message, hint));
    if (tree_[id].async || leaves || items.elements.empty()) return Jump::kNone;
  }
  const Condition broken = std::exchange(broken_, Condition::Never());
  const Condition when = when_;
  loose_ += loose ? 1 : 0;
  Jump jump = Jump::kNone;
  const PythonContainer* const live = iterable.container;
  const std::size_t size = live != nullptr ? live->elements.size() : 0;
  for (const PythonElement& element : items.elements) {
    if (++iterations_ > kMaxPythonIterations || !Spend(1)) {
      Disturb(id, AddProblem(id, "this loop has too many iterations to evaluate"));
      break;
    }
    jump = Iteration(id, element);
    if (live != nullptr && live->elements.size() != size) {
      Disturb(id,
              AddProblem(id, "a loop that changes the list it iterates over cannot be evaluated"));
      break;
    }
    if (jump == Jump::kBreak || jump == Jump::kReturn) break;
  }
  loose_ -= loose ? 1 : 0;
  if (loose) DisturbRebound(id, AddProblem(id, "the last value of a loop over a set is unknown"));
  when_ = Rest(when);
  if (jump != Jump::kReturn && jump != Jump::kBreak && when_.CanBeTrue()) {
    jump = ExecuteBlock(tree_.Child(id, 3));
  } else if (jump == Jump::kBreak) {
    jump = Jump::kNone;
  }
  when_ = when;
  broken_ = broken;
  return jump;
}

// Returns an element for iterating over an unknown value, which may be empty.
PythonElement PythonEvaluator::UnknownItem(PythonId place, PythonId iterable) {
  const std::string text = "for ... in " + std::string(tree_.Spelling(iterable));
  return {UnknownAt(place, kItem), {}, TextCondition(text), {}};
}

PythonEvaluator::Jump PythonEvaluator::Iteration(PythonId id, const PythonElement& element) {
  const Condition when = when_;
  const Condition continued = std::exchange(continued_, Condition::Never());
  when_ = Rest(Both(when, element.feature));
  Jump jump = Jump::kNone;
  if (when_.CanBeTrue()) {
    Forget(tree_.Child(id, 0));
    Assign(tree_.Child(id, 0), element.value);
    jump = ExecuteBlock(tree_.Child(id, 2));
  }
  continued_ = continued;
  when_ = when;
  if (jump == Jump::kContinue || !element.feature.IsAlways()) return Jump::kNone;
  return jump;
}

PythonEvaluator::Jump PythonEvaluator::While(PythonId id) {
  const Condition broken = std::exchange(broken_, Condition::Never());
  const Condition when = when_;
  Jump jump = Jump::kNone;
  while (jump != Jump::kBreak && jump != Jump::kReturn) {
    when_ = Rest(when);
    if (!when_.CanBeTrue()) break;
    const Truth truth = TruthOf(Evaluate(tree_.Child(id, 0)));
    const bool more = ++iterations_ <= kMaxPythonIterations && Spend(1);
    if (hooks_ != nullptr && truth == Truth::kUnknown && more) {
      when_ = Both(when_, TextCondition(tree_.Spelling(tree_.Child(id, 0))));
      ExecuteBlock(tree_.Child(id, 1));
    }
    if (truth == Truth::kUnknown || !more) {
      Disturb(id, AddProblem(id, "the block of this 'while' cannot be evaluated",
                             "elements that it adds to a list are missing from the result"));
      break;
    }
    if (truth == Truth::kFalse) {
      jump = ExecuteBlock(tree_.Child(id, 2));
      break;
    }
    const Condition continued = std::exchange(continued_, Condition::Never());
    jump = ExecuteBlock(tree_.Child(id, 1));
    continued_ = continued;
  }
  when_ = when;
  broken_ = broken;
  return jump == Jump::kReturn ? jump : Jump::kNone;
}

// In the next iteration, the names that the loop assigns have no value yet.
void PythonEvaluator::Forget(PythonId target) {
  if (tree_.Kind(target) == PythonKind::kName) {
    PythonBinding* const binding = scope_->Find(tree_[target].text);
    if (binding != nullptr) binding->bound = false;
    return;
  }
  if (tree_.Kind(target) != PythonKind::kTuple && tree_.Kind(target) != PythonKind::kList) return;
  for (const PythonId each : tree_.Children(target)) Forget(each);
}

bool PythonEvaluator::HasBreak(PythonId id) const {
  const PythonKind kind = tree_.Kind(id);
  if (kind == PythonKind::kBreak || kind == PythonKind::kReturn) return true;
  if (kind == PythonKind::kFunction || kind == PythonKind::kClass) return false;
  const Ids parts = tree_.Children(id);
  return std::any_of(parts.begin(), parts.end(), [&](PythonId part) { return HasBreak(part); });
}

// Marks names that are rebound in a loop with an unknown order.
void PythonEvaluator::DisturbRebound(PythonId id, int problem) {
  const PythonKind kind = tree_.Kind(id);
  const Ids parts = tree_.Children(id);
  if (kind == PythonKind::kAssign) {
    for (const PythonId target : parts.subspan(1)) DisturbTarget(target, problem);
  } else if (kind == PythonKind::kFor || kind == PythonKind::kNamed ||
             kind == PythonKind::kAnnotatedAssign) {
    DisturbTarget(parts[0], problem);
  } else if (kind == PythonKind::kAugmentedAssign) {
    const PythonBinding* const binding = FindBinding(tree_[parts[0]].text);
    const bool in_place = tree_.Kind(parts[0]) == PythonKind::kName && binding != nullptr &&
                          binding->value.IsContainer();
    if (!in_place) DisturbTarget(parts[0], problem);
  }
  for (const PythonId part : parts) DisturbRebound(part, problem);
}

}  // namespace opledger

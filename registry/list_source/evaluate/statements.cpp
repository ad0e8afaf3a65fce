// Evaluates statements and branches; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

// Returns `when` without the conditions under which the block was left.
Condition PythonEvaluator::Rest(const Condition& when) const {
  Condition rest = when;
  for (const Condition* gone : {&continued_, &broken_, &left_}) {
    if (!gone->IsNever()) rest = Both(rest, gone->Not());
  }
  return rest;
}

PythonEvaluator::Jump PythonEvaluator::Execute(Ids statements) {
  const Condition when = when_;
  Jump jump = Jump::kNone;
  for (const PythonId statement : statements) {
    when_ = Rest(when);
    if (jump != Jump::kNone || !IsPossible(when_)) break;
    jump = Statement(statement);
  }
  when_ = when;
  return jump;
}

PythonEvaluator::Jump PythonEvaluator::Leaves(Jump jump) {
  Condition& gone = jump == Jump::kBreak ? broken_ : jump == Jump::kContinue ? continued_ : left_;
  if (hooks_ == nullptr || gone.TestCount(kMaxTests) < kMaxTests) gone = gone.Or(when_);
  return jump;
}

PythonEvaluator::Jump PythonEvaluator::Statement(PythonId id) {
  const Nesting nesting(*this);
  if (nesting.too_deep() || !Spend(1)) {
    Disturb(id, AddProblem(id, nesting.too_deep() ? "blocks are nested too deeply"
                                                  : "this exceeds the limit on evaluation"));
    return Jump::kNone;
  }
  statement_ = id;
  visits_.statements.insert(id);
  switch (tree_.Kind(id)) {
    case PythonKind::kIf:
      return If(id);
    case PythonKind::kFor:
      return For(id);
    case PythonKind::kWhile:
      return While(id);
    case PythonKind::kTry:
      return Try(id);
    case PythonKind::kWith:
      return With(id);
    case PythonKind::kReturn:
      return Return(id);
    case PythonKind::kRaise:
      return Leaves(Jump::kReturn);
    case PythonKind::kBreak:
      return Leaves(Jump::kBreak);
    case PythonKind::kContinue:
      return Leaves(Jump::kContinue);
    default:
      Simple(id);
      return Jump::kNone;
  }
}

void PythonEvaluator::Simple(PythonId id) {
  const Ids parts = tree_.Children(id);
  switch (tree_.Kind(id)) {
    case PythonKind::kExpressionStatement:
      Evaluate(parts[0]);
      break;
    case PythonKind::kAssign: {
      const PythonValue value = Evaluate(parts[0]);
      for (const PythonId target : parts.subspan(1)) Assign(target, value);
      break;
    }
    case PythonKind::kAnnotatedAssign:
      if (tree_.Child(id, 2) != 0) Assign(parts[0], Evaluate(parts[2]));
      break;
    case PythonKind::kAugmentedAssign:
      Augment(id);
      break;
    case PythonKind::kDelete:
      for (const PythonId target : parts) Delete(target);
      break;
    case PythonKind::kGlobal:
      for (const PythonId name : parts) scope_->globals.emplace(tree_[name].text);
      break;
    case PythonKind::kNonlocal:
      for (const PythonId name : parts) scope_->nonlocals.emplace(tree_[name].text);
      break;
    case PythonKind::kImport:
    case PythonKind::kImportFrom:
      Import(id);
      break;
    case PythonKind::kFunction:
      Define(id);
      break;
    case PythonKind::kClass:
      DefineClass(id);
      break;
    case PythonKind::kAssert:
      Evaluate(parts[0]);
      break;
    case PythonKind::kMatch:
      Disturb(id, AddProblem(id, "the block of this 'match' cannot be evaluated",
                             "elements that it adds to a list are missing from the result"));
      break;
    default:
      break;
  }
}

PythonEvaluator::Jump PythonEvaluator::Guarded(PythonId block, const Condition& condition) {
  if (condition.IsNever() && hooks_ != nullptr) absent_.insert(block);
  if (condition.IsNever() || block == 0) return Jump::kNone;
  const Condition when = std::exchange(when_, Both(when_, condition));
  const Jump jump = IsPossible(when_) ? ExecuteBlock(block) : Jump::kNone;
  when_ = when;
  return condition.IsAlways() ? jump : Jump::kNone;  // leaving is recorded
}

PythonEvaluator::Jump PythonEvaluator::If(PythonId id) {
  const std::size_t pending = pending_.size();
  Condition remaining;
  Jump jump = Jump::kNone;
  for (const PythonId branch : tree_.Children(id)) {
    if (tree_.Kind(branch) != PythonKind::kBranch) {
      jump = Guarded(branch, remaining);
      break;
    }
    int problem = -1;
    const Condition when = std::exchange(when_, Both(when_, remaining));
    const Condition test = Test(tree_.Child(branch, 0), "if", problem);
    when_ = when;
    if (problem >= 0) pending_.push_back(problem);
    const Condition here = Both(remaining, test);
    jump = Guarded(tree_.Child(branch, 1), here);
    remaining = remaining.And(test.Not());
    if (here.IsAlways() || remaining.IsNever()) break;
  }
  pending_.resize(pending);
  return jump;
}

// Treats "no exception" as an undecided test.
PythonEvaluator::Jump PythonEvaluator::Try(PythonId id) {
  const std::size_t pending = pending_.size();
  const auto unread = [&](PythonId place) {
    if (hooks_ != nullptr) return TryTest(place);
    pending_.push_back(AddProblem(place, "whether this 'try' succeeds is unknown",
                                  "both its body and its handlers are included in the result"));
    return Condition::FromExpression("unread(" + std::to_string(tree_.At(place).line) + ")");
  };
  std::vector<PythonId> handlers;
  for (const PythonId part : tree_.Children(id).subspan(3)) handlers.push_back(part);
  const Condition succeeds = handlers.empty() ? Condition() : unread(id);
  Jump jump = Guarded(tree_.Child(id, 0), succeeds);
  if (jump == Jump::kNone) jump = Guarded(tree_.Child(id, 1), succeeds);
  Condition remaining = succeeds.Not();
  for (std::size_t i = 0; i < handlers.size(); ++i) {
    const bool last = i + 1 == handlers.size();
    const Condition caught = last ? Condition() : unread(handlers[i]);
    Guarded(tree_.Child(handlers[i], 1), Both(remaining, caught));
    remaining = remaining.And(caught.Not());
  }
  pending_.resize(pending);
  const Jump last = ExecuteBlock(tree_.Child(id, 2));
  return last != Jump::kNone ? last : jump;
}

PythonEvaluator::Jump PythonEvaluator::With(PythonId id) {
  for (const PythonId item : tree_.Children(id).subspan(1)) {
    Evaluate(tree_.Child(item, 0));
    const PythonId target = tree_.Child(item, 1);
    if (target == 0) continue;
    PythonValue value = Unknown(target, "the value of a 'with'");
    value.text = "with";
    Assign(target, value);
  }
  return ExecuteBlock(tree_.Child(id, 0));
}

PythonEvaluator::Jump PythonEvaluator::Return(PythonId id) {
  const PythonId expression = tree_.Child(id, 0);
  const PythonValue value = expression == 0 ? NoneAt(id) : Evaluate(expression);
  returned_ = returned_when_.IsNever() ? value : Merge(returned_, returned_when_, value, id);
  returned_when_ = returned_when_.Or(when_);
  return Leaves(Jump::kReturn);
}

void PythonEvaluator::Import(PythonId id) {
  const PythonNode& node = tree_[id];
  const bool from = node.kind == PythonKind::kImportFrom;
  for (const PythonId alias : tree_.Children(id)) {
    const std::string name(tree_[alias].text);
    if (name == "*" && hooks_ != nullptr) {
      ImportAll(alias, std::string(node.level, '.') + std::string(node.text));
      continue;
    }
    if (name == "*") {
      ExposeScope(*scope_, AddProblem(alias, "the names that 'import *' rebinds are unknown"));
      continue;
    }
    const PythonId as = tree_.Child(alias, 0);
    const std::string first = name.substr(0, name.find('.'));
    const std::string bound = as != 0 ? std::string(tree_[as].text) : first;
    PythonValue value = Unknown(alias, "the name '" + bound + "'");
    const std::string module(node.text);
    value.text = from ? std::string(node.level, '.') + (module.empty() ? "" : module + ".") + name
                 : as != 0 ? name
                           : first;
    BindName(*scope_, bound, alias, std::move(value));
  }
}

}  // namespace opledger

// Statements. A branch that may or may not be taken is followed, but what it assigns is unknown
// afterwards; a loop that nobody knows the end of runs once, with all that it assigns unknown.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {

using ValueKind = Value::Kind;

Interpreter::Flow Interpreter::RunAll(const clang::CompoundStmt* block) {
  for (const clang::Stmt* statement : block->body()) {
    const Flow flow = Run(statement);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::Run(const clang::Stmt* statement) {
  if (statement == nullptr || !Spend()) return Flow::kNext;
  if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
    Evaluate(expression);
    return Flow::kNext;
  }
  switch (statement->getStmtClass()) {
    case clang::Stmt::CompoundStmtClass:
      return RunAll(llvm::cast<clang::CompoundStmt>(statement));
    case clang::Stmt::DeclStmtClass:
      return Declare(llvm::cast<clang::DeclStmt>(statement));
    case clang::Stmt::IfStmtClass:
      return If(llvm::cast<clang::IfStmt>(statement));
    case clang::Stmt::ReturnStmtClass: {
      const clang::Expr* value = llvm::cast<clang::ReturnStmt>(statement)->getRetValue();
      if (value != nullptr) frame_->returned = Evaluate(value);
      return Flow::kReturn;
    }
    case clang::Stmt::ForStmtClass: {
      const auto* loop = llvm::cast<clang::ForStmt>(statement);
      Run(loop->getInit());
      return Loop(loop->getCond(), loop->getInc(), loop->getBody(), true);
    }
    case clang::Stmt::WhileStmtClass: {
      const auto* loop = llvm::cast<clang::WhileStmt>(statement);
      return Loop(loop->getCond(), nullptr, loop->getBody(), true);
    }
    case clang::Stmt::DoStmtClass: {
      const auto* loop = llvm::cast<clang::DoStmt>(statement);
      return Loop(loop->getCond(), nullptr, loop->getBody(), false);
    }
    case clang::Stmt::CXXForRangeStmtClass:
      return ForEach(llvm::cast<clang::CXXForRangeStmt>(statement));
    case clang::Stmt::SwitchStmtClass:
      return Switch(llvm::cast<clang::SwitchStmt>(statement));
    case clang::Stmt::CaseStmtClass:
    case clang::Stmt::DefaultStmtClass:
      return Run(llvm::cast<clang::SwitchCase>(statement)->getSubStmt());
    case clang::Stmt::AttributedStmtClass:
      return Run(llvm::cast<clang::AttributedStmt>(statement)->getSubStmt());
    case clang::Stmt::LabelStmtClass:
      return Run(llvm::cast<clang::LabelStmt>(statement)->getSubStmt());
    case clang::Stmt::BreakStmtClass:
      return Flow::kBreak;
    case clang::Stmt::ContinueStmtClass:
      return Flow::kContinue;
    case clang::Stmt::NullStmtClass:
      return Flow::kNext;
    case clang::Stmt::CXXTryStmtClass:
      return Run(llvm::cast<clang::CXXTryStmt>(statement)->getTryBlock());
    default:
      Unknown("a statement cannot be followed");
      RunUncertain([&] {
        for (const clang::Stmt* child : statement->children()) Run(child);
      });
      return Flow::kNext;
  }
}

Interpreter::Flow Interpreter::Declare(const clang::DeclStmt* statement) {
  for (const clang::Decl* declared : statement->decls()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared)) DeclareVariable(variable);
  }
  return Flow::kNext;
}

void Interpreter::DeclareVariable(const clang::VarDecl* variable) {
  if (variable->isStaticLocal()) {
    Global(variable);
    return;
  }
  const clang::Expr* initial = variable->getInit();
  Cell cell = initial != nullptr ? Evaluate(initial) : NewCell();
  const bool shares = variable->getType()->isReferenceType();
  if (initial != nullptr && initial->isGLValue() && !shares) cell = NewCell(Copied(*cell));
  frame_->variables[variable] = cell;
  if (const auto* bound = llvm::dyn_cast<clang::DecompositionDecl>(variable)) Bind(bound);
}

// auto [name, arity] = ...: each name stands for an expression on what is bound.
void Interpreter::Bind(const clang::DecompositionDecl* bound) {
  for (const clang::BindingDecl* binding : bound->bindings()) {
    const clang::Expr* meaning = binding->getBinding();
    frame_->variables[binding] =
        meaning != nullptr ? Evaluate(meaning) : Unknown("a binding cannot be followed");
  }
}

void Interpreter::RunIn(UncertainRegion& region, const std::function<void()>& run) {
  uncertain_regions_.push_back(&region);
  run();
  uncertain_regions_.pop_back();
  for (const Cell& cell : region.stored) Store(cell, Value());
}

// Runs what may not run at all.
void Interpreter::RunUncertain(const std::function<void()>& run) {
  UncertainRegion region;
  region.active = true;
  RunIn(region, run);
}

// Nobody knows whether this was left here.
void Interpreter::MarkUncertain(Flow flow) {
  UncertainRegion* region = flow == Flow::kReturn     ? frame_->on_return
                            : flow == Flow::kBreak    ? frame_->on_break
                            : flow == Flow::kContinue ? frame_->on_continue
                                                      : nullptr;
  if (region != nullptr) region->active = true;
}

Interpreter::Flow Interpreter::If(const clang::IfStmt* statement) {
  Run(statement->getInit());
  if (const clang::VarDecl* variable = statement->getConditionVariable()) {
    DeclareVariable(variable);
  }
  const clang::Stmt* other = statement->getElse();
  const std::optional<bool> known = Truth(Evaluate(statement->getCond()));
  if (known) return *known ? Run(statement->getThen()) : Run(other);
  Flow one = Flow::kNext;
  Flow two = Flow::kNext;
  RunUncertain([&] { one = Run(statement->getThen()); });
  RunUncertain([&] { two = Run(other); });
  MarkUncertain(one);
  MarkUncertain(two);
  return one == two ? one : Flow::kNext;
}

Interpreter::Flow Interpreter::Switch(const clang::SwitchStmt* statement) {
  Run(statement->getInit());
  const Cell value = Evaluate(statement->getCond());
  const clang::SwitchCase* taken = nullptr;
  for (const clang::SwitchCase* one = statement->getSwitchCaseList(); one != nullptr;
       one = one->getNextSwitchCase()) {
    const auto* labelled = llvm::dyn_cast<clang::CaseStmt>(one);
    if (labelled == nullptr && taken == nullptr) taken = one;
    if (labelled == nullptr || !value->Is(ValueKind::kNumber)) continue;
    const Cell label = Evaluate(labelled->getLHS());
    if (label->Is(ValueKind::kNumber) && label->number == value->number) taken = one;
  }
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(statement->getBody());
  if (body == nullptr) return Flow::kNext;
  if (!value->Is(ValueKind::kNumber)) {
    RunUncertain([&] {
      for (const clang::Stmt* part : body->body()) {
        const Flow flow = Run(part);
        if (flow != Flow::kBreak) MarkUncertain(flow);
      }
    });
    return Flow::kNext;
  }
  bool running = false;
  for (const clang::Stmt* part : body->body()) {
    for (const clang::Stmt* at = part; const auto* one = llvm::dyn_cast<clang::SwitchCase>(at);
         at = one->getSubStmt()) {
      running = running || one == taken;
    }
    if (!running) continue;
    const Flow flow = Run(part);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

// First to see what it assigns, which is unknown at the beginning of any round; then with that.
void Interpreter::RunUnknownRounds(const clang::Stmt* statement) {
  ++muted_;
  RunUncertain([&] { RunRound(statement); });
  --muted_;
  RunUncertain([&] { MarkUncertain(RunRound(statement)); });
}

Interpreter::Flow Interpreter::RunRound(const clang::Stmt* body) {
  UncertainRegion region;
  UncertainRegion* const outer = std::exchange(frame_->on_continue, &region);
  Flow flow = Flow::kNext;
  RunIn(region, [&] { flow = Run(body); });
  frame_->on_continue = outer;
  return flow;
}

Interpreter::Flow Interpreter::Loop(const clang::Expr* condition, const clang::Expr* step,
                                    const clang::Stmt* body, bool condition_first) {
  UncertainRegion region;
  UncertainRegion* const outer = std::exchange(frame_->on_break, &region);
  Flow flow = Flow::kNext;
  RunIn(region, [&] { flow = LoopWithin(condition, step, body, condition_first); });
  frame_->on_break = outer;
  return flow;
}

Interpreter::Flow Interpreter::LoopWithin(const clang::Expr* condition, const clang::Expr* step,
                                          const clang::Stmt* body, bool condition_first) {
  for (bool first = true; Spend(); first = false) {
    if (condition != nullptr && (condition_first || !first)) {
      const std::optional<bool> goes_on = Truth(Evaluate(condition));
      if (!goes_on) {
        ++muted_;
        RunUncertain([&] {
          RunRound(body);
          if (step != nullptr) Evaluate(step);
        });
        --muted_;
        RunUnknownRounds(body);
        return Flow::kNext;
      }
      if (!*goes_on) return Flow::kNext;
    }
    const Flow flow = RunRound(body);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow == Flow::kReturn) return flow;
    if (step != nullptr) Evaluate(step);
  }
  return Flow::kNext;
}

// What a range-based loop goes over; none where that is unknown.
std::optional<Interpreter::Cells> Interpreter::ItemsOf(const Cell& range) {
  if (range->Is(ValueKind::kList)) return range->items;
  if (range->Is(ValueKind::kString)) {
    Cells characters;
    for (char c : range->text) characters.push_back(NewCell(Number(c)));
    return characters;
  }
  if (range->Is(ValueKind::kObject)) {  // of a class with one array, such as std::array
    for (const auto& [field, cell] : range->fields) {
      if (range->fields.size() == 1 && cell->Is(ValueKind::kList)) return cell->items;
    }
  }
  return std::nullopt;
}

Interpreter::Flow Interpreter::ForEach(const clang::CXXForRangeStmt* statement) {
  UncertainRegion region;
  UncertainRegion* const outer = std::exchange(frame_->on_break, &region);
  Flow flow = Flow::kNext;
  RunIn(region, [&] { flow = ForEachWithin(statement); });
  frame_->on_break = outer;
  return flow;
}

Interpreter::Flow Interpreter::ForEachWithin(const clang::CXXForRangeStmt* statement) {
  Run(statement->getInit());
  const Cell range = Evaluate(statement->getRangeInit());
  const clang::VarDecl* variable = statement->getLoopVariable();
  const bool shares = variable->getType()->isReferenceType();
  const bool changes = shares && !variable->getType().getNonReferenceType().isConstQualified();
  const std::optional<Cells> items = ItemsOf(range);
  auto declare = [&](const Cell& cell) {
    frame_->variables[variable] = shares ? cell : NewCell(Copied(*cell));
    if (const auto* bound = llvm::dyn_cast<clang::DecompositionDecl>(variable)) Bind(bound);
  };
  if (!items) {
    declare(Unknown("what a loop goes over is unknown"));
    RunUnknownRounds(statement->getBody());
    return Flow::kNext;
  }
  for (const Cell& item : *items) {
    declare(item);
    const Flow flow = RunRound(statement->getBody());
    if (changes && range->Is(ValueKind::kString)) Store(range, Value());
    if (flow == Flow::kBreak || !Spend()) break;
    if (flow == Flow::kReturn) return flow;
  }
  return Flow::kNext;
}

}  // namespace opledger::scan::ast

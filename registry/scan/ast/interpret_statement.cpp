// Runs statements. A branch that may or may not be taken is followed, and what it assigns is
// unknown afterwards. A loop with an unknown number of rounds is run with everything that it
// assigns unknown.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

// Returns whether the container's iteration order is unspecified.
bool InAnyOrder(clang::QualType range) {
  const clang::CXXRecordDecl* record = range.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->getDeclName().isIdentifier() &&
         record->getName().contains("unordered");
}

}  // namespace

using ValueKind = Value::Kind;

Interpreter::Flow Interpreter::RunAll(const clang::CompoundStmt* block) {
  const BrokenCode::Gaps& gaps = broken_.GapsOf(block);
  std::size_t place = 0;
  auto lose = [&] {
    auto gap = gaps.find(place++);
    if (gap != gaps.end()) LoseText(gap->second);
  };
  lose();
  for (const clang::Stmt* statement : block->body()) {
    const Flow flow = Run(statement);
    if (flow != Flow::kNext) {
      if (gaps.contains(place)) MarkUncertain(flow);
      return flow;
    }
    lose();
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::RunLoop(const clang::Stmt* statement) {
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement)) {
    Run(loop->getInit());
    return Loop(
        {loop->getConditionVariable(), loop->getCond(), loop->getInc(), loop->getBody(), true});
  }
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(statement)) {
    return Loop({loop->getConditionVariable(), loop->getCond(), nullptr, loop->getBody(), true});
  }
  const auto* loop = llvm::cast<clang::DoStmt>(statement);
  return Loop({nullptr, loop->getCond(), nullptr, loop->getBody(), false});
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
      if (value != nullptr && MayReturnElsewhere()) {
        value->isGLValue() ? Lose(frame_->returned) : LosePointees(*frame_->returned);
      }
      return Flow::kReturn;
    }
    case clang::Stmt::ForStmtClass:
    case clang::Stmt::WhileStmtClass:
    case clang::Stmt::DoStmtClass:
      return RunLoop(statement);
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
      return Try(llvm::cast<clang::CXXTryStmt>(statement));
    case clang::Stmt::GotoStmtClass:
    case clang::Stmt::IndirectGotoStmtClass:
      Fail("'goto' cannot be followed");
      return Flow::kNext;
    default:
      Fail("a statement cannot be followed");
      return Flow::kNext;
  }
}

// If the block calls unknown code, any handler may run and the rest of the block may not.
Interpreter::Flow Interpreter::Try(const clang::CXXTryStmt* statement) {
  UncertainRegion region;
  const long calls = not_followed_;
  ++tries_;
  Flow flow = Flow::kNext;
  RunIn(region, [&] {
    flow = Run(statement->getTryBlock());
    region.active = not_followed_ != calls;
  });
  --tries_;
  if (not_followed_ == calls) return flow;
  for (unsigned i = 0; i < statement->getNumHandlers(); ++i) {
    RunUncertain([&] { MarkUncertain(Run(statement->getHandler(i)->getHandlerBlock())); });
  }
  MarkUncertain(flow);
  return flow;
}

// Returns whether the call may have returned elsewhere, because something unknown decides it.
bool Interpreter::MayReturnElsewhere() const {
  for (auto at = uncertain_regions_.rbegin(); at != uncertain_regions_.rend(); ++at) {
    if ((*at)->active) return true;
    if (*at == frame_->on_return) break;
  }
  return false;
}

Interpreter::Flow Interpreter::Declare(const clang::DeclStmt* statement) {
  for (const clang::Decl* declared : statement->decls()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared)) DeclareVariable(variable);
  }
  return Flow::kNext;
}

void Interpreter::DeclareVariable(const clang::VarDecl* variable) {
  if (variable->hasGlobalStorage()) {
    if (!variable->hasExternalStorage()) Global(variable);
    return;
  }
  const clang::Expr* initial = variable->getInit();
  const Cell place = NewCell();  // its initializer may refer to it
  frame_->variables[variable] = place;
  Cell cell = initial != nullptr ? Evaluate(initial) : NewCell();
  const bool shares = variable->getType()->isReferenceType();
  if (initial != nullptr && initial->isGLValue() && !shares) cell = NewCell(Copied(*cell));
  if (variable->isInvalidDecl()) cell = Unknown("a declaration does not compile");
  constexpr int kOurs = 2;  // held by the frame and by this function
  if (!shares && place.use_count() > kOurs) {
    Store(place, Copied(*cell));
    cell = place;
  }
  frame_->variables[variable] = cell;
  if (const auto* bound = llvm::dyn_cast<clang::DecompositionDecl>(variable)) Bind(bound);
}

// auto [name, arity] = ...: binds each name to an expression on the bound object.
void Interpreter::Bind(const clang::DecompositionDecl* bound) {
  for (const clang::BindingDecl* binding : bound->bindings()) {
    if (binding->getHoldingVar() != nullptr) DeclareVariable(binding->getHoldingVar());
    const clang::Expr* meaning = binding->getBinding();
    frame_->variables[binding] =
        meaning != nullptr ? Evaluate(meaning) : Unknown("a structured binding cannot be followed");
  }
}

void Interpreter::RunIn(UncertainRegion& region, const std::function<void()>& run) {
  region.begun = NewCell()->born;
  uncertain_regions_.push_back(&region);
  run();
  uncertain_regions_.pop_back();
  if (!region.active) return;
  losing_ = region.why.empty() ? "it depends on unknown values" : region.why;
  for (const Cell& cell : region.stored) {
    forgotten_ += cell->Is(ValueKind::kUnknown) ? 0 : 1;
    Forget(cell);
  }
}

// Runs code that may not run at all.
void Interpreter::RunUncertain(const std::function<void()>& run) {
  UncertainRegion region;
  region.active = true;
  region.why = doubt_;
  RunIn(region, run);
}

// Marks the enclosing function or loop as possibly left at this point.
void Interpreter::MarkUncertain(Flow flow) {
  UncertainRegion* region = flow == Flow::kReturn     ? frame_->on_return
                            : flow == Flow::kBreak    ? frame_->on_break
                            : flow == Flow::kContinue ? frame_->on_continue
                                                      : nullptr;
  if (region == nullptr) return;
  region->active = true;
  region->why = doubt_;
}

Interpreter::Flow Interpreter::If(const clang::IfStmt* statement) {
  Run(statement->getInit());
  if (const clang::VarDecl* variable = statement->getConditionVariable()) {
    DeclareVariable(variable);
  }
  const clang::Stmt* other = statement->getElse();
  const std::optional<bool> known = Decide(statement->getCond());
  if (known) return *known ? Run(statement->getThen()) : Run(other);
  Flow one = Flow::kNext;
  Flow two = Flow::kNext;
  RunUncertain([&] { one = Run(statement->getThen()); });
  RunUncertain([&] { two = Run(other); });
  MarkUncertain(one);
  MarkUncertain(two);
  return one == two ? one : Flow::kNext;
}

// Returns the label that a number selects, or null if none does.
const clang::SwitchCase* Interpreter::CaseOf(const clang::SwitchStmt* statement,
                                             const Value& value) {
  const clang::SwitchCase* otherwise = nullptr;
  for (const clang::SwitchCase* one = statement->getSwitchCaseList(); one != nullptr;
       one = one->getNextSwitchCase()) {
    const auto* labelled = llvm::dyn_cast<clang::CaseStmt>(one);
    if (labelled == nullptr) {
      otherwise = one;
      continue;
    }
    const Cell from = Evaluate(labelled->getLHS());
    const Cell to = labelled->getRHS() != nullptr ? Evaluate(labelled->getRHS()) : from;
    if (!from->Is(ValueKind::kNumber) || !to->Is(ValueKind::kNumber)) {
      Fail("a case label cannot be followed");
    } else if (from->number <= value.number && value.number <= to->number) {
      return one;
    }
  }
  return otherwise;
}

// Runs the block from a label on. Returns false if the label is not one of its statements.
bool Interpreter::RunCases(const clang::CompoundStmt* body, const clang::SwitchCase* from,
                           Flow& flow) {
  bool running = false;
  const BrokenCode::Gaps& gaps = broken_.GapsOf(body);
  std::size_t place = 0;
  for (const clang::Stmt* part : body->body()) {
    ++place;
    for (const clang::Stmt* at = part; const auto* one = llvm::dyn_cast<clang::SwitchCase>(at);
         at = one->getSubStmt()) {
      running = running || one == from;
    }
    if (!running) continue;
    flow = Run(part);
    auto gap = gaps.find(place);
    if (gap != gaps.end()) LoseText(gap->second);
    if (flow != Flow::kNext) return true;
  }
  return running;
}

Interpreter::Flow Interpreter::Switch(const clang::SwitchStmt* statement) {
  Run(statement->getInit());
  if (const clang::VarDecl* variable = statement->getConditionVariable()) {
    DeclareVariable(variable);
  }
  const Cell value = Evaluate(statement->getCond());
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(statement->getBody());
  if (body == nullptr) {
    Fail("a switch without a block cannot be followed");
    return Flow::kNext;
  }
  UncertainRegion region;
  UncertainRegion* const outer = std::exchange(frame_->on_break, &region);
  Flow flow = Flow::kNext;
  const char* const nested = "a case label inside a statement cannot be followed";
  RunIn(region, [&] {
    if (value->Is(ValueKind::kNumber)) {
      const clang::SwitchCase* taken = CaseOf(statement, *value);
      if (taken != nullptr && !RunCases(body, taken, flow)) Fail(nested);
      return;
    }
    Doubt(*value);
    for (const clang::SwitchCase* one = statement->getSwitchCaseList(); one != nullptr;
         one = one->getNextSwitchCase()) {
      Flow ended = Flow::kNext;
      RunUncertain([&] {
        if (!RunCases(body, one, ended)) Fail(nested);
      });
      if (ended != Flow::kBreak) MarkUncertain(ended);
    }
  });
  frame_->on_break = outer;
  return flow == Flow::kBreak ? Flow::kNext : flow;
}

// Runs the body without records until no more values become unknown, then once with records.
void Interpreter::RunUnknownRounds(const std::function<Flow()>& round) {
  constexpr int kMost = 20;
  long before = -1;
  for (int i = 0; before != forgotten_ && failed_.empty(); ++i) {
    if (i == kMost) Fail("a loop cannot be followed");
    before = forgotten_;
    ++muted_;
    RunUncertain([&] { MarkUncertain(round()); });
    --muted_;
  }
  RunUncertain([&] { MarkUncertain(round()); });
}

Interpreter::Flow Interpreter::RunRound(const clang::Stmt* body) {
  UncertainRegion region;
  UncertainRegion* const outer = std::exchange(frame_->on_continue, &region);
  Flow flow = Flow::kNext;
  RunIn(region, [&] { flow = Run(body); });
  frame_->on_continue = outer;
  return flow == Flow::kContinue ? Flow::kNext : flow;
}

Interpreter::Flow Interpreter::Loop(const Rounds& rounds) {
  UncertainRegion region;
  UncertainRegion* const outer = std::exchange(frame_->on_break, &region);
  Flow flow = Flow::kNext;
  RunIn(region, [&] { flow = LoopWithin(rounds); });
  frame_->on_break = outer;
  return flow;
}

Interpreter::Flow Interpreter::LoopWithin(const Rounds& rounds) {
  for (bool first = true; Spend(); first = false) {
    if (rounds.condition != nullptr && (rounds.condition_first || !first)) {
      if (rounds.variable != nullptr) DeclareVariable(rounds.variable);
      const std::optional<bool> goes_on = Decide(rounds.condition);
      if (!goes_on) {
        RunUnknownRounds([&] {
          const Flow flow = RunRound(rounds.body);
          if (flow != Flow::kNext) return flow;
          if (rounds.step != nullptr) Evaluate(rounds.step);
          if (rounds.variable != nullptr) DeclareVariable(rounds.variable);
          Evaluate(rounds.condition);
          return flow;
        });
        return Flow::kNext;
      }
      if (!*goes_on) return Flow::kNext;
    }
    const Flow flow = RunRound(rounds.body);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow == Flow::kReturn) return flow;
    if (rounds.step != nullptr) Evaluate(rounds.step);
  }
  return Flow::kNext;
}

// Returns the items that a range-based for loop visits, or nullopt if they are unknown.
std::optional<Interpreter::Cells> Interpreter::ItemsOf(const Cell& range, clang::QualType type) {
  if (range->Is(ValueKind::kList)) return range->items;
  const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const bool known = record != nullptr && record->isInStdNamespace();
  if (range->Is(ValueKind::kString) && known) {
    Cells characters;
    for (std::size_t i = 0; i < range->text.size(); ++i) {
      characters.push_back(Dereference(PointerToItem(range, static_cast<long long>(i))));
    }
    return characters;
  }
  if (range->Is(ValueKind::kObject) && known) {  // std::array
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
  const clang::VarDecl* variable = statement->getLoopVariable();
  const clang::Expr* over = statement->getRangeInit();
  const Cell range = Evaluate(over);
  const std::optional<Cells> items = ItemsOf(range, over->getType());
  if (!items && range->Is(ValueKind::kObject) && statement->getBeginStmt() != nullptr &&
      statement->getCond() != nullptr) {  // a class with begin() and end()
    Run(statement->getRangeStmt());
    Run(statement->getBeginStmt());
    Run(statement->getEndStmt());
    const auto* body =
        clang::CompoundStmt::Create(context_,
                                    {const_cast<clang::DeclStmt*>(statement->getLoopVarStmt()),
                                     const_cast<clang::Stmt*>(statement->getBody())},
                                    clang::FPOptionsOverride(), {}, {});
    return LoopWithin({nullptr, statement->getCond(), statement->getInc(), body, true});
  }
  const bool shares = variable->getType()->isReferenceType();
  auto round = [&](const Cell& cell) {
    frame_->variables[variable] = shares ? cell : NewCell(Copied(*cell));
    if (const auto* bound = llvm::dyn_cast<clang::DecompositionDecl>(variable)) Bind(bound);
    return RunRound(statement->getBody());
  };
  if (!items) {
    const bool told = range->Is(ValueKind::kUnknown) && !range->text.empty();
    const std::string why = told ? range->text : "the range of a loop is unknown";
    Doubt(*Unknown(why));
    LosePointees(*range);
    RunUnknownRounds([&] { return round(Unknown(why)); });
    return Flow::kNext;
  }
  if (InAnyOrder(over->getType()) && items->size() > 1) {
    RunUnordered(*items, round);
    return Flow::kNext;
  }
  for (const Cell& item : *items) {
    const Flow flow = round(item);
    if (flow == Flow::kBreak || !Spend()) break;
    if (flow == Flow::kReturn) return flow;
  }
  return Flow::kNext;
}

// For std::unordered_set and the like: later rounds must not rely on what a round leaves behind.
void Interpreter::RunUnordered(const Cells& items, const std::function<Flow(const Cell&)>& round) {
  auto all = [&] {
    Flow ended = Flow::kNext;
    for (const Cell& item : items) {
      const Flow flow = round(item);
      if (flow != Flow::kNext) ended = flow;
    }
    return ended;
  };
  constexpr int kMost = 20;
  Flow ended = Flow::kNext;
  long before = -1;
  for (int i = 0; before != forgotten_ && failed_.empty(); ++i) {
    if (i == kMost) Fail("a loop cannot be followed");
    before = forgotten_;
    ++muted_;
    RunUncertain([&] { ended = all(); });
    --muted_;
  }
  UncertainRegion region;
  RunIn(region, [&] {
    if (ended != Flow::kNext) {  // the loop may have been left before any round
      MarkUncertain(ended);
      region.active = true;
    }
    for (const Cell& item : items) {
      UncertainRegion one;
      RunIn(one, [&] {
        MarkUncertain(round(item));
        one.active = true;
      });
    }
  });
}

}  // namespace opledger::scan::ast

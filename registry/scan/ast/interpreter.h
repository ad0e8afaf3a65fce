// Interprets C++ on Clang's syntax tree as far as needed to know the strings that registrations
// receive: functions, classes, lambdas, loops, strings and lists. It executes nothing, and counts
// every step. Whatever it cannot follow becomes unknown, including everything that such code may
// change (Lose). If it cannot follow the control flow itself, it stops (Fail).
//   for (const char* name : {"a", "b"}) record(3, std::string("x.") + name)  ->  3: "x.a", "x.b"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "registry/scan/ast/broken_code.h"
#include "registry/scan/ast/effects.h"
#include "registry/scan/ast/value.h"

namespace opledger::scan::ast {

// Code that may not run if `active`: the cells that it stores to are unknown afterwards.
struct UncertainRegion {
  bool active = false;
  std::string why;
  long begun = 0;  // cells made later belong to the region
  std::vector<Cell> stored;
};

// Variables of one call.
struct Frame {
  std::map<const clang::Decl*, Cell> variables;
  std::set<const clang::Decl*> own;  // for a lambda: variables captured by copy
  Cell self;                         // for a method
  std::shared_ptr<Frame> around;     // for a lambda
  Cell returned;
  // Regions that become uncertain if a return, break or continue may have been taken.
  UncertainRegion* on_return = nullptr;
  UncertainRegion* on_break = nullptr;
  UncertainRegion* on_continue = nullptr;
};

class Interpreter {
 public:
  // Called for each record that is reached, with its value and, if that is not complete, the
  // reason. If the value is lost, the number of values is unknown too.
  using OnRecord = std::function<void(int number, const Value& value, const std::string& why)>;

  Interpreter(clang::ASTContext& context, const Effects& effects, BrokenCode& broken,
              OnRecord on_record)
      : context_(context), effects_(effects), broken_(broken), on_record_(std::move(on_record)) {}

  // Runs the initializer of a variable outside functions, as the start of the program does.
  void Initialise(const clang::VarDecl* variable);
  // Runs a function that other code may call at any time: its arguments, and variables that may
  // change, are unknown.
  void RunByItself(const clang::FunctionDecl* function);
  bool WasCalled(const clang::FunctionDecl* function) const {
    return called_.contains(function->getCanonicalDecl());
  }
  // Called at the end: other units may call functions in variables that they can see.
  void LoseVisibleFunctions();
  // Handles text outside functions that is not a declaration because it does not compile.
  void LoseText(llvm::StringRef text);

 private:
  enum class Flow { kNext, kReturn, kBreak, kContinue };
  using Cells = std::vector<Cell>;

  // Statements (interpret_statement.cpp).
  Flow Run(const clang::Stmt* statement);
  Flow RunLoop(const clang::Stmt* statement);
  Flow RunAll(const clang::CompoundStmt* block);
  bool MayReturnElsewhere() const;
  Flow Declare(const clang::DeclStmt* statement);
  void DeclareVariable(const clang::VarDecl* variable);
  void Bind(const clang::DecompositionDecl* bound);
  Flow If(const clang::IfStmt* statement);
  Flow Switch(const clang::SwitchStmt* statement);
  // A loop of any kind. The condition may declare a variable.
  struct Rounds {
    const clang::VarDecl* variable;
    const clang::Expr* condition;
    const clang::Expr* step;
    const clang::Stmt* body;
    bool condition_first;
  };
  Flow Loop(const Rounds& rounds);
  Flow ForEach(const clang::CXXForRangeStmt* statement);
  std::optional<Cells> ItemsOf(const Cell& range, clang::QualType type);
  Flow Try(const clang::CXXTryStmt* statement);
  bool RunCases(const clang::CompoundStmt* body, const clang::SwitchCase* from, Flow& flow);
  const clang::SwitchCase* CaseOf(const clang::SwitchStmt* statement, const Value& value);
  void RunIn(UncertainRegion& region, const std::function<void()>& run);
  void RunUncertain(const std::function<void()>& run);
  void MarkUncertain(Flow flow);
  Flow RunRound(const clang::Stmt* body);
  Flow LoopWithin(const Rounds& rounds);
  Flow ForEachWithin(const clang::CXXForRangeStmt* statement);
  void RunUnknownRounds(const std::function<Flow()>& round);
  void RunUnordered(const Cells& items, const std::function<Flow(const Cell&)>& round);

  // Expressions (interpret_expression.cpp). They return the cell of an lvalue, otherwise a new
  // cell.
  Cell Evaluate(const clang::Expr* expression);
  Cell EvaluateKnownKinds(const clang::Expr* expression);
  Cell EvaluateMaking(const clang::Expr* expression);
  Cell Literal(const clang::Expr* expression);
  Cell Choice(const clang::ConditionalOperator* choice);
  Cell This();
  Cell Constant(const clang::Expr* expression);
  Cell Cast(const clang::CastExpr* cast);
  Cell Decayed(const clang::CastExpr* cast, const Cell& cell);
  Cell Zero(clang::QualType type);
  Cell New(const clang::CXXNewExpr* made);
  Cell Throw(const clang::CXXThrowExpr* thrown);
  long long InType(long long number, clang::QualType type) const;
  std::string WhyChanged(const clang::VarDecl* variable) const;
  Cell Name(const clang::ValueDecl* declaration);
  Cell Global(const clang::VarDecl* variable);
  Cell Member(const clang::MemberExpr* member);
  Cell FieldOf(const Cell& object, const clang::FieldDecl* field);
  Cell Unary(const clang::UnaryOperator* operation);
  Cell Binary(const clang::BinaryOperator* operation);
  Cell Assign(const clang::BinaryOperator* operation);
  Cell Arithmetic(clang::BinaryOperatorKind kind, const Value& left, const Value& right,
                  clang::QualType type);
  Cell Dereference(const Value& pointer);
  std::optional<bool> Truth(const Cell& cell) const;
  std::optional<bool> Decide(const clang::Expr* condition);
  void Doubt(const Value& unknown);
  Cell AddressOf(const Cell& cell);
  Cell Braces(const clang::InitListExpr* list);
  Cell Characters(const clang::InitListExpr* list);
  Cell Aggregate(clang::QualType type, llvm::ArrayRef<clang::Expr*> initials);
  Cell Lambda(const clang::LambdaExpr* lambda);

  // Calls (interpret_call.cpp).
  Cell Call(const clang::CallExpr* call);
  Cell CallMethod(const clang::CXXMethodDecl* method, const Cell& self, const Cells& arguments,
                  bool is_virtual);
  Cell CallFunction(const clang::FunctionDecl* function, const Cell& self, const Cells& arguments,
                    const std::shared_ptr<Frame>& around);
  Cell CallValue(const Value& function, const Cells& arguments);
  Cell AsText(const Cell& cell);
  Cell Converted(const Cell& cell);
  Cell Construct(const clang::CXXConstructExpr* construct);
  Cell ConstructOne(const clang::CXXConstructExpr* construct);
  void MakeField(const clang::FieldDecl* field, const Cell& object);
  void Base(const clang::Expr* initial, const Cell& object);
  void Begin(const clang::VarDecl* variable);
  void RunConstructor(const clang::CXXConstructorDecl* constructor, const Cell& object,
                      const Cells& arguments);
  void InitialiseFields(const clang::CXXRecordDecl* type, const Cell& object);
  void Record(const clang::CallExpr* call);
  Cell NotFollowed(const clang::FunctionDecl* function, const Cell& self, const Cells& arguments,
                   const std::string& why);
  void Made(const clang::CXXRecordDecl* type, const Cell& object);

  // The standard library (interpret_library.cpp). These return nullopt if the call is not modeled.
  std::optional<Cell> LibraryFunction(const clang::FunctionDecl* function, const Cells& arguments);
  std::optional<Cell> LibraryMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                    const Cells& arguments);
  std::optional<Cell> LibraryObject(const clang::CXXConstructorDecl* constructor,
                                    const Cells& arguments);
  std::optional<Cell> StringMethod(const std::string& name, const Cell& self,
                                   const Cells& arguments);
  static std::optional<Cell> Compared(const std::string& name, const std::string& text,
                                      const std::string& given, const Cells& arguments);
  std::optional<Cell> ListMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                 const Cells& arguments);
  std::optional<Cell> InsertItems(const clang::CXXMethodDecl* method, const Cell& self,
                                  const Cells& arguments);
  std::optional<Cell> ChangeList(const std::string& name, const Cell& self, const Cells& arguments,
                                 bool keyed);

  std::optional<Cell> Spliced(const std::string& name, const Cell& self, const Cells& arguments);
  static Cell Viewing(const Cell& view, const Cell& text);
  Cell TextObject(const std::string& type, const Cells& arguments);
  Cell Insert(const clang::CXXRecordDecl* type, const Cell& list, const Value& value);
  Cell Inserted(const clang::CXXMethodDecl* method, const Cell& self, bool fresh);
  Cell Find(const std::string& name, const clang::CXXMethodDecl* method, const Cell& self,
            const Cells& arguments);
  Cell Empty(clang::QualType type);

  // Memory (interpret_memory.cpp).
  Cell Unknown(const std::string& why);
  bool Spend();
  void Fail(const std::string& why);
  bool Recover(const clang::Decl* root);
  static bool IsPlain(const Value& value);
  void Store(const Cell& cell, Value value);
  void StorePart(const Cell& part, const Value& value);
  void MarkModified(const Cell& cell);
  void Forget(const Cell& cell);
  void Lose(const Cell& cell);
  void LosePointees(const Value& value);
  void LoseObject(const Cell& cell);
  void LoseFunctionsIn(const Value& value, int depth = 0);
  void LoseFunction(const Value& function);
  void LoseMentioned(const clang::Stmt* statement);
  void LoseReach(const clang::Decl* declaration, const std::string& why);
  void LoseName(const std::string& name);
  void LoseKeyword(llvm::StringRef word);
  const UncertainRegion* Uncertain() const;

  clang::ASTContext& context_;
  const Effects& effects_;
  BrokenCode& broken_;
  OnRecord on_record_;
  std::map<const clang::Decl*, Cell> globals_;  // values at program start
  std::map<const clang::Decl*, Cell> later_;    // values at any later time
  std::set<const clang::Decl*> lost_globals_;
  std::set<const clang::Decl*> initialising_;
  std::set<const clang::Decl*> begun_;  // initialization has begun
  std::set<const clang::Decl*> called_;
  std::map<const clang::Decl*, int> entered_;  // calls that have not returned
  std::shared_ptr<Frame> frame_ = std::make_shared<Frame>();
  std::string why_;     // first reason since the evaluation of a record began
  std::string doubt_;   // last reason why it is unknown which code runs
  std::string losing_;  // reason given to cells that are lost now
  std::string failed_;  // reason why the evaluation stopped
  std::string world_;   // reason why variables that may change are unknown even at the start
  long steps_ = 0;
  long forgotten_ = 0;     // number of known values forgotten
  long not_followed_ = 0;  // number of calls
  int depth_ = 0;
  int muted_ = 0;         // records are ignored if positive
  int tries_ = 0;         // enclosing try blocks
  bool at_start_ = true;  // static initialization: variables have their first values
  std::vector<UncertainRegion*> uncertain_regions_;
};

}  // namespace opledger::scan::ast

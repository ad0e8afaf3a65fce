// Follows C++ on Clang's syntax tree, as far as it takes to know the strings that registrations are
// given: functions, classes, lambdas, loops, and of the standard library what makes strings and
// lists. It runs nothing: what it cannot follow is unknown, and every step is counted.
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
#include "registry/scan/ast/value.h"

namespace opledger::scan::ast {

// Code that may or may not run, once active: what it stores is unknown where it ends.
struct UncertainRegion {
  bool active = false;
  std::vector<Cell> stored;
};

// What the names of one call mean.
struct Frame {
  std::map<const clang::Decl*, Cell> variables;
  Cell self;                      // of a method
  std::shared_ptr<Frame> around;  // of a lambda
  Cell returned;
  // The regions that become uncertain where a return, break or continue may have been taken.
  UncertainRegion* on_return = nullptr;
  UncertainRegion* on_break = nullptr;
  UncertainRegion* on_continue = nullptr;
};

class Interpreter {
 public:
  // Of each record that is met: what it comes to, or why that is unknown.
  using OnRecord = std::function<void(int number, const Value& value, const std::string& why)>;

  Interpreter(clang::ASTContext& context, OnRecord on_record)
      : context_(context), on_record_(std::move(on_record)) {}

  // As the start of the program would: the initialiser of a variable outside functions.
  void Initialise(const clang::VarDecl* variable);
  // As anybody may call it at any time: arguments, and variables that may change, are unknown.
  void RunByItself(const clang::FunctionDecl* function);
  bool exceeded() const { return exceeded_; }

 private:
  enum class Flow { kNext, kReturn, kBreak, kContinue };
  using Cells = std::vector<Cell>;

  // Statements (interpret_statement.cpp).
  Flow Run(const clang::Stmt* statement);
  Flow RunAll(const clang::CompoundStmt* block);
  Flow Declare(const clang::DeclStmt* statement);
  void DeclareVariable(const clang::VarDecl* variable);
  void Bind(const clang::DecompositionDecl* bound);
  Flow If(const clang::IfStmt* statement);
  Flow Switch(const clang::SwitchStmt* statement);
  Flow Loop(const clang::Expr* condition, const clang::Expr* step, const clang::Stmt* body,
            bool condition_first);
  Flow ForEach(const clang::CXXForRangeStmt* statement);
  std::optional<Cells> ItemsOf(const Cell& range);
  void RunIn(UncertainRegion& region, const std::function<void()>& run);
  void RunUncertain(const std::function<void()>& run);
  void MarkUncertain(Flow flow);
  Flow RunRound(const clang::Stmt* body);
  Flow LoopWithin(const clang::Expr* condition, const clang::Expr* step, const clang::Stmt* body,
                  bool condition_first);
  Flow ForEachWithin(const clang::CXXForRangeStmt* statement);
  void RunUnknownRounds(const clang::Stmt* statement);

  // Expressions (interpret_expression.cpp): the cell itself of an lvalue, else a new one.
  Cell Evaluate(const clang::Expr* expression);
  Cell EvaluateKnownKinds(const clang::Expr* expression);
  Cell Literal(const clang::Expr* expression);
  Cell Choice(const clang::ConditionalOperator* choice);
  Cell This();
  Cell Constant(const clang::Expr* expression);
  Cell Cast(const clang::CastExpr* cast);
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
  Cell Braces(const clang::InitListExpr* list);
  Cell Lambda(const clang::LambdaExpr* lambda);

  // Calls (interpret_call.cpp).
  Cell Call(const clang::CallExpr* call);
  Cell CallMethod(const clang::CXXMethodDecl* method, const Cell& self, const Cells& arguments,
                  bool is_virtual);
  Cell CallFunction(const clang::FunctionDecl* function, const Cell& self, const Cells& arguments,
                    const std::shared_ptr<Frame>& around);
  Cell CallValue(const Value& function, const Cells& arguments);
  Cell Construct(const clang::CXXConstructExpr* construct);
  void RunConstructor(const clang::CXXConstructorDecl* constructor, const Cell& object,
                      const Cells& arguments);
  void InitialiseFields(const clang::CXXRecordDecl* type, const Cell& object);
  void Record(const clang::CallExpr* call);
  void Invalidate(const Cell& cell);
  void InvalidateArguments(const clang::FunctionDecl* function, const Cells& arguments);

  // The standard library (interpret_library.cpp); none: not known there.
  std::optional<Cell> LibraryFunction(const clang::FunctionDecl* function, const Cells& arguments);
  std::optional<Cell> LibraryMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                    const Cells& arguments);
  std::optional<Cell> LibraryObject(const clang::CXXConstructorDecl* constructor,
                                    const Cells& arguments);
  std::optional<Cell> StringMethod(const std::string& name, const Cell& self,
                                   const Cells& arguments);
  std::optional<Cell> ListMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                 const Cells& arguments);

  Cell Find(const std::string& name, bool keyed, const Cell& self, const Cells& arguments);

  Cell Unknown(const std::string& why);
  bool Spend();
  void Store(const Cell& cell, Value value);
  void MarkModified(const Cell& cell);

  clang::ASTContext& context_;
  OnRecord on_record_;
  std::map<const clang::Decl*, Cell> globals_;
  std::set<const clang::Decl*> initialising_;
  std::shared_ptr<Frame> frame_ = std::make_shared<Frame>();
  std::string why_;  // the first reason since a record began to be evaluated
  long steps_ = 0;
  int depth_ = 0;
  int muted_ = 0;         // no records
  bool at_start_ = true;  // static initialisation: variables have their first values
  bool exceeded_ = false;
  std::vector<UncertainRegion*> uncertain_regions_;
};

}  // namespace opledger::scan::ast

// What code may do, found without following it: the records that it may meet and the variables
// outside functions that it may change, itself or through what it calls. It is what is lost where
// code cannot be followed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "registry/scan/ast/broken_code.h"

namespace opledger::scan::ast {

// What stands in the place of a registration: int __opledger_record(int number, name).
constexpr const char* kRecord = "__opledger_record";
constexpr const char* kRecordValue = "__opledger_record_value";  // where its value is used

// Of a call of a record: its number, else -1.
int RecordNumber(const clang::Expr* expression);

struct Reach {
  std::set<int> records;
  std::set<const clang::VarDecl*> written;
};

class Effects {
 public:
  Effects(clang::ASTContext& context, BrokenCode& broken, bool included);

  // Defined outside functions, in their order, as far as they are no patterns of templates.
  const std::vector<const clang::VarDecl*>& variables() const { return variables_; }
  const std::vector<const clang::FunctionDecl*>& functions() const { return functions_; }
  // Those of this name, and the methods of classes of this name.
  std::vector<const clang::Decl*> Named(const std::string& name) const;

  // Of a function, or of a variable's initialiser.
  bool Leads(const clang::Decl* declaration) const;
  const Reach& Of(const clang::Decl* declaration) const;
  // The records that stand in what `runs`, which are functions and initialisers.
  std::set<int> In(const std::function<bool(const clang::Decl*)>& runs) const;

  // By its type, nobody can change it.
  static bool IsConst(const clang::VarDecl* variable);
  // Its value is that of its initialiser, whenever it is asked for.
  bool IsConstant(const clang::VarDecl* variable) const;
  // Functions that anybody may call change it.
  bool IsExposed(const clang::VarDecl* variable) const;
  // Code of other units may use it.
  bool IsSeen(const clang::VarDecl* variable) const;
  // Code of other units may call it at any time. A unit that calls an inline function has a
  // definition of its own, so that of this unit is only called elsewhere if the unit is included or
  // by way of a base class.
  bool IsOpen(const clang::FunctionDecl* function) const;

 private:
  struct Node {
    std::set<const clang::Decl*> next;
    Reach own;
    std::set<std::string> words;  // in what does not compile
    bool leads = false;
  };

  void CollectOne(const clang::Decl* declaration);
  void AddPattern(const clang::FunctionDecl* pattern);
  void Collect(const clang::DeclContext* scope);
  const clang::Decl* Wait(const clang::Decl* declaration);
  void Fill(const clang::Decl* declaration, Node& node);
  void FillFunction(const clang::FunctionDecl* function, Node& node);
  void Visit(const clang::Stmt* statement, Node& node, bool reads);
  void VisitCast(const clang::CastExpr* cast, Node& node, bool reads);
  void VisitCall(const clang::CallExpr* call, Node& node, bool reads);
  void VisitDeclared(const clang::DeclStmt* statement, Node& node);
  bool VisitName(const clang::Stmt* statement, Node& node, bool reads);
  bool VisitOperator(const clang::Stmt* statement, Node& node, bool reads);
  void Use(const clang::Decl* declaration, Node& node, bool reads);
  void Destroys(clang::QualType type, Node& node);
  void VisitBroken(const std::string& text, Node& node);
  void ResolveNames();
  void Spread();
  bool HasUnknownBase(const clang::CXXRecordDecl* type) const;

  BrokenCode& broken_;
  const bool included_;  // by other files
  std::vector<const clang::VarDecl*> variables_;
  std::vector<const clang::FunctionDecl*> functions_;
  std::map<const clang::Decl*, Node> nodes_;
  std::map<std::string, std::vector<const clang::Decl*>> named_;
  std::vector<const clang::Decl*> waiting_;
  mutable std::map<const clang::Decl*, Reach> reaches_;
  std::set<const clang::VarDecl*> written_;  // by anybody here
  std::set<const clang::VarDecl*> exposed_;
};

}  // namespace opledger::scan::ast

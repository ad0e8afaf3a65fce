// Computes what code may do without following it: the records that it may reach and the global
// variables that it may change, directly or through calls. The interpreter uses this to discard
// what it knew where it cannot follow the code.
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

// Call that replaces a registration: int __opledger_record(int number, name).
constexpr const char* kRecord = "__opledger_record";
// Used where the value of the registration is used.
constexpr const char* kRecordValue = "__opledger_record_value";

// Returns the number of the record if the expression is a call of one, otherwise -1.
int RecordNumber(const clang::Expr* expression);

struct Reach {
  std::set<int> records;
  std::set<const clang::VarDecl*> written;
};

class Effects {
 public:
  Effects(clang::ASTContext& context, BrokenCode& broken, bool included);

  // Definitions outside functions, in order. Template patterns are left out.
  const std::vector<const clang::VarDecl*>& variables() const { return variables_; }
  const std::vector<const clang::FunctionDecl*>& functions() const { return functions_; }
  // Returns the declarations of this name and the methods of classes of this name.
  std::vector<const clang::Decl*> Named(const std::string& name) const;

  // Returns whether the function, or the initializer of the variable, may reach a record.
  bool Leads(const clang::Decl* declaration) const;
  // Returns the records that it may reach and the variables that it may change.
  const Reach& Of(const clang::Decl* declaration) const;
  // Returns the records that are written in declarations for which `runs` returns true. It is
  // called with functions, and with variables for their initializers.
  std::set<int> In(const std::function<bool(const clang::Decl*)>& runs) const;

  // Returns whether the type of the variable forbids changing it.
  static bool IsConst(const clang::VarDecl* variable);
  // Returns whether the variable always has the value of its initializer.
  bool IsConstant(const clang::VarDecl* variable) const;
  // Returns whether functions that other units may call change the variable.
  bool IsExposed(const clang::VarDecl* variable) const;
  // Returns whether code of other units may use the variable.
  bool IsSeen(const clang::VarDecl* variable) const;
  // Returns whether code of other units may call the function at any time. A unit that calls an
  // inline function has its own definition, so other code calls this unit's definition only if the
  // unit is included or through a base class.
  bool IsOpen(const clang::FunctionDecl* function) const;

 private:
  struct Node {
    std::set<const clang::Decl*> next;
    Reach own;
    std::set<std::string> words;  // identifiers in code that does not compile
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
  const bool included_;  // other files include the unit
  std::vector<const clang::VarDecl*> variables_;
  std::vector<const clang::FunctionDecl*> functions_;
  std::map<const clang::Decl*, Node> nodes_;
  std::map<std::string, std::vector<const clang::Decl*>> named_;
  std::vector<const clang::Decl*> waiting_;
  mutable std::map<const clang::Decl*, Reach> reaches_;
  std::set<const clang::VarDecl*> written_;  // by any code of this unit
  std::set<const clang::VarDecl*> exposed_;
};

}  // namespace opledger::scan::ast

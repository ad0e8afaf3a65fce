// Variables outside functions are initialised in their order, where that may lead to a record;
// functions with records that none of them calls are run by themselves.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "clang/AST/DeclTemplate.h"
#include "registry/scan/ast/ast.h"
#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

constexpr std::size_t kMaxNames = 10'000;

class Start {
 public:
  explicit Start(clang::ASTContext& context)
      : interpreter_(context, [this](int number, const Value& value, const std::string& why) {
          Note(number, value, why);
        }) {
    Collect(context.getTranslationUnitDecl());
  }

  std::map<int, Names> Run();

 private:
  void Note(int number, const Value& value, const std::string& why);
  void Collect(const clang::DeclContext* scope);
  void CollectOne(const clang::Decl* declaration);
  bool Leads(const clang::FunctionDecl* function);
  bool Leads(const clang::Stmt* statement, std::vector<int>* own);
  void Exceeded();

  Interpreter interpreter_;
  std::map<int, Names> names_;
  std::vector<const clang::VarDecl*> variables_;
  std::vector<const clang::FunctionDecl*> functions_;
  std::map<const clang::FunctionDecl*, bool> leads_;
};

void Start::Note(int number, const Value& value, const std::string& why) {
  Names& names = names_[number];
  if (value.Is(Value::Kind::kString) && names.values.size() < kMaxNames) {
    names.values.insert(value.text);
  } else if (value.Is(Value::Kind::kString)) {
    names.unknown = "it yields more than 10,000 names";
  } else if (names.unknown.empty()) {
    names.unknown = why.empty() ? "it depends on unknown values" : why;
  }
}

void Start::CollectOne(const clang::Decl* declaration) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    const bool whole = function->isThisDeclarationADefinition() && !function->isDependentContext();
    if (whole) functions_.push_back(function);
  } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
    const bool whole = variable->hasInit() && variable->hasGlobalStorage() &&
                       !variable->getDeclContext()->isDependentContext() &&
                       !variable->getType()->isDependentType() &&
                       !variable->getInit()->isTypeDependent();
    if (whole) variables_.push_back(variable);
  } else if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    for (const clang::FunctionDecl* made : pattern->specializations()) CollectOne(made);
  } else if (const auto* classes = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    for (const clang::ClassTemplateSpecializationDecl* made : classes->specializations()) {
      Collect(made);
    }
  }
  if (const auto* scope = llvm::dyn_cast<clang::DeclContext>(declaration)) {
    if (!llvm::isa<clang::FunctionDecl>(declaration)) Collect(scope);
  }
}

void Start::Collect(const clang::DeclContext* scope) {
  if (scope->isDependentContext() && !scope->isFileContext()) return;
  for (const clang::Decl* declaration : scope->decls()) CollectOne(declaration);
}

// Whether running it may meet a record; `own` gets the numbers of those that stand in it.
bool Start::Leads(const clang::Stmt* statement, std::vector<int>* own) {
  if (statement == nullptr) return false;
  bool leads = false;
  const clang::FunctionDecl* called = nullptr;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) {
    called = call->getDirectCallee();
    const bool record = called != nullptr && called->getDeclName().isIdentifier() &&
                        called->getName() == "__opledger_record";
    leads = record;
    if (record && own != nullptr && call->getNumArgs() > 0) {
      const auto* number =
          llvm::dyn_cast<clang::IntegerLiteral>(call->getArg(0)->IgnoreParenImpCasts());
      if (number != nullptr) own->push_back(static_cast<int>(number->getValue().getZExtValue()));
    }
  } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(statement)) {
    called = construct->getConstructor();
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    called = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable != nullptr && variable->isStaticDataMember() && variable->hasInit()) {
      leads = Leads(variable->getInit(), nullptr);
    }
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(statement)) {
    leads = Leads(lambda->getBody(), own);
  } else if (const auto* given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(statement)) {
    leads = Leads(given->getExpr(), own);
  } else if (const auto* declares = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    for (const clang::Decl* declared : declares->decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
      if (variable != nullptr) leads = Leads(variable->getInit(), own) || leads;
    }
    return leads;
  }
  if (called != nullptr && !leads) leads = Leads(called);
  for (const clang::Stmt* child : statement->children()) leads = Leads(child, own) || leads;
  return leads;
}

bool Start::Leads(const clang::FunctionDecl* function) {
  function = function->getCanonicalDecl();
  auto [known, fresh] = leads_.try_emplace(function, false);
  if (!fresh) return known->second;
  const clang::FunctionDecl* definition = nullptr;
  bool leads = Leads(function->getBody(definition), nullptr);
  if (const auto* made = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(definition)) {
    for (const clang::CXXCtorInitializer* initial : made->inits()) {
      leads = Leads(initial->getInit(), nullptr) || leads;
    }
  }
  leads_[function] = leads;
  return leads;
}

void Start::Exceeded() {
  if (!interpreter_.exceeded()) return;
  for (auto& [number, names] : names_) {
    names.values.clear();
    names.unknown = "evaluation takes more than a million steps";
  }
}

std::map<int, Names> Start::Run() {
  for (const clang::VarDecl* variable : variables_) {
    if (Leads(variable->getInit(), nullptr)) interpreter_.Initialise(variable);
  }
  for (const clang::FunctionDecl* function : functions_) {
    std::vector<int> own;
    Leads(function->getBody(), &own);
    // Others may call it too, and with something else.
    const bool open = function->isExternallyVisible() && function->getNumParams() > 0 &&
                      !function->isTemplateInstantiation();
    for (int number : own) {
      if (names_.contains(number) && !open) continue;
      interpreter_.RunByItself(function);
      names_[number];  // it is in code that compiles, met or not
      break;
    }
  }
  for (auto& [number, names] : names_) {
    if (names.values.empty() && names.unknown.empty()) names.unknown = "nothing here calls it";
  }
  Exceeded();
  return std::move(names_);
}

}  // namespace

std::map<int, Names> FindNames(clang::ASTContext& context) { return Start(context).Run(); }

}  // namespace opledger::scan::ast

// Builds a graph of functions and initializers, with an edge to everything that each one mentions.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ast/effects.h"

#include <algorithm>

#include "clang/AST/DeclTemplate.h"

namespace opledger::scan::ast {
namespace {

std::string IdentifierOf(const clang::NamedDecl* declaration) {
  return declaration->getDeclName().isIdentifier() ? declaration->getNameAsString() : std::string();
}

// Returns the identifiers by which code can refer to a declaration: its own and that of its class.
std::vector<std::string> NamesOf(const clang::Decl* declaration) {
  std::vector<std::string> names{IdentifierOf(llvm::cast<clang::NamedDecl>(declaration))};
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(declaration);
  if (method != nullptr) names.push_back(IdentifierOf(method->getParent()));
  return names;
}

// Returns whether neither a value of this type nor anything it points to can be changed through it.
bool IsDeeplyConst(clang::QualType type, std::set<const clang::CXXRecordDecl*> seen = {}) {
  if (type->isReferenceType() || type->isPointerType()) {
    const clang::QualType target = type->getPointeeType();
    return target->isFunctionType() || (target.isConstQualified() && IsDeeplyConst(target, seen));
  }
  if (const clang::ArrayType* array = type->getAsArrayTypeUnsafe()) {
    return IsDeeplyConst(array->getElementType(), seen);
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return true;
  if (!seen.insert(record->getCanonicalDecl()).second) return true;
  const std::string name = record->isInStdNamespace() ? IdentifierOf(record) : std::string();
  if (name == "unique_ptr" || name == "shared_ptr" || name == "reference_wrapper") return false;
  for (const clang::FieldDecl* field : record->fields()) {
    if (field->isMutable() || !IsDeeplyConst(field->getType(), seen)) return false;
  }
  return true;
}

// std::vector::operator[] and similar methods, which do not change anything themselves.
bool GivesItem(const clang::FunctionDecl* function) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (method == nullptr || !method->getParent()->isInStdNamespace()) return false;
  if (method->getOverloadedOperator() == clang::OO_Subscript) {
    return IdentifierOf(method->getParent()).find("map") == std::string::npos;
  }
  const std::string name = IdentifierOf(method);
  return name == "at" || name == "front" || name == "back";
}

}  // namespace

int RecordNumber(const clang::Expr* expression) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expression);
  if (call == nullptr || call->getNumArgs() < 2) return -1;
  const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
  std::string name;
  if (const auto* direct = llvm::dyn_cast<clang::DeclRefExpr>(callee)) {
    name = direct->getNameInfo().getAsString();
  } else if (const auto* several = llvm::dyn_cast<clang::OverloadExpr>(callee)) {
    name = several->getName().getAsString();
  }
  if (name != kRecord && name != kRecordValue) return -1;
  const clang::Expr* first = call->getArg(0)->IgnoreParenImpCasts();
  if (const auto* given = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(first)) {
    first = given->getReplacement()->IgnoreParenImpCasts();
  }
  const auto* number = llvm::dyn_cast<clang::IntegerLiteral>(first);
  return number == nullptr ? -1 : static_cast<int>(number->getValue().getZExtValue());
}

Effects::Effects(clang::ASTContext& context, BrokenCode& broken, bool included)
    : broken_(broken), included_(included) {
  Collect(context.getTranslationUnitDecl());
  for (const clang::FunctionDecl* function : functions_) Wait(function);
  for (const clang::VarDecl* variable : variables_) Wait(variable);
  while (!waiting_.empty()) {
    const clang::Decl* declaration = waiting_.back();
    waiting_.pop_back();
    Node node;
    Fill(declaration, node);
    Node& place = nodes_[declaration];
    node.next.insert(place.next.begin(), place.next.end());
    place = std::move(node);
  }
  ResolveNames();
  Spread();
}

void Effects::VisitBroken(const std::string& text, Node& node) {
  const Words words = WordsOf(text);
  node.words.insert(words.names.begin(), words.names.end());
  node.own.records.insert(words.records.begin(), words.records.end());
}

// Code that does not compile may call and change whatever it names.
void Effects::ResolveNames() {
  for (const auto& [declaration, node] : nodes_) {
    for (const std::string& name : NamesOf(declaration)) named_[name].push_back(declaration);
  }
  for (auto& [declaration, node] : nodes_) {
    for (const std::string& word : node.words) {
      for (const clang::Decl* one : Named(word)) Use(one, node, false);
    }
  }
}

// Code that does not compile may use a template without showing its instances, so the pattern is
// analyzed too.
void Effects::AddPattern(const clang::FunctionDecl* pattern) {
  if (!pattern->isInStdNamespace() && pattern->isThisDeclarationADefinition()) Wait(pattern);
}

void Effects::CollectOne(const clang::Decl* declaration) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    const bool whole = function->isThisDeclarationADefinition() && !function->isDependentContext();
    if (whole) functions_.push_back(function);
  } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
    // Code that does not compile is dependent, too.
    const bool whole =
        variable->hasInit() && variable->hasGlobalStorage() &&
        !variable->getDeclContext()->isDependentContext() &&
        (variable->getInit()->containsErrors() ||
         (!variable->getType()->isDependentType() && !variable->getInit()->isTypeDependent()));
    if (whole) variables_.push_back(variable);
  } else if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    AddPattern(pattern->getTemplatedDecl());
    for (const clang::FunctionDecl* made : pattern->specializations()) CollectOne(made);
  } else if (const auto* variables = llvm::dyn_cast<clang::VarTemplateDecl>(declaration)) {
    for (const clang::VarDecl* made : variables->specializations()) CollectOne(made);
  } else if (const auto* classes = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    for (const clang::CXXMethodDecl* method : classes->getTemplatedDecl()->methods()) {
      AddPattern(method);
    }
    for (const clang::ClassTemplateSpecializationDecl* made : classes->specializations()) {
      Collect(made);
    }
  }
  if (const auto* scope = llvm::dyn_cast<clang::DeclContext>(declaration)) {
    if (!llvm::isa<clang::FunctionDecl>(declaration)) Collect(scope);
  }
}

void Effects::Collect(const clang::DeclContext* scope) {
  if (scope->isDependentContext() && !scope->isFileContext()) return;
  for (const clang::Decl* declaration : scope->decls()) CollectOne(declaration);
}

std::vector<const clang::Decl*> Effects::Named(const std::string& name) const {
  const auto found = named_.find(name);
  return found == named_.end() ? std::vector<const clang::Decl*>() : found->second;
}

const clang::Decl* Effects::Wait(const clang::Decl* declaration) {
  declaration = declaration->getCanonicalDecl();
  if (nodes_.try_emplace(declaration).second) waiting_.push_back(declaration);
  return declaration;
}

void Effects::Fill(const clang::Decl* declaration, Node& node) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    FillFunction(function, node);
  } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
    const clang::VarDecl* defined = nullptr;
    Visit(variable->getAnyInitializer(defined), node, false);
    if (!variable->isStaticLocal()) VisitBroken(broken_.Around(variable->getSourceRange()), node);
    if (!variable->isLocalVarDecl()) Destroys(variable->getType(), node);
  }
}

void Effects::FillFunction(const clang::FunctionDecl* function, Node& node) {
  const clang::FunctionDecl* definition = nullptr;
  const clang::Stmt* body = function->getBody(definition);
  Visit(body, node, false);
  if (body == nullptr || function->isInvalidDecl()) {  // instantiation may have failed
    const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern();
    if (pattern != nullptr) node.next.insert(Wait(pattern));
  }
  if (const auto* made = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(definition)) {
    const clang::SourceLocation begin = body != nullptr ? body->getBeginLoc() : made->getEndLoc();
    VisitBroken(broken_.Around({made->getLocation(), begin}), node);
    for (const clang::CXXCtorInitializer* initial : made->inits()) {
      Visit(initial->getInit(), node, false);
    }
  }
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method == nullptr) return;
  for (const clang::CXXMethodDecl* overridden : method->overridden_methods()) {
    nodes_[Wait(overridden)].next.insert(method->getCanonicalDecl());
  }
  if (!llvm::isa<clang::CXXDestructorDecl>(method)) return;
  for (const clang::FieldDecl* field : method->getParent()->fields()) {
    Destroys(field->getType(), node);
  }
  for (const clang::CXXBaseSpecifier& base : method->getParent()->bases()) {
    Destroys(base.getType(), node);
  }
}

void Effects::Destroys(clang::QualType type, Node& node) {
  while (const clang::ArrayType* array = type->getAsArrayTypeUnsafe()) {
    type = array->getElementType();
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->isDependentContext()) return;
  const clang::CXXDestructorDecl* destructor = record->getDestructor();
  if (destructor != nullptr) node.next.insert(Wait(destructor));
}

// Adds a mention of a function, or of a variable that may be changed at that place.
void Effects::Use(const clang::Decl* declaration, Node& node, bool reads) {
  if (llvm::isa<clang::FunctionDecl>(declaration)) {
    node.next.insert(Wait(declaration));
  } else if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    node.next.insert(Wait(pattern->getTemplatedDecl()));
  } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
    if (!variable->hasGlobalStorage()) return;
    node.next.insert(Wait(variable));
    if (!reads && !IsConst(variable)) node.own.written.insert(variable->getCanonicalDecl());
  }
}

bool Effects::VisitName(const clang::Stmt* statement, Node& node, bool reads) {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    Use(name->getDecl(), node, reads);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(statement)) {
    Use(member->getMemberDecl(), node, reads);
    Visit(member->getBase(), node, reads && !member->isArrow());
  } else if (const auto* several = llvm::dyn_cast<clang::OverloadExpr>(statement)) {
    for (const clang::NamedDecl* one : several->decls()) Use(one->getUnderlyingDecl(), node, false);
    for (const clang::Stmt* child : statement->children()) Visit(child, node, false);
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(statement)) {
    Use(lambda->getCallOperator(), node, false);
    for (const clang::Expr* capture : lambda->capture_inits()) Visit(capture, node, true);
  } else if (const auto* given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(statement)) {
    Visit(given->getExpr(), node, reads);
  } else if (const auto* initial = llvm::dyn_cast<clang::CXXDefaultInitExpr>(statement)) {
    Visit(initial->getExpr(), node, reads);
  } else {
    return false;
  }
  return true;
}

bool Effects::VisitOperator(const clang::Stmt* statement, Node& node, bool reads) {
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(statement)) {
    Visit(unary->getSubExpr(), node, reads && !unary->isIncrementDecrementOp());
  } else if (const auto* item = llvm::dyn_cast<clang::ArraySubscriptExpr>(statement)) {
    Visit(item->getBase(), node, reads);
    Visit(item->getIdx(), node, false);
  } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(statement)) {
    Visit(choice->getCond(), node, false);
    Visit(choice->getTrueExpr(), node, reads);
    Visit(choice->getFalseExpr(), node, reads);
  } else if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(statement)) {
    Visit(paren->getSubExpr(), node, reads);
  } else {
    return false;
  }
  return true;
}

void Effects::VisitCast(const clang::CastExpr* cast, Node& node, bool reads) {
  const clang::QualType type = cast->getType();
  if (llvm::isa<clang::CXXConstCastExpr>(cast)) {
    reads = false;
  } else if (cast->getCastKind() == clang::CK_LValueToRValue) {
    reads = true;
  } else if (cast->isGLValue()) {
    reads = reads || type.isConstQualified();
  } else if (type->isPointerType()) {
    reads = reads || type->getPointeeType().isConstQualified();
  }
  Visit(cast->getSubExpr(), node, reads);
}

void Effects::VisitCall(const clang::CallExpr* call, Node& node, bool reads) {
  const int number = RecordNumber(call);
  if (number >= 0) node.own.records.insert(number);
  const clang::FunctionDecl* called = call->getDirectCallee();
  if (called != nullptr) Use(called, node, false);
  if (!reads || !GivesItem(called)) {
    for (const clang::Stmt* child : call->children()) Visit(child, node, false);
    return;
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (member != nullptr) Visit(member->getBase(), node, !member->isArrow());
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    Visit(call->getArg(i), node, i == 0 && member == nullptr);
  }
}

void Effects::VisitDeclared(const clang::DeclStmt* statement, Node& node) {
  for (const clang::Decl* declared : statement->decls()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared)) {
      if (variable->isStaticLocal()) Use(variable, node, true);
      Visit(variable->getInit(), node, false);
      Destroys(variable->getType(), node);
    } else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declared)) {
      if (!record->isCompleteDefinition() || record->isDependentContext()) continue;
      for (const clang::CXXMethodDecl* method : record->methods()) Wait(method);
    }
  }
}

// `reads`: the value is only read, so nothing is changed through it.
void Effects::Visit(const clang::Stmt* statement, Node& node, bool reads) {
  if (statement == nullptr || VisitName(statement, node, reads) ||
      VisitOperator(statement, node, reads)) {
    return;
  }
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
    for (const auto& [place, text] : broken_.GapsOf(block)) VisitBroken(text, node);
  }
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(statement)) {
    return VisitCast(cast, node, reads);
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) {
    return VisitCall(call, node, reads);
  }
  if (const auto* declares = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    return VisitDeclared(declares, node);
  }
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(statement)) {
    Use(made->getConstructor(), node, false);
    Destroys(made->getType(), node);
  } else if (const auto* inherited = llvm::dyn_cast<clang::CXXInheritedCtorInitExpr>(statement)) {
    Use(inherited->getConstructor(), node, false);
  } else if (const auto* destroyed = llvm::dyn_cast<clang::CXXDeleteExpr>(statement)) {
    if (!destroyed->isTypeDependent() && !destroyed->getDestroyedType().isNull()) {
      Destroys(destroyed->getDestroyedType(), node);
    }
  } else if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(statement)) {
    const clang::VarDecl* variable = loop->getLoopVariable();
    const clang::QualType type = variable->getType();
    const bool only = !type->isReferenceType() || type->getPointeeType().isConstQualified();
    Visit(loop->getRangeInit(), node, only);
    for (const clang::Stmt* child : statement->children()) {
      if (child != loop->getRangeStmt()) Visit(child, node, false);
    }
    return;
  }
  const bool same = llvm::isa<clang::FullExpr, clang::MaterializeTemporaryExpr>(statement);
  for (const clang::Stmt* child : statement->children()) Visit(child, node, same && reads);
}

// Returns whether the class has a base that does not compile and may therefore have any member.
bool Effects::HasUnknownBase(const clang::CXXRecordDecl* type) const {
  type = type->getDefinition();
  if (type == nullptr) return false;
  const std::string head = broken_.Around({type->getLocation(), type->getBraceRange().getBegin()});
  return !head.empty() || std::any_of(type->bases_begin(), type->bases_end(),
                                      [&](const clang::CXXBaseSpecifier& one) {
                                        const clang::CXXRecordDecl* base =
                                            one.getType()->getAsCXXRecordDecl();
                                        return base != nullptr && HasUnknownBase(base);
                                      });
}

bool Effects::IsOpen(const clang::FunctionDecl* function) const {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method != nullptr && method->getParent()->isLambda()) return false;
  if (method != nullptr && HasUnknownBase(method->getParent())) return true;
  if (method != nullptr && method->isVirtual()) {
    const auto overridden = method->overridden_methods();
    return method->isExternallyVisible() ||
           std::any_of(overridden.begin(), overridden.end(),
                       [&](const clang::CXXMethodDecl* base) { return IsOpen(base); });
  }
  return included_ || (function->isExternallyVisible() && !function->isInlined());
}

void Effects::Spread() {
  std::map<const clang::Decl*, std::vector<const clang::Decl*>> before;
  std::vector<const clang::Decl*> open;
  for (auto& [declaration, node] : nodes_) {
    written_.insert(node.own.written.begin(), node.own.written.end());
    for (const clang::Decl* next : node.next) before[next].push_back(declaration);
    node.leads = !node.own.records.empty();
    if (node.leads) open.push_back(declaration);
  }
  while (!open.empty()) {
    const clang::Decl* reached = open.back();
    open.pop_back();
    for (const clang::Decl* one : before[reached]) {
      if (std::exchange(nodes_[one].leads, true)) continue;
      open.push_back(one);
    }
  }
  std::set<const clang::Decl*> seen;
  for (const clang::FunctionDecl* function : functions_) {
    if (!IsOpen(function) || function->isMain()) continue;
    if (seen.insert(function->getCanonicalDecl()).second) {
      open.push_back(function->getCanonicalDecl());
    }
  }
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    exposed_.insert(node.own.written.begin(), node.own.written.end());
    for (const clang::Decl* next : node.next) {
      // The initializer of a variable runs once, no matter where the variable is mentioned.
      if (llvm::isa<clang::VarDecl>(next)) continue;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
}

bool Effects::Leads(const clang::Decl* declaration) const {
  auto found = nodes_.find(declaration->getCanonicalDecl());
  return found != nodes_.end() && found->second.leads;
}

const Reach& Effects::Of(const clang::Decl* declaration) const {
  auto [known, fresh] = reaches_.try_emplace(declaration->getCanonicalDecl());
  Reach& reach = known->second;
  if (!fresh) return reach;
  std::set<const clang::Decl*> seen{declaration->getCanonicalDecl()};
  std::vector<const clang::Decl*> open{declaration->getCanonicalDecl()};
  while (!open.empty()) {
    auto found = nodes_.find(open.back());
    open.pop_back();
    if (found == nodes_.end()) continue;
    const Node& node = found->second;
    reach.records.insert(node.own.records.begin(), node.own.records.end());
    reach.written.insert(node.own.written.begin(), node.own.written.end());
    for (const clang::Decl* next : node.next) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return reach;
}

std::set<int> Effects::In(const std::function<bool(const clang::Decl*)>& runs) const {
  std::set<int> records;
  for (const auto& [declaration, node] : nodes_) {
    if (runs(declaration)) records.insert(node.own.records.begin(), node.own.records.end());
  }
  return records;
}

bool Effects::IsConst(const clang::VarDecl* variable) {
  return variable->getType().getNonReferenceType().isConstant(variable->getASTContext());
}

bool Effects::IsConstant(const clang::VarDecl* variable) const {
  const clang::QualType type = variable->getType();
  const bool fixed = type->isReferenceType() || !variable->isExternallyVisible() ||
                     type.isConstQualified() || type.isConstant(variable->getASTContext());
  return fixed && IsDeeplyConst(type) && !written_.contains(variable->getCanonicalDecl());
}

bool Effects::IsExposed(const clang::VarDecl* variable) const {
  return exposed_.contains(variable->getCanonicalDecl());
}

bool Effects::IsSeen(const clang::VarDecl* variable) const {
  const bool own = variable->isInline() && !included_;
  return (variable->isExternallyVisible() && !own) || IsExposed(variable);
}

}  // namespace opledger::scan::ast

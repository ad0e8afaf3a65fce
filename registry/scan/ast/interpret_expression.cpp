// Evaluates expressions.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

constexpr int kDeepest = 1'500;  // nested expressions, including calls

bool IsCharacters(clang::QualType type) {
  const clang::ArrayType* array = type->getAsArrayTypeUnsafe();
  return array != nullptr && array->getElementType()->isAnyCharacterType();
}

}  // namespace

std::optional<bool> Interpreter::Truth(const Cell& cell) const {
  switch (cell->kind) {
    case ValueKind::kNumber:
      return cell->number != 0;
    case ValueKind::kString:
    case ValueKind::kPointer:
    case ValueKind::kFunction:
      return true;  // a non-null pointer
    default:
      return std::nullopt;
  }
}

// Returns nullopt if the value is unknown; what depends on it is then uncertain.
std::optional<bool> Interpreter::Decide(const clang::Expr* condition) {
  const std::string before = std::exchange(why_, {});
  const Cell cell = Evaluate(condition);
  const std::optional<bool> known = Truth(cell);
  if (!known) Doubt(*cell);
  if (!before.empty()) why_ = before;
  return known;
}

Cell Interpreter::Evaluate(const clang::Expr* expression) {
  if (expression == nullptr || !Spend()) return NewCell();
  if (depth_ >= kDeepest) {
    Fail("calls are nested too deeply");
    return NewCell();
  }
  ++depth_;
  Cell cell = EvaluateKnownKinds(expression);
  --depth_;
  return cell;
}

// Uses Clang's own evaluator: sizeof, type traits, template arguments.
Cell Interpreter::Constant(const clang::Expr* expression) {
  clang::Expr::EvalResult result;
  const bool scalar = !expression->isValueDependent() && !expression->containsErrors() &&
                      expression->getType()->isIntegralOrEnumerationType();
  if (scalar && expression->EvaluateAsInt(result, context_) && !result.HasSideEffects) {
    return NewCell(Number(result.Val.getInt().getExtValue()));
  }
  const bool broken = expression->containsErrors();
  losing_ = "it is used by an expression that cannot be followed";
  for (const clang::Stmt* child : expression->children()) LoseMentioned(child);
  if (broken) {  // its text names more than its remaining children do
    LoseText(broken_.Text(expression->getBeginLoc(), expression->getEndLoc(), false));
  }
  return Unknown(broken ? "an expression does not compile" : "an expression cannot be followed");
}

// Evaluates literals and expressions that create or destroy objects.
Cell Interpreter::EvaluateMaking(const clang::Expr* expression) {
  using clang::Stmt;
  switch (expression->getStmtClass()) {
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
      return Construct(llvm::cast<clang::CXXConstructExpr>(expression));
    case Stmt::InitListExprClass:
      return Braces(llvm::cast<clang::InitListExpr>(expression));
    case Stmt::LambdaExprClass:
      return Lambda(llvm::cast<clang::LambdaExpr>(expression));
    case Stmt::CXXNewExprClass:
      return New(llvm::cast<clang::CXXNewExpr>(expression));
    case Stmt::CXXDeleteExprClass:
      Lose(Dereference(*Evaluate(llvm::cast<clang::CXXDeleteExpr>(expression)->getArgument())));
      return NewCell();
    case Stmt::StmtExprClass:
      Fail("a statement in an expression cannot be followed");
      return NewCell();
    case Stmt::CXXThrowExprClass:
      return Throw(llvm::cast<clang::CXXThrowExpr>(expression));
    case Stmt::CXXParenListInitExprClass:
      return Aggregate(expression->getType(),
                       llvm::cast<clang::CXXParenListInitExpr>(expression)->getInitExprs());
    case Stmt::CXXInheritedCtorInitExprClass:
      Fail("an inherited constructor cannot be followed");
      return NewCell();
    default:
      if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) return Cast(cast);
      return Literal(expression);
  }
}

Cell Interpreter::EvaluateKnownKinds(const clang::Expr* expression) {
  using clang::Stmt;
  switch (expression->getStmtClass()) {
    case Stmt::ParenExprClass:
    case Stmt::ExprWithCleanupsClass:
    case Stmt::ConstantExprClass:
    case Stmt::MaterializeTemporaryExprClass:
    case Stmt::CXXBindTemporaryExprClass:
    case Stmt::CXXStdInitializerListExprClass:
    case Stmt::SubstNonTypeTemplateParmExprClass:
    case Stmt::CXXRewrittenBinaryOperatorClass:
      for (const Stmt* child : expression->children()) {
        return Evaluate(llvm::cast<clang::Expr>(child));
      }
      return NewCell();
    case Stmt::CXXDefaultArgExprClass:
      return Evaluate(llvm::cast<clang::CXXDefaultArgExpr>(expression)->getExpr());
    case Stmt::CXXDefaultInitExprClass:
      return Evaluate(llvm::cast<clang::CXXDefaultInitExpr>(expression)->getExpr());
    case Stmt::DeclRefExprClass:
      return Name(llvm::cast<clang::DeclRefExpr>(expression)->getDecl());
    case Stmt::MemberExprClass:
      return Member(llvm::cast<clang::MemberExpr>(expression));
    case Stmt::CXXThisExprClass:
      return This();
    case Stmt::UnaryOperatorClass:
      return Unary(llvm::cast<clang::UnaryOperator>(expression));
    case Stmt::BinaryOperatorClass:
    case Stmt::CompoundAssignOperatorClass:
      return Binary(llvm::cast<clang::BinaryOperator>(expression));
    case Stmt::ConditionalOperatorClass:
      return Choice(llvm::cast<clang::ConditionalOperator>(expression));
    case Stmt::ArraySubscriptExprClass: {
      const auto* subscript = llvm::cast<clang::ArraySubscriptExpr>(expression);
      const Cell base = Evaluate(subscript->getBase());
      const Cell index = Evaluate(subscript->getIdx());
      return Dereference(
          *Arithmetic(clang::BO_Add, *base, *index, subscript->getBase()->getType()));
    }
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass:
      return Call(llvm::cast<clang::CallExpr>(expression));
    default:
      return EvaluateMaking(expression);
  }
}

Cell Interpreter::Zero(clang::QualType type) {
  if (type->isScalarType()) return NewCell(Number(0));
  const clang::ConstantArrayType* array = context_.getAsConstantArrayType(type);
  const std::uint64_t size =
      array != nullptr ? array->getSize().getLimitedValue(kMaxItems + 1) : kMaxItems + 1;
  if (size > kMaxItems || !array->getElementType()->isScalarType() || IsCharacters(type)) {
    return Unknown("a value-initialized object cannot be followed");
  }
  Value made = List();
  for (std::uint64_t i = 0; i < size; ++i) made.items.push_back(NewCell(Number(0)));
  return NewCell(std::move(made));
}

Cell Interpreter::New(const clang::CXXNewExpr* made) {
  for (unsigned i = 0; i < made->getNumPlacementArgs(); ++i) {
    Lose(Dereference(*Evaluate(made->getPlacementArg(i))));
  }
  const clang::Expr* initial = made->isArray() ? nullptr : made->getInitializer();
  return NewCell(PointerTo(initial != nullptr
                               ? Evaluate(initial)
                               : Unknown("the contents of an array from new[] are unknown")));
}

// If a throw may or may not be reached, the path that reaches it registers nothing more.
Cell Interpreter::Throw(const clang::CXXThrowExpr* thrown) {
  if (thrown->getSubExpr() != nullptr) LosePointees(*Evaluate(thrown->getSubExpr()));
  ++not_followed_;
  if (tries_ > 0 || Uncertain() == nullptr) Fail("an exception cannot be followed");
  return NewCell();
}

Cell Interpreter::Literal(const clang::Expr* expression) {
  using clang::Stmt;
  switch (expression->getStmtClass()) {
    case Stmt::IntegerLiteralClass:
      return NewCell(Number(static_cast<long long>(
          llvm::cast<clang::IntegerLiteral>(expression)->getValue().getLimitedValue())));
    case Stmt::CharacterLiteralClass:
      return NewCell(Number(llvm::cast<clang::CharacterLiteral>(expression)->getValue()));
    case Stmt::CXXBoolLiteralExprClass:
      return NewCell(Number(llvm::cast<clang::CXXBoolLiteralExpr>(expression)->getValue()));
    case Stmt::CXXNullPtrLiteralExprClass:
      return NewCell(Number(0));
    case Stmt::StringLiteralClass: {
      const auto* literal = llvm::cast<clang::StringLiteral>(expression);
      if (literal->getCharByteWidth() != 1) return Unknown("wide strings are not followed");
      return NewCell(Text(literal->getString().str()));
    }
    case Stmt::PredefinedExprClass:
      return Evaluate(llvm::cast<clang::PredefinedExpr>(expression)->getFunctionName());
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::ImplicitValueInitExprClass:
      return Zero(expression->getType());
    default:
      return Constant(expression);
  }
}

Cell Interpreter::Choice(const clang::ConditionalOperator* choice) {
  const std::optional<bool> known = Decide(choice->getCond());
  if (known) return Evaluate(*known ? choice->getTrueExpr() : choice->getFalseExpr());
  for (const clang::Expr* arm : {choice->getTrueExpr(), choice->getFalseExpr()}) {
    RunUncertain([&] {
      const Cell cell = Evaluate(arm);
      // Code that changes the chosen operand may change this one.
      const bool changes = arm->isGLValue() && !arm->getType().isConstQualified();
      changes ? Lose(cell) : LosePointees(*cell);
    });
  }
  return Unknown("a condition is unknown");
}

Cell Interpreter::This() {
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->around.get()) {
    if (frame->self) return NewCell(PointerTo(frame->self));
  }
  return Unknown("the object of a method call is unknown");
}

Cell Interpreter::Cast(const clang::CastExpr* cast) {
  Cell cell = Evaluate(cast->getSubExpr());
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue:
      return NewCell(Copied(*cell));
    case clang::CK_ArrayToPointerDecay:
      return Decayed(cast, cell);
    case clang::CK_NullToPointer:
      return NewCell(Number(0));
    case clang::CK_IntegralToBoolean:
    case clang::CK_PointerToBoolean: {
      const std::optional<bool> truth = Truth(cell);
      return truth ? NewCell(Number(*truth)) : cell;
    }
    case clang::CK_IntegralCast:
      if (!cell->Is(ValueKind::kNumber)) return cell;
      return NewCell(Number(InType(cell->number, cast->getType())));
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
    case clang::CK_ToVoid:
      return cell;
    default:
      break;
  }
  clang::Expr::EvalResult result;
  const bool scalar = !cast->isValueDependent() && !cast->containsErrors() &&
                      cast->getType()->isIntegralOrEnumerationType();
  if (scalar && cast->EvaluateAsInt(result, context_) && !result.HasSideEffects) {
    return NewCell(Number(result.Val.getInt().getExtValue()));
  }
  cast->isGLValue() ? Lose(cell) : LosePointees(*cell);
  return Unknown("a conversion cannot be followed");
}

// Converts an array to a pointer to its first item or character.
Cell Interpreter::Decayed(const clang::CastExpr* cast, const Cell& cell) {
  if (cell->Is(ValueKind::kList)) return NewCell(PointerToItem(cell, 0));
  if (!cell->Is(ValueKind::kString)) return cell;
  if (!cast->getType()->getPointeeType().isConstQualified()) {
    return NewCell(PointerToItem(cell, 0));  // code that receives it may change the characters
  }
  return NewCell(Text(cell->text.substr(0, cell->text.find('\0'))));
}

// Converts a number to the range of the type.
long long Interpreter::InType(long long number, clang::QualType type) const {
  if (type->isBooleanType()) return number != 0;
  llvm::APInt bits(64, static_cast<std::uint64_t>(number));
  bits = bits.zextOrTrunc(static_cast<unsigned>(context_.getIntWidth(type)));
  return type->isSignedIntegerOrEnumerationType() ? bits.getSExtValue()
                                                  : static_cast<long long>(bits.getZExtValue());
}

Cell Interpreter::Name(const clang::ValueDecl* declaration) {
  if (const auto* constant = llvm::dyn_cast<clang::EnumConstantDecl>(declaration)) {
    const auto* type = llvm::cast<clang::EnumDecl>(constant->getDeclContext());
    if (!broken_.Around(type->getSourceRange()).empty()) {
      return Unknown("an enumeration does not compile");
    }
    return NewCell(Number(constant->getInitVal().getExtValue()));
  }
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    Value value;
    value.kind = ValueKind::kFunction;
    value.function = function;
    return NewCell(value);
  }
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->around.get()) {
    auto found = frame->variables.find(declaration);
    if (found == frame->variables.end()) continue;
    const Value& value = *found->second;
    if (value.Is(ValueKind::kUnknown) && why_.empty()) why_ = value.text;
    return found->second;
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
  if (variable != nullptr && variable->hasGlobalStorage()) return Global(variable);
  return Unknown("'" + declaration->getNameAsString() + "' is unknown here");
}

// Returns why the variable's value may differ from what running the initializers in order gives.
// Empty if it does not.
std::string Interpreter::WhyChanged(const clang::VarDecl* variable) const {
  const std::string name = "'" + variable->getNameAsString() + "'";
  if (lost_globals_.contains(variable->getCanonicalDecl())) {
    return name + " is passed to code that is not followed";
  }
  if (!at_start_) return name + " is not const, so it may have changed";
  if (effects_.IsExposed(variable))
    return name + " is changed by functions that other files may call";
  if (variable->getTLSKind() != clang::VarDecl::TLS_None) return name + " is thread-local";
  if (variable->isExternallyVisible() && not_followed_ > 0) {
    return name + " may be changed by code that is not followed";
  }
  return world_;
}

// Evaluates a constant on first use. Other variables are evaluated in their turn.
Cell Interpreter::Global(const clang::VarDecl* variable) {
  const clang::VarDecl* definition = nullptr;
  const clang::Expr* initial = variable->getAnyInitializer(definition);
  const std::string name = variable->getNameAsString();
  const clang::Decl* key = variable->getCanonicalDecl();
  const bool constant = effects_.IsConstant(variable) && !lost_globals_.contains(key);
  const std::string changed = constant ? std::string() : WhyChanged(variable);
  if (!changed.empty()) return Unknown(changed);
  auto known = globals_.find(key);
  const bool first = at_start_ && known != globals_.end();
  if (first || (known != globals_.end() && IsPlain(*known->second))) return known->second;
  if (!at_start_) {
    known = later_.find(key);
    if (known != later_.end()) return known->second;
  }
  if (initial == nullptr && !broken_.Around(variable->getSourceRange()).empty()) {
    return Unknown("'" + name + "' does not compile");
  }
  if (initial == nullptr) {
    const bool zero = variable->hasDefinition() != clang::VarDecl::DeclarationOnly &&
                      variable->getType()->isIntegralOrEnumerationType();
    if (!zero) return Unknown("'" + name + "' has no value known here");
    return globals_[key] = NewCell(Number(0));
  }
  if (variable->isInvalidDecl() || definition->isInvalidDecl()) {
    return Unknown("the initializer of '" + name + "' does not compile");
  }
  const bool early = definition->hasConstantInitialization();
  const bool local = definition->isStaticLocal();
  if (at_start_ && !early && !local && !begun_.contains(key)) {
    return Unknown("'" + name + "' is used before its initialisation");
  }
  if (!initialising_.insert(key).second) return Unknown("'" + name + "' depends on itself");
  const auto frame = std::exchange(frame_, std::make_shared<Frame>());
  Cell cell = Evaluate(initial);
  frame_ = frame;
  initialising_.erase(key);
  const bool shares = variable->getType()->isReferenceType();
  if (!shares && initial->isGLValue()) cell = NewCell(Copied(*cell));
  if (local && !early && Uncertain() != nullptr)
    cell = Unknown("whether '" + name + "' is initialized is unknown");
  return (at_start_ ? globals_ : later_)[key] = cell;
}

Cell Interpreter::FieldOf(const Cell& object, const clang::FieldDecl* field) {
  if (!object->Is(ValueKind::kObject)) {
    Value part;  // its arguments are already lost, but other items of a list are not
    part.whole = object->whole;
    Unknown("the object with field '" + field->getNameAsString() + "' is unknown");
    return NewCell(std::move(part));
  }
  if (field->isBitField()) return Unknown("bit fields are not followed");
  if (field->getParent()->isUnion()) return Unknown("unions are not followed");
  Cell& cell = object->fields[field->getCanonicalDecl()];
  if (!cell) cell = NewCell();
  return cell;
}

Cell Interpreter::Member(const clang::MemberExpr* member) {
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl())) {
    Evaluate(member->getBase());
    return Global(variable);
  }
  Cell base = Evaluate(member->getBase());
  if (member->isArrow()) base = Dereference(*base);
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field != nullptr ? FieldOf(base, field) : Name(member->getMemberDecl());
}

Cell Interpreter::Dereference(const Value& pointer) {
  if (pointer.Is(ValueKind::kFunction)) return NewCell(pointer);
  if (pointer.Is(ValueKind::kString)) return Dereference(PointerToItem(NewCell(pointer), 0));
  if (!pointer.Is(ValueKind::kPointer)) return Unknown("a pointer is unknown");
  if (!pointer.to_item) return pointer.target;
  const Cell& whole = pointer.target;
  if (pointer.anywhere) {
    Unknown("the index of an item is unknown");
    for (const Cell& item : whole->items) LosePointees(*item);
    return NewCell(SomeItemOf(whole));
  }
  if (whole->Is(ValueKind::kString) && pointer.number >= 0 &&
      pointer.number <= std::ssize(whole->text)) {
    const auto at = static_cast<std::size_t>(pointer.number);
    Value character = Number(at < whole->text.size() ? whole->text[at] : 0);
    character.whole = whole;
    character.place = pointer.number;
    return NewCell(std::move(character));
  }
  const bool inside = pointer.number >= 0 && whole->Is(ValueKind::kList) &&
                      pointer.number < std::ssize(whole->items);
  if (!inside) return Unknown("a pointer is outside its array");
  return whole->items[static_cast<std::size_t>(pointer.number)];
}

Cell Interpreter::AddressOf(const Cell& cell) {
  if (cell->whole && cell->place >= 0) return NewCell(PointerToItem(cell->whole, cell->place));
  if (cell->Is(ValueKind::kFunction)) return cell;
  return NewCell(PointerTo(cell));
}

Cell Interpreter::Unary(const clang::UnaryOperator* operation) {
  Cell cell = Evaluate(operation->getSubExpr());
  const clang::UnaryOperatorKind kind = operation->getOpcode();
  const clang::QualType type = operation->getType();
  if (kind == clang::UO_AddrOf) return AddressOf(cell);
  if (kind == clang::UO_Deref) return Dereference(*cell);
  if (kind == clang::UO_LNot) {
    const std::optional<bool> truth = Truth(cell);
    return truth ? NewCell(Number(!*truth)) : cell;
  }
  if (operation->isIncrementDecrementOp()) {
    const Value before = Copied(*cell);
    const auto step = operation->isIncrementOp() ? clang::BO_Add : clang::BO_Sub;
    const bool narrow = type->isIntegralOrEnumerationType() && context_.getIntWidth(type) < 32;
    const clang::QualType computed = narrow ? clang::QualType(context_.IntTy) : type;
    Value after = Copied(*Arithmetic(step, before, Number(1), computed));
    const bool small = type->isIntegralOrEnumerationType() && after.Is(ValueKind::kNumber);
    if (small) after.number = InType(after.number, type);
    Store(cell, std::move(after));
    return operation->isPrefix() ? cell : NewCell(before);
  }
  if (kind == clang::UO_Plus || kind == clang::UO_Extension) return cell;
  if (!cell->Is(ValueKind::kNumber)) return Unknown("an operand is unknown");
  if (kind == clang::UO_Minus) return Arithmetic(clang::BO_Sub, Number(0), *cell, type);
  if (kind == clang::UO_Not) return NewCell(Number(InType(~cell->number, type)));
  return Unknown("an operator cannot be followed");
}

Cell Interpreter::Assign(const clang::BinaryOperator* operation) {
  const Cell right = Evaluate(operation->getRHS());
  Cell left = Evaluate(operation->getLHS());
  if (!operation->isCompoundAssignmentOp()) {
    Store(left, Copied(*right));
    return left;
  }
  const auto* compound = llvm::cast<clang::CompoundAssignOperator>(operation);
  const auto kind = clang::BinaryOperator::getOpForCompoundAssignment(operation->getOpcode());
  Value before = Copied(*left);
  const clang::QualType type = operation->getLHS()->getType();
  const clang::QualType computed = compound->getComputationResultType();
  const bool whole = type->isIntegralOrEnumerationType();
  if (whole && !computed->isIntegralOrEnumerationType()) {
    Store(left, *Unknown("floating-point values are not followed"));
    return left;
  }
  if (whole && before.Is(ValueKind::kNumber)) {
    before.number = InType(before.number, compound->getComputationLHSType());
  }
  Value after = Copied(*Arithmetic(kind, before, *right, computed));
  if (whole && after.Is(ValueKind::kNumber)) after.number = InType(after.number, type);
  Store(left, std::move(after));
  return left;
}

Cell Interpreter::Binary(const clang::BinaryOperator* operation) {
  if (operation->isAssignmentOp()) return Assign(operation);
  const clang::BinaryOperatorKind kind = operation->getOpcode();
  if (kind == clang::BO_LAnd || kind == clang::BO_LOr) {
    const std::optional<bool> left = Decide(operation->getLHS());
    if (left && *left == (kind == clang::BO_LOr)) return NewCell(Number(*left));
    std::optional<bool> right;
    if (left) {
      right = Truth(Evaluate(operation->getRHS()));
    } else {
      RunUncertain([&] { right = Truth(Evaluate(operation->getRHS())); });
    }
    if (right && (left || *right == (kind == clang::BO_LOr))) return NewCell(Number(*right));
    return NewCell();
  }
  const Cell left = Evaluate(operation->getLHS());
  Cell right = Evaluate(operation->getRHS());
  if (kind == clang::BO_Comma) return right;
  if (operation->isPtrMemOp()) {
    Lose(left);
    LosePointees(*right);
    return Unknown("pointers to members are not followed");
  }
  const clang::Expr* typed = operation->isComparisonOp() ? operation->getLHS() : operation;
  return Arithmetic(kind, *left, *right, typed->getType());
}

Cell Interpreter::Braces(const clang::InitListExpr* list) {
  if (list->isTransparent() && list->getNumInits() == 1) return Evaluate(list->getInit(0));
  const clang::QualType type = list->getType();
  if (type->isScalarType()) {
    return list->getNumInits() == 1 ? Evaluate(list->getInit(0)) : NewCell(Number(0));
  }
  if (!type->isArrayType()) return Aggregate(type, list->inits());
  const auto* array = context_.getAsConstantArrayType(type);
  const std::uint64_t size = array != nullptr ? array->getSize().getLimitedValue(kMaxItems + 1) : 0;
  if (size > kMaxItems) return Unknown("an array is too long");
  if (IsCharacters(type)) return Characters(list);
  Value made = List();
  for (const clang::Expr* item : list->inits()) {
    made.items.push_back(NewCell(Copied(*Evaluate(item))));
  }
  while (made.items.size() < size && failed_.empty()) {
    const clang::Expr* filler = list->getArrayFiller();
    made.items.push_back(filler != nullptr ? NewCell(Copied(*Evaluate(filler))) : NewCell());
  }
  return NewCell(std::move(made));
}

// char name[8] = {'a', 'b'}
Cell Interpreter::Characters(const clang::InitListExpr* list) {
  if (list->getNumInits() == 1 && llvm::isa<clang::StringLiteral>(list->getInit(0))) {
    return Evaluate(list->getInit(0));
  }
  std::string text;
  for (const clang::Expr* item : list->inits()) {
    const Cell character = Evaluate(item);
    if (!character->Is(ValueKind::kNumber)) return Unknown("a character is unknown");
    text += static_cast<char>(character->number);
  }
  const clang::ConstantArrayType* array = context_.getAsConstantArrayType(list->getType());
  const std::uint64_t size = array != nullptr ? array->getSize().getLimitedValue() : 0;
  if (size > kMaxItems) return Unknown("an array is too long");
  if (text.size() < size) text.resize(size);  // pads with zeros
  return NewCell(Text(std::move(text)));
}

// Initializes bases and fields in their order.
Cell Interpreter::Aggregate(clang::QualType type, llvm::ArrayRef<clang::Expr*> initials) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->isUnion()) {
    for (const clang::Expr* initial : initials) LoseMentioned(initial);
    return Unknown("braces initialize a type that cannot be followed");
  }
  Value made;
  made.kind = ValueKind::kObject;
  made.type = record;
  Cell object = NewCell(std::move(made));
  std::size_t at = 0;
  for (unsigned base = 0; base < record->getNumBases() && at < initials.size(); ++base) {
    const Cell part = Evaluate(initials[at++]);
    for (const auto& [field, cell] : part->fields) object->fields[field] = cell;
  }
  for (const clang::FieldDecl* field : record->fields()) {
    if (at >= initials.size() || (field->isBitField() && !field->getDeclName())) break;
    const clang::Expr* initial = initials[at++];
    const bool own = llvm::isa<clang::CXXDefaultInitExpr>(initial);
    const auto frame = frame_;
    if (own) {  // may use earlier fields
      frame_ = std::make_shared<Frame>();
      frame_->self = object;
    }
    const Cell cell = Evaluate(initial);
    frame_ = frame;
    const bool shares = field->getType()->isReferenceType();
    object->fields[field->getCanonicalDecl()] = shares ? cell : NewCell(Copied(*cell));
  }
  Made(record, object);
  return object;
}

Cell Interpreter::Lambda(const clang::LambdaExpr* lambda) {
  Value made;
  made.kind = ValueKind::kFunction;
  made.function = lambda->getCallOperator();
  made.captured = std::make_shared<Frame>();
  made.captured->around = frame_;
  auto initial = lambda->capture_init_begin();
  for (const clang::LambdaCapture& capture : lambda->captures()) {
    const clang::Expr* value = *initial++;
    if (!capture.capturesVariable() || value == nullptr) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    const bool copies = capture.getCaptureKind() == clang::LCK_ByCopy;
    if (variable == nullptr) continue;
    const clang::Expr* own = variable->isInitCapture() ? variable->getInit() : value;
    const Cell cell = Evaluate(own);
    made.captured->variables[variable] = copies ? NewCell(Copied(*cell)) : cell;
    if (copies) made.captured->own.insert(variable);
  }
  return NewCell(std::move(made));
}

}  // namespace opledger::scan::ast

// Expressions.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

constexpr long kMaxSteps = 1'000'000;
constexpr int kDeepest = 1'500;  // expressions inside expressions, calls included
constexpr std::size_t kMaxTextLength = 1 << 16;

bool IsCharacters(clang::QualType type) {
  const clang::Type* element = type->getPointeeOrArrayElementType();
  return element != nullptr && element->isAnyCharacterType();
}

}  // namespace

Value Copied(const Value& value) {
  Value copy = value;
  for (Cell& item : copy.items) item = NewCell(Copied(*item));
  for (auto& [field, cell] : copy.fields) cell = NewCell(Copied(*cell));
  return copy;
}

bool Interpreter::Spend() {
  if (++steps_ > kMaxSteps) exceeded_ = true;
  return !exceeded_;
}

Cell Interpreter::Unknown(const std::string& why) {
  if (why_.empty()) why_ = why;
  return NewCell();
}

void Interpreter::Store(const Cell& cell, Value value) {
  *cell = std::move(value);
  if (cell->text.size() > kMaxTextLength) *cell = Value();
  MarkModified(cell);
}

// After a change.
void Interpreter::MarkModified(const Cell& cell) {
  for (UncertainRegion* region : uncertain_regions_) {
    if (region->active) region->stored.push_back(cell);
  }
}

std::optional<bool> Interpreter::Truth(const Cell& cell) const {
  switch (cell->kind) {
    case ValueKind::kNumber:
      return cell->number != 0;
    case ValueKind::kString:
    case ValueKind::kPointer:
    case ValueKind::kFunction:
      return true;  // a pointer to something
    default:
      return std::nullopt;
  }
}

Cell Interpreter::Evaluate(const clang::Expr* expression) {
  if (expression == nullptr || !Spend()) return NewCell();
  if (depth_ >= kDeepest) {
    exceeded_ = true;
    return NewCell();
  }
  ++depth_;
  Cell cell = EvaluateKnownKinds(expression);
  --depth_;
  return cell;
}

// What Clang's own evaluator makes of it: sizeof, traits, what stands for a template's arguments.
Cell Interpreter::Constant(const clang::Expr* expression) {
  clang::Expr::EvalResult result;
  const bool scalar = !expression->isValueDependent() && !expression->containsErrors() &&
                      expression->getType()->isIntegralOrEnumerationType();
  if (scalar && expression->EvaluateAsInt(result, context_) && !result.HasSideEffects) {
    return NewCell(Number(result.Val.getInt().getExtValue()));
  }
  if (expression->containsErrors()) return Unknown("an expression does not compile");
  return Unknown("an expression cannot be followed");
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
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
      return Construct(llvm::cast<clang::CXXConstructExpr>(expression));
    case Stmt::InitListExprClass:
      return Braces(llvm::cast<clang::InitListExpr>(expression));
    case Stmt::LambdaExprClass:
      return Lambda(llvm::cast<clang::LambdaExpr>(expression));
    case Stmt::CXXNewExprClass: {
      const auto* made = llvm::cast<clang::CXXNewExpr>(expression);
      const clang::Expr* initial = made->isArray() ? nullptr : made->getInitializer();
      return NewCell(PointerTo(initial != nullptr ? Evaluate(initial) : Unknown("an array made")));
    }
    default:
      if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) return Cast(cast);
      return Literal(expression);
  }
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
      if (literal->getCharByteWidth() != 1) return Unknown("a string of wide characters");
      return NewCell(Text(literal->getString().str()));
    }
    case Stmt::PredefinedExprClass:
      return Evaluate(llvm::cast<clang::PredefinedExpr>(expression)->getFunctionName());
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::ImplicitValueInitExprClass:
      if (expression->getType()->isScalarType()) return NewCell(Number(0));
      return Unknown("a value has no constructor arguments");
    default:
      return Constant(expression);
  }
}

Cell Interpreter::Choice(const clang::ConditionalOperator* choice) {
  const std::optional<bool> known = Truth(Evaluate(choice->getCond()));
  if (known) return Evaluate(*known ? choice->getTrueExpr() : choice->getFalseExpr());
  RunUncertain([&] { Evaluate(choice->getTrueExpr()); });
  RunUncertain([&] { Evaluate(choice->getFalseExpr()); });
  return Unknown("a condition is unknown");
}

Cell Interpreter::This() {
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->around.get()) {
    if (frame->self) return NewCell(PointerTo(frame->self));
  }
  return Unknown("of which object a method is called is unknown");
}

Cell Interpreter::Cast(const clang::CastExpr* cast) {
  Cell cell = Evaluate(cast->getSubExpr());
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue:
      return NewCell(Copied(*cell));
    case clang::CK_ArrayToPointerDecay:
      return cell->Is(ValueKind::kList) ? NewCell(PointerToItem(cell, 0)) : cell;
    case clang::CK_NullToPointer:
      return NewCell(Number(0));
    case clang::CK_IntegralToBoolean:
    case clang::CK_PointerToBoolean: {
      const std::optional<bool> truth = Truth(cell);
      return truth ? NewCell(Number(*truth)) : cell;
    }
    case clang::CK_IntegralCast: {
      if (!cell->Is(ValueKind::kNumber)) return cell;
      llvm::APInt number(64, static_cast<std::uint64_t>(cell->number));
      const unsigned width = static_cast<unsigned>(context_.getIntWidth(cast->getType()));
      number = number.zextOrTrunc(width);
      const bool is_signed = cast->getType()->isSignedIntegerOrEnumerationType();
      return NewCell(Number(is_signed ? number.getSExtValue()
                                      : static_cast<long long>(number.getZExtValue())));
    }
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_Dynamic:
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
    case clang::CK_ToVoid:
      return cell;
    default:
      return cell->Is(ValueKind::kUnknown) ? cell : Constant(cast);
  }
}

Cell Interpreter::Name(const clang::ValueDecl* declaration) {
  if (const auto* constant = llvm::dyn_cast<clang::EnumConstantDecl>(declaration)) {
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
    if (found != frame->variables.end()) return found->second;
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
  if (variable != nullptr && variable->hasGlobalStorage()) return Global(variable);
  return Unknown("'" + declaration->getNameAsString() + "' is unknown here");
}

// Evaluated when first asked for. What anybody may have changed meanwhile is unknown.
Cell Interpreter::Global(const clang::VarDecl* variable) {
  const clang::VarDecl* definition = nullptr;
  const clang::Expr* initial = variable->getAnyInitializer(definition);
  const std::string name = variable->getNameAsString();
  if (initial == nullptr) return Unknown("'" + name + "' has no value that is known here");
  const clang::QualType type = variable->getType();
  const bool lasting = type.isConstant(context_) || type->isReferenceType() ||
                       type.isConstQualified() ||
                       (type->isArrayType() && !variable->isExternallyVisible());
  if (!at_start_ && !lasting && !variable->isStaticLocal()) {
    return Unknown("'" + name + "' is not const, so it may have changed");
  }
  auto known = globals_.find(definition);
  if (known != globals_.end()) return known->second;
  if (!initialising_.insert(definition).second) return Unknown("'" + name + "' depends on itself");
  const auto frame = std::exchange(frame_, std::make_shared<Frame>());
  Cell cell = Evaluate(initial);
  frame_ = frame;
  initialising_.erase(definition);
  if (!type->isReferenceType() && initial->isGLValue()) cell = NewCell(Copied(*cell));
  return globals_[definition] = cell;
}

Cell Interpreter::FieldOf(const Cell& object, const clang::FieldDecl* field) {
  if (!object->Is(ValueKind::kObject)) {
    return Unknown("the object that has '" + field->getNameAsString() + "' is unknown");
  }
  Cell& cell = object->fields[field->getCanonicalDecl()];
  if (!cell) cell = NewCell();
  return cell;
}

Cell Interpreter::Member(const clang::MemberExpr* member) {
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl())) {
    return Global(variable);
  }
  Cell base = Evaluate(member->getBase());
  if (member->isArrow()) base = Dereference(*base);
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field != nullptr ? FieldOf(base, field) : Name(member->getMemberDecl());
}

Cell Interpreter::Dereference(const Value& pointer) {
  if (pointer.Is(ValueKind::kFunction)) return NewCell(pointer);
  if (pointer.Is(ValueKind::kString)) {  // its first character
    return NewCell(Number(pointer.text.empty() ? 0 : pointer.text.front()));
  }
  if (!pointer.Is(ValueKind::kPointer)) return Unknown("a pointer is unknown");
  if (!pointer.to_item) return pointer.target;
  const bool inside = pointer.number >= 0 && pointer.target->Is(ValueKind::kList) &&
                      pointer.number < std::ssize(pointer.target->items);
  if (!inside) return Unknown("a pointer is outside its array");
  return pointer.target->items[static_cast<std::size_t>(pointer.number)];
}

Cell Interpreter::Unary(const clang::UnaryOperator* operation) {
  const Cell cell = Evaluate(operation->getSubExpr());
  const clang::UnaryOperatorKind kind = operation->getOpcode();
  if (kind == clang::UO_AddrOf) return NewCell(PointerTo(cell));
  if (kind == clang::UO_Deref) return Dereference(*cell);
  if (kind == clang::UO_LNot) {
    const std::optional<bool> truth = Truth(cell);
    return truth ? NewCell(Number(!*truth)) : cell;
  }
  if (operation->isIncrementDecrementOp()) {
    const Value before = *cell;
    const clang::QualType type = operation->getSubExpr()->getType();
    const auto step = operation->isIncrementOp() ? clang::BO_Add : clang::BO_Sub;
    Store(cell, *Arithmetic(step, before, Number(1), type));
    return operation->isPrefix() ? cell : NewCell(before);
  }
  if (kind == clang::UO_Plus || kind == clang::UO_Extension || !cell->Is(ValueKind::kNumber))
    return cell;
  if (kind == clang::UO_Minus) {
    return NewCell(Number(static_cast<long long>(0ULL - static_cast<std::uint64_t>(cell->number))));
  }
  return kind == clang::UO_Not ? NewCell(Number(~cell->number)) : NewCell();
}

Cell Interpreter::Assign(const clang::BinaryOperator* operation) {
  const Cell right = Evaluate(operation->getRHS());
  const Cell left = Evaluate(operation->getLHS());
  if (!operation->isCompoundAssignmentOp()) {
    Store(left, Copied(*right));
    return left;
  }
  const auto kind = clang::BinaryOperator::getOpForCompoundAssignment(operation->getOpcode());
  Store(left, *Arithmetic(kind, *left, *right, operation->getLHS()->getType()));
  return left;
}

Cell Interpreter::Binary(const clang::BinaryOperator* operation) {
  if (operation->isAssignmentOp()) return Assign(operation);
  const clang::BinaryOperatorKind kind = operation->getOpcode();
  if (kind == clang::BO_LAnd || kind == clang::BO_LOr) {
    const std::optional<bool> left = Truth(Evaluate(operation->getLHS()));
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
  const Cell right = Evaluate(operation->getRHS());
  if (kind == clang::BO_Comma) return right;
  const clang::Expr* typed = operation->isComparisonOp() ? operation->getLHS() : operation;
  return Arithmetic(kind, *left, *right, typed->getType());
}

Cell Interpreter::Braces(const clang::InitListExpr* list) {
  if (list->isTransparent() && list->getNumInits() == 1) return Evaluate(list->getInit(0));
  const clang::QualType type = list->getType();
  if (type->isScalarType()) {
    return list->getNumInits() == 1 ? Evaluate(list->getInit(0)) : NewCell(Number(0));
  }
  if (type->isArrayType() && IsCharacters(type)) {
    if (list->getNumInits() == 1 && llvm::isa<clang::StringLiteral>(list->getInit(0))) {
      return Evaluate(list->getInit(0));
    }
    return Unknown("an array of single characters");
  }
  Value made;
  if (const auto* record = type->getAsCXXRecordDecl(); record != nullptr && !type->isArrayType()) {
    made.kind = ValueKind::kObject;
    made.type = record;
    unsigned at = 0;
    if (const auto* aggregate = llvm::dyn_cast<clang::CXXRecordDecl>(record)) {
      for (unsigned base = 0; base < aggregate->getNumBases() && at < list->getNumInits(); ++base) {
        const Cell part = Evaluate(list->getInit(at++));
        for (const auto& [field, cell] : part->fields) made.fields[field] = cell;
      }
    }
    for (const clang::FieldDecl* field : record->fields()) {
      if (at >= list->getNumInits() || (field->isBitField() && !field->getDeclName())) break;
      made.fields[field->getCanonicalDecl()] = NewCell(Copied(*Evaluate(list->getInit(at++))));
    }
    return NewCell(std::move(made));
  }
  if (!type->isArrayType()) return Unknown("braces initialise a type that cannot be followed");
  made.kind = ValueKind::kList;
  for (const clang::Expr* item : list->inits()) {
    made.items.push_back(NewCell(Copied(*Evaluate(item))));
  }
  const auto* array = context_.getAsConstantArrayType(type);
  const std::uint64_t size = array != nullptr ? array->getSize().getLimitedValue(100'000) : 0;
  while (made.items.size() < size) {
    const clang::Expr* filler = list->getArrayFiller();
    made.items.push_back(filler != nullptr ? Evaluate(filler) : NewCell());
  }
  return NewCell(std::move(made));
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
  }
  return NewCell(std::move(made));
}

}  // namespace opledger::scan::ast

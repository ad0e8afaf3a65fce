// Follows calls and constructs objects.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

constexpr int kMaxCallDepth = 1'200;  // counted in nested expressions, which include nested calls

// Returns whether the function may change the argument.
bool IsChangeable(clang::QualType parameter) {
  return parameter->isReferenceType() && !parameter->getPointeeType().isConstQualified();
}

bool PointsToConst(clang::QualType parameter) {
  return parameter->isPointerType() && parameter->getPointeeType().isConstQualified();
}

// A reference parameter shares the cell of its argument. Other parameters get a copy.
void BindParameters(const clang::FunctionDecl& definition, const std::vector<Cell>& arguments,
                    Frame& frame) {
  for (unsigned i = 0; i < definition.getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = definition.getParamDecl(i);
    const bool shares = parameter->getType()->isReferenceType();
    Cell cell = i < arguments.size() ? arguments[i] : NewCell();
    frame.variables[parameter] = shares ? cell : NewCell(Copied(*cell));
  }
}

void CountBases(const clang::CXXRecordDecl* type, std::map<const clang::Decl*, int>& counts) {
  if (!type->hasDefinition()) return;
  for (const clang::CXXBaseSpecifier& base : type->bases()) {
    const clang::CXXRecordDecl* parent = base.getType()->getAsCXXRecordDecl();
    if (parent == nullptr || base.isVirtual()) continue;
    ++counts[parent->getCanonicalDecl()];
    CountBases(parent, counts);
  }
}

// Objects of such a class have the same field twice, but the interpreter has one cell for each
// field.
bool RepeatsBase(const clang::CXXRecordDecl* type) {
  std::map<const clang::Decl*, int> counts;
  CountBases(type, counts);
  return std::any_of(counts.begin(), counts.end(), [](const auto& one) { return one.second > 1; });
}

}  // namespace

// Handles a call that is not followed, because the code is unknown or too large. Forgets what the
// arguments and the function's effects may change.
Cell Interpreter::NotFollowed(const clang::FunctionDecl* function, const Cell& self,
                              const Cells& arguments, const std::string& why) {
  if (function == nullptr || !function->isInStdNamespace()) ++not_followed_;
  losing_ = why;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool declared = function != nullptr && i < function->getNumParams();
    const clang::QualType type =
        declared ? function->getParamDecl(static_cast<unsigned>(i))->getType() : clang::QualType();
    if (!declared || IsChangeable(type)) {
      Lose(arguments[i]);
    } else if (!PointsToConst(type)) {
      LosePointees(*arguments[i]);
    } else if (arguments[i]->Is(ValueKind::kPointer)) {
      LosePointees(*arguments[i]->target);
    }
  }
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (self) method == nullptr || !method->isConst() ? Lose(self) : LosePointees(*self);
  if (function != nullptr) LoseReach(function, "it is called from code that is not followed");
  return Unknown(why);
}

// Accounts for the destructor of an object.
void Interpreter::Made(const clang::CXXRecordDecl* type, const Cell& object) {
  const clang::CXXDestructorDecl* destructor = type->getDestructor();
  if (destructor == nullptr || type->isInStdNamespace() || destructor->isTrivial()) return;
  LoseReach(destructor, "it is called when an object is destroyed");
  const clang::FunctionDecl* definition = nullptr;
  const clang::Stmt* body = destructor->getBody(definition);
  const bool empty = body != nullptr && body->child_begin() == body->child_end();
  if (!empty && destructor->isUserProvided()) LosePointees(*object);
}

void Interpreter::Record(const clang::CallExpr* call) {
  if (call->getNumArgs() < 2) return;
  const Cell number = Evaluate(call->getArg(0));
  why_.clear();
  Cell value = AsText(Converted(Evaluate(call->getArg(1))));
  const clang::Expr* name = call->getArg(1)->IgnoreParenImpCasts();
  if (value->Is(ValueKind::kString) && name->getType()->isArrayType() &&
      // Cut the text at its first null character, as a pointer to it would.
      !llvm::isa<clang::StringLiteral>(name)) {
    value = AsText(NewCell(PointerToItem(value, 0)));
  }
  if (muted_ > 0 || !number->Is(ValueKind::kNumber)) return;
  std::string why;
  if (!failed_.empty()) {
    why = failed_;
  } else if (!value->Is(ValueKind::kString)) {
    why = value->Is(ValueKind::kUnknown) && why_.empty() ? value->text : why_;
  } else if (const UncertainRegion* region = Uncertain()) {
    why = "whether it is registered is unknown";
    if (!region->why.empty()) why += ": " + region->why;
  }
  if (why.empty() && !value->Is(ValueKind::kString)) why = "it depends on unknown values";
  on_record_(static_cast<int>(number->number), *value, why);
}

// Converts an object that represents a name, using its only conversion to text or characters.
Cell Interpreter::Converted(const Cell& cell) {
  if (!cell->Is(ValueKind::kObject) || cell->type == nullptr) return cell;
  const clang::CXXConversionDecl* found = nullptr;
  for (const clang::NamedDecl* one : cell->type->getVisibleConversionFunctions()) {
    const auto* conversion = llvm::dyn_cast<clang::CXXConversionDecl>(one->getUnderlyingDecl());
    if (conversion == nullptr) return cell;
    const clang::QualType type = conversion->getConversionType().getNonReferenceType();
    const clang::CXXRecordDecl* made = type->getAsCXXRecordDecl();
    const bool text = type->isPointerType() ? type->getPointeeType()->isAnyCharacterType()
                                            : made != nullptr && made->isInStdNamespace();
    if (!text) continue;
    if (found != nullptr) return cell;
    found = conversion;
  }
  return found != nullptr ? CallMethod(found, cell, {}, true) : cell;
}

// Returns the text that a pointer to characters points to.
Cell Interpreter::AsText(const Cell& cell) {
  const bool points = cell->Is(ValueKind::kPointer) && cell->to_item && !cell->anywhere &&
                      cell->target->Is(ValueKind::kString) && cell->number >= 0 &&
                      cell->number <= std::ssize(cell->target->text);
  if (!points) return cell;
  const std::string text = cell->target->text.substr(static_cast<std::size_t>(cell->number));
  return NewCell(Text(text.substr(0, text.find('\0'))));
}

Cell Interpreter::Call(const clang::CallExpr* call) {
  const clang::FunctionDecl* function = call->getDirectCallee();
  if (RecordNumber(call) >= 0) {
    Record(call);
    return Unknown("the result of a registration is unknown");
  }
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
  Cell self;
  Cells arguments;
  unsigned first = 0;
  bool is_virtual = true;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(callee);
  if (member != nullptr && llvm::isa<clang::CXXMethodDecl>(member->getMemberDecl())) {
    self = Evaluate(member->getBase());
    if (member->isArrow()) self = Dereference(*self);
    is_virtual = !member->hasQualifier();
  } else if (llvm::isa<clang::CXXOperatorCallExpr>(call) && method != nullptr &&
             !method->isStatic() && call->getNumArgs() > 0) {
    self = Evaluate(call->getArg(0));
    first = 1;
  } else if (function == nullptr) {
    self = Evaluate(callee);
  }
  for (unsigned i = first; i < call->getNumArgs(); ++i) {
    arguments.push_back(Evaluate(call->getArg(i)));
  }
  if (method != nullptr && self) return CallMethod(method, self, arguments, is_virtual);
  if (function != nullptr) return CallFunction(function, nullptr, arguments, nullptr);
  if (self && self->Is(ValueKind::kPointer)) self = Dereference(*self);
  if (self && self->Is(ValueKind::kFunction)) return CallValue(*self, arguments);
  return NotFollowed(nullptr, self, arguments, "the called function is unknown");
}

Cell Interpreter::CallValue(const Value& function, const Cells& arguments) {
  if (function.function == nullptr) {
    return NotFollowed(nullptr, nullptr, arguments, "the called function is unknown");
  }
  return CallFunction(function.function, nullptr, arguments, function.captured);
}

Cell Interpreter::CallMethod(const clang::CXXMethodDecl* method, const Cell& self,
                             const Cells& arguments, bool is_virtual) {
  if (self->Is(ValueKind::kFunction)) {  // a lambda, or what std::function holds
    if (method->getOverloadedOperator() != clang::OO_Call) {
      const bool assigns = method->getOverloadedOperator() == clang::OO_Equal;
      if (assigns && arguments.size() == 1) Store(self, Copied(*arguments[0]));
      return llvm::isa<clang::CXXConversionDecl>(method) &&
                     !method->getReturnType()->isPointerType()
                 ? NewCell(Number(1))
                 : self;
    }
    if (!method->getParent()->isLambda()) return CallValue(*self, arguments);
    return CallFunction(method, nullptr, arguments, self->captured);  // a generic lambda's instance
  }
  const bool empty = self->Is(ValueKind::kNumber) && method->getParent()->isInStdNamespace() &&
                     llvm::isa<clang::CXXConversionDecl>(method);
  if (empty) return NewCell(Number(self->number != 0));  // std::function
  if (std::optional<Cell> known = LibraryMethod(method, self, arguments)) return *known;
  if (is_virtual && method->isVirtual()) {
    if (!self->Is(ValueKind::kObject) || self->type == nullptr) {
      return NotFollowed(method, self, arguments,
                         "the class of an object with a virtual method is unknown");
    }
    const auto* derived =
        const_cast<clang::CXXMethodDecl*>(method)->getCorrespondingMethodInClass(self->type, true);
    if (derived != nullptr) method = derived;
  }
  const bool assigns = method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator();
  if (assigns && method->isDefaulted() && arguments.size() == 1) {
    Value given = Copied(*arguments[0]);
    given.type = self->type;  // assigns only the part of this class
    if (given.Is(ValueKind::kObject) || given.Is(ValueKind::kUnknown)) {
      Store(self, std::move(given));
      return self;
    }
  }
  return CallFunction(method, self, arguments, nullptr);
}

// Calls a function whose body is in the unit, after binding its parameters to the arguments.
Cell Interpreter::CallFunction(const clang::FunctionDecl* function, const Cell& self,
                               const Cells& arguments, const std::shared_ptr<Frame>& around) {
  if (std::optional<Cell> known = LibraryFunction(function, arguments)) return *known;
  const clang::FunctionDecl* definition = nullptr;
  const clang::Stmt* body = function->getBody(definition);
  const std::string name = function->getNameAsString();
  if (body == nullptr || definition->isDependentContext()) {
    const bool library = function->isInStdNamespace();
    const std::string why = body != nullptr ? "'" + name + "' cannot be followed"
                            : library       ? "an operand of std::" + name + " is unknown"
                                            : "the body of '" + name + "' is not known here";
    return NotFollowed(function, self, arguments, why);
  }
  if (depth_ > kMaxCallDepth) {
    Fail("'" + name + "' cannot be followed");
    return NewCell();
  }
  int& entered = entered_[definition];
  if (entered > 0 && Uncertain() != nullptr) {
    return NotFollowed(function, self, arguments,
                       "how often '" + name + "' calls itself is unknown");
  }
  if (muted_ == 0) called_.insert(function->getCanonicalDecl());
  auto frame = std::make_shared<Frame>();
  frame->self = self;
  frame->around = around;
  BindParameters(*definition, arguments, *frame);
  UncertainRegion region;
  frame->on_return = &region;
  const auto caller = std::exchange(frame_, frame);
  ++depth_;
  ++entered;
  RunIn(region, [&] { Run(body); });
  --entered;
  --depth_;
  frame_ = caller;
  frame->on_return = nullptr;
  if (definition->isNoReturn() && Uncertain() == nullptr) Fail("'" + name + "' does not return");
  if (region.active) return Unknown("the return that '" + name + "' takes is unknown");
  if (!frame->returned) return NewCell();
  const bool shares = definition->getReturnType()->isReferenceType();
  return shares ? frame->returned : NewCell(Copied(*frame->returned));
}

Cell Interpreter::Construct(const clang::CXXConstructExpr* construct) {
  const clang::ConstantArrayType* array = context_.getAsConstantArrayType(construct->getType());
  if (array == nullptr) return ConstructOne(construct);
  const std::uint64_t size = array->getSize().getLimitedValue(kMaxFilled + 1);
  if (size > kMaxFilled || array->getElementType()->isArrayType()) {
    return Unknown("an array is too long");
  }
  Value made = List();
  for (std::uint64_t i = 0; i < size; ++i) made.items.push_back(ConstructOne(construct));
  return NewCell(std::move(made));
}

Cell Interpreter::ConstructOne(const clang::CXXConstructExpr* construct) {
  const clang::CXXConstructorDecl* constructor = construct->getConstructor();
  Cells arguments;
  for (const clang::Expr* argument : construct->arguments()) {
    arguments.push_back(Evaluate(argument));
  }
  if (std::optional<Cell> known = LibraryObject(constructor, arguments)) return *known;
  const bool copies = constructor->isCopyOrMoveConstructor() && !arguments.empty();
  if (copies && (constructor->isDefaulted() || constructor->isImplicit() ||
                 arguments[0]->Is(ValueKind::kFunction))) {
    Cell copy = NewCell(Copied(*arguments[0]));
    if (!copy->Is(ValueKind::kObject)) return copy;
    copy->type = constructor->getParent();  // may be a base of the object's class
    Made(copy->type, copy);
    return copy;
  }
  if (RepeatsBase(constructor->getParent())) {
    return NotFollowed(constructor, nullptr, arguments, "a class has the same base twice");
  }
  Value made;
  made.kind = ValueKind::kObject;
  made.type = constructor->getParent();
  Cell object = NewCell(std::move(made));
  RunConstructor(constructor, object, arguments);
  Made(constructor->getParent(), object);
  return object;
}

// Default-constructs a field that has no initializer.
void Interpreter::MakeField(const clang::FieldDecl* field, const Cell& object) {
  const clang::CXXRecordDecl* type = field->getType()->getAsCXXRecordDecl();
  if (type == nullptr || !type->hasDefinition()) return;
  for (const clang::CXXConstructorDecl* constructor : type->ctors()) {
    if (!constructor->isDefaultConstructor() || constructor->isDeleted()) continue;
    Cell& place = object->fields[field->getCanonicalDecl()];
    std::optional<Cell> known = LibraryObject(constructor, {});
    if (known) {
      place = *known;
      return;
    }
    Value made;
    made.kind = ValueKind::kObject;
    made.type = type;
    place = NewCell(std::move(made));
    RunConstructor(constructor, Cell(place), {});
    return;
  }
}

// Initializes the fields that a constructor does not initialize itself.
void Interpreter::InitialiseFields(const clang::CXXRecordDecl* type, const Cell& object) {
  const auto frame = std::exchange(frame_, std::make_shared<Frame>());
  frame_->self = object;
  for (const clang::CXXBaseSpecifier& base : type->bases()) {
    const clang::CXXRecordDecl* parent = base.getType()->getAsCXXRecordDecl();
    if (parent != nullptr && parent->hasDefinition()) {
      InitialiseFields(parent->getDefinition(), object);
    }
  }
  for (const clang::FieldDecl* field : type->fields()) {
    if (!field->hasInClassInitializer() || field->getInClassInitializer() == nullptr) {
      MakeField(field, object);
      continue;
    }
    object->fields[field->getCanonicalDecl()] =
        NewCell(Copied(*Evaluate(field->getInClassInitializer())));
  }
  frame_ = frame;
}

void Interpreter::RunConstructor(const clang::CXXConstructorDecl* constructor, const Cell& object,
                                 const Cells& arguments) {
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = constructor->getBody(defined);
  if (depth_ > kMaxCallDepth) return Fail("a constructor cannot be followed");
  if (body == nullptr) {
    if (constructor->isDefaulted() || constructor->isImplicit()) {
      return InitialiseFields(constructor->getParent(), object);
    }
    const std::string name = constructor->getParent()->getNameAsString();
    NotFollowed(constructor, object, arguments,
                "the body of a constructor of '" + name + "' is not known here");
    return;
  }
  if (muted_ == 0) called_.insert(constructor->getCanonicalDecl());
  const auto* definition = llvm::cast<clang::CXXConstructorDecl>(defined);
  auto frame = std::make_shared<Frame>();
  frame->self = object;
  BindParameters(*definition, arguments, *frame);
  UncertainRegion region;
  frame->on_return = &region;
  const auto caller = std::exchange(frame_, frame);
  ++depth_;
  for (const clang::CXXCtorInitializer* initial : definition->inits()) {
    if (initial->isAnyMemberInitializer()) {
      const clang::FieldDecl* field = initial->getAnyMember();
      const Cell cell = Evaluate(initial->getInit());
      const bool shares = field->getType()->isReferenceType();
      object->fields[field->getCanonicalDecl()] = shares ? cell : NewCell(Copied(*cell));
    } else if (const auto* inherited = llvm::dyn_cast<clang::CXXInheritedCtorInitExpr>(
                   initial->getInit()->IgnoreImplicit())) {
      RunConstructor(inherited->getConstructor(), object, arguments);
    } else {
      Base(initial->getInit()->IgnoreImplicit(), object);
    }
  }
  object->type = constructor->getParent();  // until the constructor of a derived class begins
  const std::string broken = broken_.Around({definition->getLocation(), body->getBeginLoc()});
  if (!broken.empty()) {  // an initializer does not compile
    LoseText(broken);
    Lose(object);
  }
  RunIn(region, [&] { Run(body); });
  --depth_;
  frame_ = caller;
  frame->on_return = nullptr;
}

// Runs the constructor of a base, or a delegated constructor, on this object.
void Interpreter::Base(const clang::Expr* initial, const Cell& object) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(initial);
  if (made == nullptr) {
    const Cell part = Evaluate(initial);
    for (const auto& [field, cell] : part->fields) object->fields[field] = cell;
    if (!part->Is(ValueKind::kObject)) Lose(object);
    return;
  }
  Cells given;
  for (const clang::Expr* argument : made->arguments()) given.push_back(Evaluate(argument));
  const clang::CXXConstructorDecl* constructor = made->getConstructor();
  if (constructor->getParent()->isInStdNamespace()) return Lose(object);
  const bool copies = constructor->isCopyOrMoveConstructor() && constructor->isDefaulted();
  if (!copies || given.empty()) return RunConstructor(constructor, object, given);
  if (!given[0]->Is(ValueKind::kObject)) return Lose(object);
  const Value copy = Copied(*given[0]);
  for (const auto& [field, cell] : copy.fields) object->fields[field] = cell;
}

void Interpreter::Initialise(const clang::VarDecl* variable) {
  at_start_ = true;
  steps_ = 0;
  begun_.insert(variable->getCanonicalDecl());
  if (variable->isInvalidDecl()) {
    LoseText(broken_.Text(variable->getBeginLoc(), variable->getEndLoc(), false));
  }
  const bool each_thread = variable->getTLSKind() != clang::VarDecl::TLS_None;
  const bool early = variable->hasConstantInitialization() && !effects_.Leads(variable);
  if (each_thread) {
    RunUncertain([&] { Evaluate(variable->getInit()); });
  } else if (!early) {
    Begin(variable);
  }
  Recover(variable);
}

// Evaluates the initializer even if its value will be unknown, because it may have side effects.
void Interpreter::Begin(const clang::VarDecl* variable) {
  const clang::Decl* key = variable->getCanonicalDecl();
  if (globals_.contains(key)) return;  // was already evaluated on first use
  const auto frame = std::exchange(frame_, std::make_shared<Frame>());
  initialising_.insert(key);
  const clang::Expr* initial = variable->getInit();
  Cell cell = Evaluate(initial);
  initialising_.erase(key);
  frame_ = frame;
  if (!variable->getType()->isReferenceType() && initial->isGLValue()) {
    cell = NewCell(Copied(*cell));
  }
  if (!failed_.empty()) cell = Unknown(failed_);
  if (lost_globals_.contains(key)) Lose(cell);
  globals_[key] = cell;
  if (effects_.IsSeen(variable) && !effects_.IsConstant(variable)) LosePointees(*cell);
}

void Interpreter::RunByItself(const clang::FunctionDecl* function) {
  at_start_ = false;
  steps_ = 0;
  Cells arguments(function->getNumParams());
  for (Cell& argument : arguments) argument = NewCell();
  Cell self;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method != nullptr && !method->isStatic()) self = NewCell();
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function)) {
    self->kind = ValueKind::kObject;
    self->type = constructor->getParent();
    RunConstructor(constructor, self, arguments);
  } else {
    const Cell returned = CallFunction(function, self, arguments, nullptr);
    if (effects_.IsOpen(function)) LoseFunctionsIn(*returned);
  }
  Recover(function);
  at_start_ = true;
}

void Interpreter::LoseVisibleFunctions() {
  for (const auto& [declaration, cell] : globals_) {
    const auto* variable = llvm::cast<clang::VarDecl>(declaration);
    if (effects_.IsSeen(variable)) LoseFunctionsIn(*cell);
  }
}

}  // namespace opledger::scan::ast

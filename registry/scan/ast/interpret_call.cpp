// Calls and the making of objects.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

constexpr const char* kRecord = "__opledger_record";
constexpr int kMaxCallDepth = 1'200;  // in expressions, which a call inside a call is made of

// What is of no use to anybody once its class is gone: const objects, numbers by value.
bool MayChange(clang::QualType parameter) {
  if (parameter->isReferenceType() || parameter->isPointerType()) {
    return !parameter->getPointeeType().isConstQualified();
  }
  return false;
}

// A parameter by reference is the argument itself, another a copy of it.
void BindParameters(const clang::FunctionDecl& definition, const std::vector<Cell>& arguments,
                    Frame& frame) {
  for (unsigned i = 0; i < definition.getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = definition.getParamDecl(i);
    const bool shares = parameter->getType()->isReferenceType();
    Cell cell = i < arguments.size() ? arguments[i] : NewCell();
    frame.variables[parameter] = shares ? cell : NewCell(Copied(*cell));
  }
}

}  // namespace

// What has been given to code that cannot be followed.
void Interpreter::Invalidate(const Cell& cell) {
  if (cell->Is(ValueKind::kPointer) && cell->target) {
    const Cell target = cell->target;
    Store(target, Value());
  } else {
    Store(cell, Value());
  }
}

void Interpreter::InvalidateArguments(const clang::FunctionDecl* function, const Cells& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool declared = function != nullptr && i < function->getNumParams();
    const bool changes =
        !declared || MayChange(function->getParamDecl(static_cast<unsigned>(i))->getType());
    if (changes) Invalidate(arguments[i]);
  }
}

void Interpreter::Record(const clang::CallExpr* call) {
  if (call->getNumArgs() < 2) return;
  const Cell number = Evaluate(call->getArg(0));
  why_.clear();
  const Cell value = Evaluate(call->getArg(1));
  if (muted_ > 0 || !number->Is(ValueKind::kNumber)) return;
  on_record_(static_cast<int>(number->number), *value, why_);
}

Cell Interpreter::Call(const clang::CallExpr* call) {
  const clang::FunctionDecl* function = call->getDirectCallee();
  if (function != nullptr && function->getDeclName().isIdentifier() &&
      function->getName() == kRecord) {
    Record(call);
    return NewCell(Number(0));
  }
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
  Cell self;
  Cells arguments;
  unsigned first = 0;
  bool is_virtual = true;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(callee)) {
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
  InvalidateArguments(nullptr, arguments);
  return Unknown("which function is called is unknown");
}

Cell Interpreter::CallValue(const Value& function, const Cells& arguments) {
  if (function.function == nullptr) return Unknown("which function is called is unknown");
  return CallFunction(function.function, nullptr, arguments, function.captured);
}

Cell Interpreter::CallMethod(const clang::CXXMethodDecl* method, const Cell& self,
                             const Cells& arguments, bool is_virtual) {
  if (self->Is(ValueKind::kFunction)) {  // a lambda, or what std::function holds
    const bool calls = method->getOverloadedOperator() == clang::OO_Call;
    return calls ? CallValue(*self, arguments) : self;
  }
  if (std::optional<Cell> known = LibraryMethod(method, self, arguments)) return *known;
  if (is_virtual && method->isVirtual()) {
    if (self->Is(ValueKind::kObject) && self->type != nullptr) {
      const auto* derived =
          const_cast<clang::CXXMethodDecl*>(method)->getCorrespondingMethodInClass(self->type,
                                                                                   true);
      if (derived != nullptr) method = derived;
    } else {
      InvalidateArguments(method, arguments);
      return Unknown("the class of an object with a virtual method is unknown");
    }
  }
  if (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) {
    if (method->isDefaulted() && arguments.size() == 1) {
      Store(self, Copied(*arguments[0]));
      return self;
    }
  }
  const Cell result = CallFunction(method, self, arguments, nullptr);
  if (!method->hasBody() && !method->isConst() && !method->isStatic()) Invalidate(self);
  return result;
}

// A function with a body in the sources: its parameters are given their arguments.
Cell Interpreter::CallFunction(const clang::FunctionDecl* function, const Cell& self,
                               const Cells& arguments, const std::shared_ptr<Frame>& around) {
  if (std::optional<Cell> known = LibraryFunction(function, arguments)) return *known;
  const clang::FunctionDecl* definition = nullptr;
  const clang::Stmt* body = function->getBody(definition);
  const std::string name = function->getNameAsString();
  if (body == nullptr || definition->isDependentContext() || depth_ > kMaxCallDepth) {
    InvalidateArguments(function, arguments);
    if (function->isInStdNamespace()) return Unknown("an operand of std::" + name + " is unknown");
    if (body == nullptr) return Unknown("the body of '" + name + "' is not known here");
    return Unknown("'" + name + "' cannot be followed");
  }
  auto frame = std::make_shared<Frame>();
  frame->self = self;
  frame->around = around;
  BindParameters(*definition, arguments, *frame);
  UncertainRegion region;
  frame->on_return = &region;
  const auto caller = std::exchange(frame_, frame);
  ++depth_;
  RunIn(region, [&] { Run(body); });
  --depth_;
  frame_ = caller;
  frame->on_return = nullptr;
  if (region.active) return Unknown("where '" + name + "' returns is unknown");
  if (!frame->returned) return NewCell();
  const bool shares = definition->getReturnType()->isReferenceType();
  return shares ? frame->returned : NewCell(Copied(*frame->returned));
}

Cell Interpreter::Construct(const clang::CXXConstructExpr* construct) {
  const clang::CXXConstructorDecl* constructor = construct->getConstructor();
  Cells arguments;
  for (const clang::Expr* argument : construct->arguments()) {
    arguments.push_back(Evaluate(argument));
  }
  if (std::optional<Cell> known = LibraryObject(constructor, arguments)) return *known;
  if (constructor->isCopyOrMoveConstructor() && !arguments.empty() &&
      (constructor->isDefaulted() || constructor->isImplicit() ||
       arguments[0]->Is(ValueKind::kFunction))) {
    return NewCell(Copied(*arguments[0]));
  }
  Value made;
  made.kind = ValueKind::kObject;
  made.type = constructor->getParent();
  const Cell object = NewCell(std::move(made));
  RunConstructor(constructor, object, arguments);
  return object;
}

// Where no constructor says otherwise.
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
    if (!field->hasInClassInitializer() || field->getInClassInitializer() == nullptr) continue;
    object->fields[field->getCanonicalDecl()] =
        NewCell(Copied(*Evaluate(field->getInClassInitializer())));
  }
  frame_ = frame;
}

void Interpreter::RunConstructor(const clang::CXXConstructorDecl* constructor, const Cell& object,
                                 const Cells& arguments) {
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = constructor->getBody(defined);
  if (body == nullptr || depth_ > kMaxCallDepth) {
    if (!constructor->isDefaulted() && !constructor->isImplicit()) {
      Unknown("the body of a constructor of '" + constructor->getParent()->getNameAsString() +
              "' is not known here");
      InvalidateArguments(constructor, arguments);
      return;
    }
    InitialiseFields(constructor->getParent(), object);
    return;
  }
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
      continue;
    }
    // A base or another constructor: what it makes becomes part of this object.
    const clang::Expr* init = initial->getInit()->IgnoreImplicit();
    const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(init);
    if (made == nullptr) {
      const Cell part = Evaluate(init);
      for (const auto& [field, cell] : part->fields) object->fields[field] = cell;
      continue;
    }
    Cells given;
    for (const clang::Expr* argument : made->arguments()) given.push_back(Evaluate(argument));
    RunConstructor(made->getConstructor(), object, given);
  }
  RunIn(region, [&] { Run(body); });
  --depth_;
  frame_ = caller;
  frame->on_return = nullptr;
}

void Interpreter::Initialise(const clang::VarDecl* variable) {
  at_start_ = true;
  steps_ = 0;
  Global(variable);
}

void Interpreter::RunByItself(const clang::FunctionDecl* function) {
  at_start_ = false;
  steps_ = 0;
  Cells arguments(function->getNumParams());
  for (Cell& argument : arguments) argument = NewCell();
  Cell self;
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function)) {
    if (!method->isStatic()) self = NewCell();
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(method)) {
      self->kind = ValueKind::kObject;
      self->type = constructor->getParent();
      RunConstructor(constructor, self, arguments);
      at_start_ = true;
      return;
    }
  }
  CallFunction(function, self, arguments, nullptr);
  at_start_ = true;
}

}  // namespace opledger::scan::ast

// Stores and forgets the values of variables and objects.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

constexpr long kMaxSteps = 1'000'000;
constexpr std::size_t kMaxTextLength = 1 << 16;

// Returns whether the field is a pointer or reference to const, so that it cannot be used to change
// its target.
bool PointsToConst(const clang::Decl* declaration) {
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(declaration);
  const clang::QualType type = field != nullptr ? field->getType() : clang::QualType();
  return !type.isNull() && (type->isPointerType() || type->isReferenceType()) &&
         type->getPointeeType().isConstQualified();
}

bool IsReference(const clang::Decl* declaration) {
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(declaration);
  return field != nullptr && field->getType()->isReferenceType();
}

}  // namespace

Cell NewCell(Value value) {
  static long made = 0;
  value.born = ++made;
  return std::make_shared<Value>(std::move(value));
}

Value Copied(const Value& value) {
  Value copy = value;
  copy.lost = false;
  copy.whole.reset();
  if (value.viewed && value.viewed->changes != value.viewed_changes) {
    copy = Value();
    copy.text = "it views a string that has changed";
  }
  if (value.place >= 0 && value.whole->Is(ValueKind::kString)) {
    const std::string& text = value.whole->text;
    copy = Number(value.place < std::ssize(text) ? text[static_cast<std::size_t>(value.place)] : 0);
  } else if (value.place >= 0) {
    copy = Value();
  }
  for (Cell& item : copy.items) item = NewCell(Copied(*item));
  for (auto& [field, cell] : copy.fields) {
    if (!IsReference(field)) cell = NewCell(Copied(*cell));
  }
  if (copy.captured && !copy.captured->own.empty()) {
    copy.captured = std::make_shared<Frame>(*copy.captured);
    for (const clang::Decl* own : copy.captured->own) {
      Cell& cell = copy.captured->variables[own];
      cell = NewCell(Copied(*cell));
    }
  }
  return copy;
}

bool Interpreter::Spend() {
  if (++steps_ > kMaxSteps) Fail("evaluation takes more than a million steps");
  return failed_.empty();
}

Cell Interpreter::Unknown(const std::string& why) {
  if (why_.empty()) why_ = why;
  Cell cell = NewCell();
  cell->text = why;
  return cell;
}

// Stops the evaluation.
void Interpreter::Fail(const std::string& why) {
  if (failed_.empty()) failed_ = why;
}

// Handles a failure after the evaluation of `root`. Everything `root` may do is then uncertain.
// Returns false if the evaluation did not fail.
bool Interpreter::Recover(const clang::Decl* root) {
  if (failed_.empty()) return false;
  const std::string why = std::exchange(failed_, {});
  Value endless;
  endless.lost = steps_ > kMaxSteps;
  for (int number : effects_.Of(root).records) on_record_(number, endless, why);
  if (at_start_ && world_.empty()) world_ = why;
  return true;
}

const UncertainRegion* Interpreter::Uncertain() const {
  for (const UncertainRegion* region : uncertain_regions_) {
    if (region->active) return region;
  }
  return nullptr;
}

// Records why it is unknown which code runs.
void Interpreter::Doubt(const Value& unknown) {
  doubt_ = unknown.Is(ValueKind::kUnknown) && why_.empty() ? unknown.text : why_;
}

// Returns whether nothing in the value refers to other cells.
bool Interpreter::IsPlain(const Value& value) {
  if (value.lost || value.Is(ValueKind::kUnknown) || value.Is(ValueKind::kPointer) ||
      value.Is(ValueKind::kFunction)) {
    return false;
  }
  for (const Cell& item : value.items) {
    if (!IsPlain(*item)) return false;
  }
  return std::all_of(value.fields.begin(), value.fields.end(), [](const auto& field) {
    return !IsReference(field.first) && IsPlain(*field.second);
  });
}

void Interpreter::Store(const Cell& cell, Value value) {
  if (cell->lost) return LosePointees(value);
  if (cell->Is(ValueKind::kUnknown) && !cell->text.empty()) LoseFunctionsIn(value);
  if (value.text.size() > kMaxTextLength) value = *Unknown("a string is too long");
  steps_ += static_cast<long>(value.text.size() / 64);
  if (Uncertain() != nullptr) LosePointees(*cell);
  if (cell->whole) return StorePart(cell, value);
  const bool object = cell->Is(ValueKind::kObject) && value.Is(ValueKind::kObject);
  const bool array = cell->Is(ValueKind::kList) && value.Is(ValueKind::kList) &&
                     cell->items.size() == value.items.size();
  if (object) {  // other cells may refer to its fields
    for (auto& [field, part] : value.fields) {
      Cell& place = cell->fields[field];
      place ? Store(place, std::move(*part)) : static_cast<void>(place = part);
    }
  } else if (array) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      Store(cell->items[i], std::move(*value.items[i]));
    }
  } else {
    const long born = cell->born;
    const long changes = cell->changes;
    *cell = std::move(value);
    cell->lost = false;
    cell->born = born;
    cell->changes = changes + 1;
    cell->whole.reset();
    cell->place = -1;
  }
  MarkModified(cell);
}

// Stores to a character of a string, or to an unknown item of a list.
void Interpreter::StorePart(const Cell& part, const Value& value) {
  const Cell whole = part->whole;
  if (whole->lost) return LosePointees(value);
  if (part->place < 0) {
    LosePointees(value);
    const Cells items = whole->items;
    for (const Cell& item : items) Forget(item);
    return;
  }
  const bool known = whole->Is(ValueKind::kString) && value.Is(ValueKind::kNumber) &&
                     part->place < std::ssize(whole->text);
  if (!known) return Forget(whole);
  std::string text = whole->text;
  text[static_cast<std::size_t>(part->place)] = static_cast<char>(value.number);
  Store(whole, Text(std::move(text)));
}

// Records the cell in the uncertain regions in which it changes.
void Interpreter::MarkModified(const Cell& cell) {
  for (UncertainRegion* region : uncertain_regions_) {
    if (cell->born <= region->begun) region->stored.push_back(cell);
  }
}

// Makes the cell unknown until something else is stored in it.
void Interpreter::Forget(const Cell& cell) {
  LosePointees(*cell);
  const Cells items = cell->items;
  const auto fields = cell->fields;
  for (const Cell& item : items) Forget(item);
  for (const auto& [field, part] : fields) {
    if (!IsReference(field)) Forget(part);
  }
  if (cell->lost) return;
  if (cell->whole) return StorePart(cell, Value());
  const long born = cell->born;
  const long changes = cell->changes;
  const bool known = !cell->Is(ValueKind::kUnknown) || cell->text.empty();
  const std::string why = known ? losing_ : cell->text;
  *cell = Value();
  cell->born = born;
  cell->text = why;
  cell->changes = changes + 1;
  MarkModified(cell);
}

// Makes the cell unknown for good, because code that is not followed may change it at any time.
void Interpreter::Lose(const Cell& cell) {
  if (cell->lost) return;
  const Value before = *cell;
  *cell = Value();
  cell->born = before.born;
  cell->changes = before.changes + 1;
  cell->lost = true;
  cell->text = losing_;
  if (before.whole) Lose(before.whole);
  for (const Cell& item : before.items) Lose(item);
  for (const auto& [field, part] : before.fields) {
    if (!PointsToConst(field) || !IsReference(field)) Lose(part);
  }
  if (before.Is(ValueKind::kPointer)) Lose(before.target);
  if (before.Is(ValueKind::kFunction)) LoseFunction(before);
  if (!before.Is(ValueKind::kObject) || before.type == nullptr) return;
  for (const clang::CXXMethodDecl* method : before.type->methods()) {
    if (method->isVirtual()) LoseReach(method, "it is called from code that is not followed");
  }
}

// Like Lose, for code that does not compile: it may call any method of the object.
void Interpreter::LoseObject(const Cell& cell) {
  std::vector<const clang::CXXRecordDecl*> classes;
  const Value& value = cell->Is(ValueKind::kPointer) ? *cell->target : *cell;
  if (value.Is(ValueKind::kObject) && value.type != nullptr) classes.push_back(value.type);
  Lose(cell);
  while (!classes.empty()) {
    const clang::CXXRecordDecl* type = classes.back();
    classes.pop_back();
    if (type->isInStdNamespace() || !type->hasDefinition()) continue;
    for (const clang::CXXMethodDecl* method : type->methods()) {
      LoseReach(method, "it is called by code that does not compile");
    }
    for (const clang::CXXBaseSpecifier& base : type->bases()) {
      if (const auto* parent = base.getType()->getAsCXXRecordDecl()) classes.push_back(parent);
    }
  }
}

// Code that sees the value without changing it may call the functions in it.
void Interpreter::LoseFunctionsIn(const Value& value, int depth) {
  constexpr int kDeepest = 16;
  if (depth > kDeepest) return Fail("a value is nested too deeply");
  if (value.Is(ValueKind::kFunction)) LoseFunction(value);
  if (value.Is(ValueKind::kPointer)) LoseFunctionsIn(*value.target, depth + 1);
  for (const Cell& item : value.items) LoseFunctionsIn(*item, depth + 1);
  for (const auto& [field, part] : value.fields) LoseFunctionsIn(*part, depth + 1);
}

// The value is no longer known, so anything may happen to what it points to.
void Interpreter::LosePointees(const Value& value) {
  if (value.Is(ValueKind::kPointer)) Lose(value.target);
  if (value.Is(ValueKind::kFunction)) LoseFunction(value);
  const std::vector<Cell> items = value.items;
  const auto fields = value.fields;
  for (const Cell& item : items) LosePointees(*item);
  for (const auto& [field, part] : fields) {
    if (PointsToConst(field)) continue;
    IsReference(field) ? Lose(part) : LosePointees(*part);
  }
}

void Interpreter::LoseFunction(const Value& function) {
  if (function.function == nullptr) return;
  LoseReach(function.function, "it is called from code that is not followed");
  if (!function.captured) return;
  for (const auto& [variable, cell] : function.captured->variables) Lose(cell);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function.function);
  if (method == nullptr || !method->getParent()->isLambda()) return;
  for (const clang::LambdaCapture& capture : method->getParent()->captures()) {
    if (!capture.capturesThis()) continue;
    const Cell self = This();
    if (self->Is(ValueKind::kPointer)) Lose(self->target);
  }
}

// Makes everything that the code may do uncertain.
void Interpreter::LoseReach(const clang::Decl* declaration, const std::string& why) {
  const Reach reach = effects_.Of(declaration);
  for (int number : reach.records) on_record_(number, Value(), why);
  for (const clang::VarDecl* variable : reach.written) {
    if (!lost_globals_.insert(variable).second) continue;
    auto found = globals_.find(variable);
    if (found != globals_.end()) Lose(Cell(found->second));
  }
}

// Loses everything that the statement mentions.
void Interpreter::LoseMentioned(const clang::Stmt* statement) {
  if (statement == nullptr) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool constant = llvm::isa<clang::EnumConstantDecl>(name->getDecl()) ||
                          (variable != nullptr && effects_.IsConstant(variable));
    if (!constant) LoseObject(Name(name->getDecl()));
  } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(statement);
             cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue) {
    LosePointees(*Evaluate(cast->getSubExpr()));
    return;
  } else if (llvm::isa<clang::CXXThisExpr>(statement)) {
    LoseObject(This());
  } else if (const auto* several = llvm::dyn_cast<clang::OverloadExpr>(statement)) {
    for (const clang::NamedDecl* one : several->decls()) {
      if (one->getDeclName().isIdentifier()) LoseName(one->getNameAsString());
    }
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(statement)) {
    LosePointees(*Lambda(lambda));
    return;
  }
  for (const clang::Stmt* child : statement->children()) LoseMentioned(child);
}

void Interpreter::LoseName(const std::string& name) {
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->around.get()) {
    for (const auto& [declaration, cell] : frame->variables) {
      const auto* named = llvm::cast<clang::NamedDecl>(declaration);
      if (named->getDeclName().isIdentifier() && named->getName() == name) LoseObject(Cell(cell));
    }
    if (!frame->self) continue;
    const auto fields = frame->self->fields;
    for (const auto& [field, cell] : fields) {
      if (llvm::cast<clang::NamedDecl>(field)->getName() == name) Lose(cell);
    }
  }
  for (const clang::Decl* declaration : effects_.Named(name)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable == nullptr) {
      LoseReach(declaration, "it is called by code that does not compile");
    } else if (!Effects::IsConst(variable)) {
      lost_globals_.insert(variable);
      auto found = globals_.find(variable);
      if (found != globals_.end()) LoseObject(Cell(found->second));
    }
  }
}

void Interpreter::LoseKeyword(llvm::StringRef word) {
  if (word == "return") MarkUncertain(Flow::kReturn);
  if (word == "break") MarkUncertain(Flow::kBreak);
  if (word == "continue") MarkUncertain(Flow::kContinue);
  if (word == "goto" || word == "case" || word == "default" || word == "throw") {
    Fail("a statement does not compile");
  }
  if (word == "this") LoseObject(This());
}

void Interpreter::LoseText(llvm::StringRef text) {
  losing_ = "code that may change it does not compile";
  const Words words = WordsOf(text);
  for (int number : words.records) {
    on_record_(number, Value(), "it is in code that does not compile here");
  }
  for (const std::string& word : words.names) {
    LoseKeyword(word);
    LoseName(word);
  }
}

}  // namespace opledger::scan::ast

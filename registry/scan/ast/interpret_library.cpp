// What of the standard library makes strings and lists; declared in stdlib_stub.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <utility>

#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

std::string NameOf(const clang::NamedDecl* declaration) {
  return declaration->getDeclName().isIdentifier() ? declaration->getNameAsString() : std::string();
}

// "string", "vector", ...; empty: no class of the standard library.
std::string LibraryClass(const clang::CXXRecordDecl* type) {
  return type->isInStdNamespace() ? NameOf(type) : std::string();
}

bool IsText(const std::string& type) {
  return type == "basic_string" || type == "basic_string_view" || type == "basic_ostringstream";
}

bool IsList(const std::string& type) {
  for (const char* known : {"vector", "set", "unordered_set", "map", "unordered_map",
                            "initializer_list", "deque", "list"}) {
    if (type == known) return true;
  }
  return false;
}

// A string or a character.
std::optional<std::string> TextOf(const Cell& cell) {
  if (cell->Is(ValueKind::kString)) return cell->text;
  if (cell->Is(ValueKind::kNumber)) return std::string(1, static_cast<char>(cell->number));
  return std::nullopt;
}

std::optional<std::size_t> SizeAt(const std::vector<Cell>& arguments, std::size_t index,
                                  std::size_t otherwise) {
  if (index >= arguments.size()) return otherwise;
  if (!arguments[index]->Is(ValueKind::kNumber)) return std::nullopt;
  return static_cast<std::size_t>(arguments[index]->number);
}

bool Same(const Value& a, const Value& b) {
  return a.kind == b.kind && ((a.Is(ValueKind::kString) && a.text == b.text) ||
                              (a.Is(ValueKind::kNumber) && a.number == b.number));
}

Cell Place(std::size_t at) { return NewCell(Number(static_cast<long long>(at))); }

}  // namespace

std::optional<Cell> Interpreter::LibraryObject(const clang::CXXConstructorDecl* constructor,
                                               const Cells& arguments) {
  const std::string type = LibraryClass(constructor->getParent());
  if (type.empty()) return std::nullopt;
  if (type == "function") {
    if (arguments.empty()) return NewCell(Number(0));
    return NewCell(*arguments[0]);
  }
  if (IsText(type)) {
    if (arguments.empty()) return NewCell(Text({}));
    const Cell& first = arguments[0];
    if (first->Is(ValueKind::kNumber) && arguments.size() == 2 &&
        arguments[1]->Is(ValueKind::kNumber)) {
      if (first->number < 0 || first->number > 100'000) return Unknown("a string is too long");
      return NewCell(Text(std::string(static_cast<std::size_t>(first->number),
                                      static_cast<char>(arguments[1]->number))));
    }
    if (!first->Is(ValueKind::kString)) return Unknown("the contents of a string are unknown");
    if (arguments.size() == 1) return NewCell(Text(first->text));
    const auto count = SizeAt(arguments, 1, 0);
    const bool prefix = arguments.size() == 2 && count && *count <= first->text.size();
    return prefix ? NewCell(Text(first->text.substr(0, *count)))
                  : Unknown("the contents of a string are unknown");
  }
  if (!IsList(type)) return std::nullopt;
  if (arguments.empty()) return NewCell(List());
  if (arguments.size() == 1 && arguments[0]->Is(ValueKind::kList)) {
    return NewCell(Copied(*arguments[0]));
  }
  const bool slice = arguments.size() == 2 && arguments[0]->Is(ValueKind::kPointer) &&
                     arguments[1]->Is(ValueKind::kPointer) && arguments[0]->to_item &&
                     arguments[0]->target == arguments[1]->target &&
                     arguments[0]->target->Is(ValueKind::kList);
  if (!slice) return Unknown("the contents of a list are unknown");
  Value made = List();
  const Cells& items = arguments[0]->target->items;
  for (long long i = std::max(0LL, arguments[0]->number);
       i < std::min<long long>(arguments[1]->number, std::ssize(items)); ++i) {
    made.items.push_back(NewCell(Copied(*items[static_cast<std::size_t>(i)])));
  }
  return NewCell(std::move(made));
}

std::optional<Cell> Interpreter::LibraryMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                               const Cells& arguments) {
  const std::string type = LibraryClass(method->getParent());
  if (IsText(type)) {
    std::string name = NameOf(method);
    const clang::OverloadedOperatorKind kind = method->getOverloadedOperator();
    if (kind == clang::OO_PlusEqual || kind == clang::OO_LessLess) name = "append";
    if (kind == clang::OO_Subscript) name = "at";
    if (kind == clang::OO_Equal) name = "assign";
    if (llvm::isa<clang::CXXConversionDecl>(method)) name = "str";
    Cells given = arguments;
    if (kind == clang::OO_LessLess && given.size() == 1 && given[0]->Is(ValueKind::kNumber) &&
        !method->getParamDecl(0)->getType().getNonReferenceType()->isAnyCharacterType()) {
      given[0] = NewCell(Text(std::to_string(given[0]->number)));
    }
    if (self->Is(ValueKind::kString)) {
      if (std::optional<Cell> known = StringMethod(name, self, given)) return known;
    }
    if (name == "assign" && arguments.size() == 1) {
      Store(self, Copied(*arguments[0]));
      return self;
    }
    if (!method->isConst()) Store(self, Value());
    return Unknown("what std::string::" + name + " comes to is unknown");
  }
  return IsList(type) ? ListMethod(method, self, arguments) : std::nullopt;
}

std::optional<Cell> Interpreter::StringMethod(const std::string& name, const Cell& self,
                                              const Cells& arguments) {
  const std::string& text = self->text;
  if (name == "size" || name == "length") return Place(text.size());
  if (name == "empty") return NewCell(Number(text.empty()));
  if (name == "c_str" || name == "data" || name == "str") return NewCell(Text(text));
  if (name == "substr") {
    const auto from = SizeAt(arguments, 0, 0);
    const auto count = SizeAt(arguments, 1, std::string::npos);
    if (!from || !count || *from > text.size()) return std::nullopt;
    return NewCell(Text(text.substr(*from, *count)));
  }
  if (name == "clear") {
    Store(self, Text({}));
    return self;
  }
  if (name == "reserve") return self;
  if (name == "back" || name == "front" || name == "at") {
    const auto at = name == "at" ? SizeAt(arguments, 0, 0)
                                 : std::optional(name == "back" ? text.size() - 1 : 0);
    if (!at || *at >= text.size()) return std::nullopt;
    return NewCell(Number(text[*at]));
  }
  if (name == "erase") {
    const auto from = SizeAt(arguments, 0, 0);
    const auto count = SizeAt(arguments, 1, std::string::npos);
    if (!from || !count || *from > text.size()) return std::nullopt;
    Store(self, Text(std::string(text).erase(*from, *count)));
    return self;
  }
  if (name == "pop_back" && !text.empty()) {
    Store(self, Text(text.substr(0, text.size() - 1)));
    return self;
  }
  if (arguments.empty()) return std::nullopt;
  const std::optional<std::string> given = TextOf(arguments[0]);
  if (!given) return std::nullopt;
  if ((name == "append" || name == "push_back") && arguments.size() == 1) {
    Store(self, Text(text + *given));
    return self;
  }
  if (name == "starts_with") return NewCell(Number(text.starts_with(*given)));
  if (name == "ends_with") return NewCell(Number(text.ends_with(*given)));
  if (name == "compare" && arguments.size() == 1) return NewCell(Number(text.compare(*given)));
  const bool backwards = name == "rfind" || name.starts_with("find_last");
  const auto from = SizeAt(arguments, 1, backwards ? std::string::npos : 0);
  if (!from || arguments.size() > 2) return std::nullopt;
  if (name == "find") return Place(text.find(*given, *from));
  if (name == "rfind") return Place(text.rfind(*given, *from));
  if (name == "find_first_of") return Place(text.find_first_of(*given, *from));
  if (name == "find_last_of") return Place(text.find_last_of(*given, *from));
  if (name == "find_first_not_of") return Place(text.find_first_not_of(*given, *from));
  if (name == "find_last_not_of") return Place(text.find_last_not_of(*given, *from));
  return std::nullopt;
}

// The item with a key: at, count, contains, find, [].
Cell Interpreter::Find(const std::string& name, bool keyed, const Cell& self,
                       const Cells& arguments) {
  const Cells& items = self->items;
  for (std::size_t i = 0; i < items.size() && arguments.size() == 1; ++i) {
    Cell key = items[i];
    Cell mapped = items[i];
    for (const auto& [field, cell] : items[i]->fields) {
      const std::string part = NameOf(llvm::cast<clang::NamedDecl>(field));
      if (keyed && part == "first") key = cell;
      if (keyed && part == "second") mapped = cell;
    }
    if (!Same(*key, *arguments[0])) continue;
    if (name == "at" || name == "[]") return mapped;
    return name == "find" ? NewCell(PointerToItem(self, static_cast<long long>(i)))
                          : NewCell(Number(1));
  }
  const bool known = arguments.size() == 1 && !arguments[0]->Is(ValueKind::kUnknown);
  if (name == "[]") Store(self, Value());  // it grows
  if (known && name == "find") return NewCell(PointerToItem(self, std::ssize(items)));
  if (known && (name == "count" || name == "contains")) return NewCell(Number(0));
  return Unknown("a key is not found");
}

std::optional<Cell> Interpreter::ListMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                            const Cells& arguments) {
  std::string name = NameOf(method);
  const clang::OverloadedOperatorKind kind = method->getOverloadedOperator();
  if (kind == clang::OO_Subscript) name = "at";
  if (kind == clang::OO_Equal && arguments.size() == 1) {
    Store(self, Copied(*arguments[0]));
    return self;
  }
  if (!self->Is(ValueKind::kList)) return Unknown("a list is unknown");
  Cells& items = self->items;
  if (name == "size") return Place(items.size());
  if (name == "empty") return NewCell(Number(items.empty()));
  if (name == "begin" || name == "cbegin" || name == "data") {
    return NewCell(PointerToItem(self, 0));
  }
  if (name == "end" || name == "cend") return NewCell(PointerToItem(self, std::ssize(items)));
  if (name == "reserve") return self;
  if ((name == "front" || name == "back") && !items.empty()) {
    return name == "front" ? items.front() : items.back();
  }
  const std::string type = LibraryClass(method->getParent());
  const bool keyed = type.find("map") != std::string::npos;
  if (name == "at" && !keyed && arguments.size() == 1) {
    return Dereference(
        *Arithmetic(clang::BO_Add, PointerToItem(self, 0), *arguments[0], context_.IntTy));
  }
  if (name == "at" || name == "count" || name == "contains" || name == "find") {
    if (kind == clang::OO_Subscript && keyed) name = "[]";
    return Find(name, keyed, self, arguments);
  }
  const bool adds = name == "push_back" || name == "emplace_back" || name == "insert";
  if (adds && arguments.size() == 1 && items.size() < 100'000) {
    items.push_back(NewCell(Copied(*arguments[0])));
    MarkModified(self);
    return self;
  }
  if (name == "clear") {
    Store(self, List());
    return self;
  }
  if (!method->isConst()) Store(self, Value());
  return Unknown("what std::" + type + "::" + name + " comes to is unknown");
}

std::optional<Cell> Interpreter::LibraryFunction(const clang::FunctionDecl* function,
                                                 const Cells& arguments) {
  const bool mine = function->isInStdNamespace() || function->isExternC();
  if (!mine || function->hasBody()) return std::nullopt;
  const std::string name = NameOf(function);
  if (arguments.size() == 1 && arguments[0]->Is(ValueKind::kNumber)) {
    const int character = static_cast<unsigned char>(arguments[0]->number);
    const bool large =
        function->getParamDecl(0)->getType()->isUnsignedIntegerType() && arguments[0]->number < 0;
    if (name == "to_string" && !large) return NewCell(Text(std::to_string(arguments[0]->number)));
    if (name == "tolower") return NewCell(Number(std::tolower(character)));
    if (name == "toupper") return NewCell(Number(std::toupper(character)));
  }
  if (name == "strlen" && arguments.size() == 1 && arguments[0]->Is(ValueKind::kString)) {
    return Place(arguments[0]->text.size());
  }
  if (arguments.size() != 2) return std::nullopt;
  const std::optional<std::string> left = TextOf(arguments[0]);
  const std::optional<std::string> right = TextOf(arguments[1]);
  if (!left || !right) return std::nullopt;
  switch (function->getOverloadedOperator()) {
    case clang::OO_Plus:
      return NewCell(Text(*left + *right));
    case clang::OO_EqualEqual:
      return NewCell(Number(*left == *right));
    case clang::OO_ExclaimEqual:
      return NewCell(Number(*left != *right));
    case clang::OO_Less:
      return NewCell(Number(*left < *right));
    case clang::OO_Greater:
      return NewCell(Number(*left > *right));
    default:
      break;
  }
  if (name == "strcmp") return NewCell(Number(left->compare(*right)));
  return std::nullopt;
}

}  // namespace opledger::scan::ast

// Models the functions and classes of the standard library that build strings and lists. They are
// declared in stdlib_stub.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <utility>

#include "clang/AST/DeclTemplate.h"
#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

std::string NameOf(const clang::NamedDecl* declaration) {
  return declaration->getDeclName().isIdentifier() ? declaration->getNameAsString() : std::string();
}

// Returns "string", "vector", ..., or an empty string if the class is not of the standard library.
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

// Sets and maps hold each key once.
bool IsKeyed(const std::string& type) { return type.ends_with("set") || type.ends_with("map"); }

// Returns whether the container has a custom comparison.
bool ComparesItself(const clang::CXXRecordDecl* type) {
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(type);
  if (made == nullptr) return true;
  const bool unordered = NameOf(type).starts_with("unordered");
  const unsigned at = (NameOf(type).ends_with("map") ? 2U : 1U) + (unordered ? 1U : 0U);
  if (made->getTemplateArgs().size() <= at) return true;
  const clang::CXXRecordDecl* compares =
      made->getTemplateArgs().get(at).getAsType()->getAsCXXRecordDecl();
  return compares == nullptr || NameOf(compares) != (unordered ? "equal_to" : "less");
}

// Returns the text of a string or a character.
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

// Returns the field `name` ("first" or "second") of a pair.
Cell PartOf(const Cell& pair, const char* name) {
  for (const auto& [field, cell] : pair->fields) {
    if (NameOf(llvm::cast<clang::NamedDecl>(field)) == name) return cell;
  }
  return nullptr;
}

// Returns a negative number, 0 or a positive number, or nullopt if the order is unknown. Numbers
// beyond 63 bits do not occur as keys.
std::optional<int> Ordered(const Value& a, const Value& b) {
  if (a.Is(ValueKind::kString) && b.Is(ValueKind::kString)) return a.text.compare(b.text);
  if (a.Is(ValueKind::kNumber) && b.Is(ValueKind::kNumber)) {
    return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
  }
  return std::nullopt;
}

std::string PrintedNumber(const Value& number, clang::QualType type) {
  if (!type.getNonReferenceType()->isUnsignedIntegerType()) return std::to_string(number.number);
  return std::to_string(static_cast<unsigned long long>(number.number));
}

Cell Place(std::size_t at) { return NewCell(Number(static_cast<long long>(at))); }

}  // namespace

Cell Interpreter::TextObject(const std::string& type, const Cells& arguments) {
  if (arguments.empty()) return NewCell(Text({}));
  if (type == "basic_ostringstream")
    return Unknown("a stream with initial contents is not followed");
  const Cell first = NewCell(Copied(*AsText(arguments[0])));
  if (first->Is(ValueKind::kNumber) && arguments.size() == 2 &&
      arguments[1]->Is(ValueKind::kNumber)) {
    if (first->number < 0 || first->number > static_cast<long long>(kMaxItems))
      return Unknown("a string is too long");
    return NewCell(Text(std::string(static_cast<std::size_t>(first->number),
                                    static_cast<char>(arguments[1]->number))));
  }
  if (arguments.size() == 1 && first->Is(ValueKind::kList)) {  // of characters
    std::string text;
    for (const Cell& item : first->items) {
      if (!item->Is(ValueKind::kNumber)) return Unknown("a character is unknown");
      text += static_cast<char>(item->number);
    }
    return NewCell(Text(std::move(text)));
  }
  if (!first->Is(ValueKind::kString)) return Unknown("the contents of a string are unknown");
  if (arguments.size() == 1) return NewCell(Text(first->text));
  const Value& begin = *arguments[0];
  const Value& end = *arguments[1];
  if (arguments.size() == 2 && begin.Is(ValueKind::kPointer) && end.Is(ValueKind::kPointer) &&
      begin.target == end.target && !end.anywhere && begin.number <= end.number) {
    return NewCell(
        Text(first->text.substr(0, static_cast<std::size_t>(end.number - begin.number))));
  }
  const auto count = SizeAt(arguments, 1, 0);
  const bool prefix = arguments.size() == 2 && count && *count <= first->text.size();
  return prefix ? NewCell(Text(first->text.substr(0, *count)))
                : Unknown("the contents of a string are unknown");
}

// Makes `view` a view of `text`, so that it becomes stale when `text` changes.
Cell Interpreter::Viewing(const Cell& view, const Cell& text) {
  if (!view->Is(ValueKind::kString)) return view;
  view->viewed = text->viewed ? text->viewed : text;
  view->viewed_changes = text->viewed ? text->viewed_changes : text->changes;
  return view;
}

std::optional<Cell> Interpreter::LibraryObject(const clang::CXXConstructorDecl* constructor,
                                               const Cells& arguments) {
  const std::string type = LibraryClass(constructor->getParent());
  if (type.empty()) return std::nullopt;
  if (type == "function") {
    if (arguments.empty()) return NewCell(Number(0));
    return NewCell(Copied(*arguments[0]));
  }
  if (IsText(type)) {
    Cell made = TextObject(type, arguments);
    const bool views = type == "basic_string_view" && !arguments.empty();
    return views ? Viewing(made, arguments[0]) : made;
  }
  if (!IsList(type)) return std::nullopt;
  const Cell made = NewCell(List());
  if (arguments.empty()) return made;
  if (arguments.size() == 1 && arguments[0]->Is(ValueKind::kList)) {
    if (type == NameOf(constructor->getParent()) && constructor->isCopyOrMoveConstructor()) {
      return NewCell(Copied(*arguments[0]));
    }
    for (const Cell& item : Cells(arguments[0]->items))
      Insert(constructor->getParent(), made, *item);
    return made;
  }
  const Value& begin = *arguments[0];
  if (arguments.size() == 2 && begin.Is(ValueKind::kNumber) && !IsKeyed(type) &&
      begin.number >= 0 && begin.number <= static_cast<long long>(kMaxFilled)) {
    for (long long i = 0; i < begin.number; ++i) {
      made->items.push_back(NewCell(Copied(*arguments[1])));
    }
    return made;
  }
  const bool slice = arguments.size() == 2 && begin.Is(ValueKind::kPointer) &&
                     arguments[1]->Is(ValueKind::kPointer) && begin.to_item && !begin.anywhere &&
                     !arguments[1]->anywhere && begin.target == arguments[1]->target &&
                     begin.target->Is(ValueKind::kList);
  if (!slice) {
    for (const Cell& argument : arguments) LosePointees(*argument);
    return Unknown("the contents of a list are unknown");
  }
  const Cells items = begin.target->items;
  for (long long i = std::max(0LL, begin.number);
       i < std::min<long long>(arguments[1]->number, std::ssize(items)); ++i) {
    Insert(constructor->getParent(), made, *items[static_cast<std::size_t>(i)]);
  }
  return made;
}

// Inserts at the end of a list, or by key into a set or map. Returns null if the item is already
// there or the list has become unknown.
Cell Interpreter::Insert(const clang::CXXRecordDecl* type, const Cell& list, const Value& value) {
  const std::string name = LibraryClass(type);
  if (!list->Is(ValueKind::kList)) return nullptr;
  Cell item = NewCell(Copied(value));
  auto at = list->items.end();
  if (IsKeyed(name)) {
    const bool map = name.ends_with("map");
    const Cell key = map ? PartOf(item, "first") : item;
    bool known = key != nullptr && !key->Is(ValueKind::kUnknown);
    for (auto it = list->items.begin(); it != list->items.end() && known; ++it) {
      const Cell other = map ? PartOf(*it, "first") : *it;
      const auto order = other ? Ordered(*key, *other) : std::nullopt;
      if (order == 0 && !ComparesItself(type)) return nullptr;
      known = order.has_value() && !ComparesItself(type);
      if (known && *order < 0 && at == list->items.end()) at = it;
    }
    if (!known) {
      LosePointees(value);
      Forget(list);
      return nullptr;
    }
    if (name.starts_with("unordered")) at = list->items.end();
  }
  if (list->items.size() >= kMaxItems) {
    Forget(list);
    return nullptr;
  }
  list->items.insert(at, item);
  MarkModified(list);
  return item;
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
      given[0] = NewCell(Text(PrintedNumber(*given[0], method->getParamDecl(0)->getType())));
    }
    for (Cell& one : given) one = AsText(one);
    const bool stale = self->viewed && self->viewed->changes != self->viewed_changes;
    if (stale && name != "assign") return Unknown("it views a string that has changed");
    if (self->Is(ValueKind::kString)) {
      std::optional<Cell> known = StringMethod(name, self, given);
      const bool views =
          name == "c_str" || name == "data" || (name == "substr" && type == "basic_string_view");
      if (known) return views ? Viewing(*known, self) : known;
    }
    if ((name == "assign" || name == "str") && given.size() == 1) {
      const std::optional<std::string> text = TextOf(given[0]);
      Store(self, text ? Text(*text) : Value());
      return self;
    }
    if (!method->isConst()) Forget(self);
    return Unknown("the result of std::string::" + name + " is unknown");
  }
  return IsList(type) ? ListMethod(method, self, arguments) : std::nullopt;
}

std::optional<Cell> Interpreter::StringMethod(const std::string& name, const Cell& self,
                                              const Cells& arguments) {
  const std::string& text = self->text;
  if (name == "size" || name == "length") return Place(text.size());
  if (name == "empty") return NewCell(Number(text.empty()));
  if ((name == "c_str" || name == "data" || name == "str") && arguments.empty()) {
    return NewCell(Text(text));
  }
  if (name == "begin") return NewCell(PointerToItem(self, 0));
  if (name == "end") return NewCell(PointerToItem(self, std::ssize(text)));
  if ((name == "remove_prefix" || name == "remove_suffix") && arguments.size() == 1) {
    const auto count = SizeAt(arguments, 0, 0);
    if (!count || *count > text.size()) return std::nullopt;
    const bool prefix = name == "remove_prefix";
    Store(self, Text(text.substr(prefix ? *count : 0, text.size() - *count)));
    return self;
  }
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
    if (!at || *at > text.size() || (*at == text.size() && name != "at")) return std::nullopt;
    return Dereference(PointerToItem(self, static_cast<long long>(*at)));
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
  if (arguments.size() >= 2 && (name == "insert" || name == "replace" || name == "append")) {
    return Spliced(name, self, arguments);
  }
  const std::optional<std::string> given = TextOf(arguments[0]);
  if (!given) return std::nullopt;
  if ((name == "append" || name == "push_back") && arguments.size() == 1) {
    Store(self, Text(text + *given));
    return self;
  }
  return Compared(name, text, *given, arguments);
}

// starts_with("a"), compare("a") or find("a", 2) of a string.
std::optional<Cell> Interpreter::Compared(const std::string& name, const std::string& text,
                                          const std::string& given, const Cells& arguments) {
  if (name == "starts_with") return NewCell(Number(text.starts_with(given)));
  if (name == "ends_with") return NewCell(Number(text.ends_with(given)));
  if (name == "compare" && arguments.size() == 1) return NewCell(Number(text.compare(given)));
  const bool backwards = name == "rfind" || name.starts_with("find_last");
  const auto from = SizeAt(arguments, 1, backwards ? std::string::npos : 0);
  if (!from || arguments.size() > 2) return std::nullopt;
  if (name == "find") return Place(text.find(given, *from));
  if (name == "rfind") return Place(text.rfind(given, *from));
  if (name == "find_first_of") return Place(text.find_first_of(given, *from));
  if (name == "find_last_of") return Place(text.find_last_of(given, *from));
  if (name == "find_first_not_of") return Place(text.find_first_not_of(given, *from));
  if (name == "find_last_not_of") return Place(text.find_last_not_of(given, *from));
  return std::nullopt;
}

// append(3, 'x'), append("text", 2), insert(1, "text"), replace(1, 2, "text")
std::optional<Cell> Interpreter::Spliced(const std::string& name, const Cell& self,
                                         const Cells& arguments) {
  std::string text = self->text;
  const std::optional<std::string> given = TextOf(arguments.back());
  const auto from = SizeAt(arguments, 0, 0);
  const auto count = SizeAt(arguments, 1, 0);
  if (name == "append" && arguments.size() == 2) {
    if (arguments[0]->Is(ValueKind::kString)) {
      if (!count || *count > arguments[0]->text.size()) return std::nullopt;
      text += arguments[0]->text.substr(0, *count);
    } else {
      if (!from || *from > kMaxFilled || !given) return std::nullopt;
      text.append(*from, given->front());
    }
  } else if (name == "insert" && arguments.size() == 2) {
    if (!from || *from > text.size() || !given || !arguments[1]->Is(ValueKind::kString)) {
      return std::nullopt;
    }
    text.insert(*from, *given);
  } else if (name == "replace" && arguments.size() == 3) {
    if (!from || *from > text.size() || !count || !given) return std::nullopt;
    if (!arguments[2]->Is(ValueKind::kString)) return std::nullopt;
    text.replace(*from, *count, *given);
  } else {
    return std::nullopt;
  }
  Store(self, Text(std::move(text)));
  return self;
}

// Returns the value that {} creates.
Cell Interpreter::Empty(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isScalarType()) return NewCell(Number(0));
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const std::string name = record != nullptr ? LibraryClass(record) : std::string();
  if (IsText(name)) return NewCell(Text({}));
  if (IsList(name)) return NewCell(List());
  return Unknown("the empty value of a type is unknown");
}

// Looks up an item by key, for at, count, contains, find, [] and erase.
Cell Interpreter::Find(const std::string& name, const clang::CXXMethodDecl* method,
                       const Cell& self, const Cells& arguments) {
  const clang::CXXRecordDecl* type = method->getParent();
  const bool map = LibraryClass(type).ends_with("map");
  bool known =
      arguments.size() == 1 && !arguments[0]->Is(ValueKind::kUnknown) && !ComparesItself(type);
  const Cells items = self->items;
  for (std::size_t i = 0; i < items.size() && known; ++i) {
    const Cell key = map ? PartOf(items[i], "first") : items[i];
    const auto order = key ? Ordered(*key, *arguments[0]) : std::nullopt;
    known = order.has_value();
    if (!known || *order != 0) continue;
    Cell mapped = map ? PartOf(items[i], "second") : nullptr;
    if ((name == "at" || name == "[]") && mapped) return mapped;
    if (name == "find") return NewCell(PointerToItem(self, static_cast<long long>(i)));
    if (name != "erase") return NewCell(Number(1));
    self->items.erase(self->items.begin() + static_cast<std::ptrdiff_t>(i));
    MarkModified(self);
    return NewCell(Number(1));
  }
  if (known && name == "find") return NewCell(PointerToItem(self, std::ssize(items)));
  if (known && name != "[]" && name != "at") return NewCell(Number(0));
  const clang::CXXRecordDecl* pair = nullptr;
  for (const clang::Decl* member : type->decls()) {
    const auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(member);
    if (alias != nullptr && NameOf(alias) == "value_type") {
      pair = alias->getUnderlyingType()->getAsCXXRecordDecl();
    }
  }
  // operator[] inserts a missing key.
  if (known && name == "[]" && pair != nullptr && pair->hasDefinition()) {
    Value made;
    made.kind = ValueKind::kObject;
    made.type = pair;
    for (const clang::FieldDecl* field : pair->fields()) {
      const bool key = NameOf(field) == "first";
      made.fields[field->getCanonicalDecl()] =
          key ? NewCell(Copied(*arguments[0])) : Empty(field->getType());
    }
    const Cell item = Insert(type, self, made);
    if (item) return PartOf(item, "second");
  }
  if (!method->isConst() && name != "find" && name != "at") Forget(self);
  for (const Cell& item : items) LosePointees(*item);
  Unknown("a key is not found");
  return name == "at" || name == "[]" ? NewCell(SomeItemOf(self)) : NewCell();
}

// Returns the result of insert() on a set or map: a position and whether the item is new.
Cell Interpreter::Inserted(const clang::CXXMethodDecl* method, const Cell& self, bool fresh) {
  const clang::CXXRecordDecl* pair = method->getReturnType()->getAsCXXRecordDecl();
  if (pair == nullptr || !self->Is(ValueKind::kList))
    return Unknown("a position in a list is unknown");
  Value made;
  made.kind = ValueKind::kObject;
  made.type = pair;
  for (const clang::FieldDecl* field : pair->fields()) {
    const bool second = NameOf(field) == "second";
    Value place = PointerToItem(self, 0);
    place.anywhere = true;
    made.fields[field->getCanonicalDecl()] = NewCell(second ? Number(fresh) : place);
  }
  return NewCell(std::move(made));
}

// Returns whether the last parameter of the method is an initializer_list.
bool TakesItems(const clang::CXXMethodDecl* method) {
  if (method->getNumParams() == 0) return false;
  const clang::ParmVarDecl* const last = method->getParamDecl(method->getNumParams() - 1);
  const clang::CXXRecordDecl* const type =
      last->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return type != nullptr && LibraryClass(type) == "initializer_list";
}

std::optional<Cell> Interpreter::ListMethod(const clang::CXXMethodDecl* method, const Cell& self,
                                            const Cells& arguments) {
  if (method->hasBody()) return std::nullopt;
  std::string name = NameOf(method);
  const clang::OverloadedOperatorKind kind = method->getOverloadedOperator();
  if (kind == clang::OO_Subscript) name = "at";
  if (kind == clang::OO_Equal && arguments.size() == 1) {
    Store(self, Copied(*arguments[0]));
    return self;
  }
  if (!self->Is(ValueKind::kList)) {
    for (const Cell& argument : arguments) LosePointees(*argument);
    return Unknown("a list is unknown");
  }
  Cells& items = self->items;
  const std::string type = LibraryClass(method->getParent());
  const bool keyed = IsKeyed(type);
  const bool ordered = !keyed || items.size() < 2 ||
                       (!type.starts_with("unordered") && !ComparesItself(method->getParent()));
  if (name == "size") return Place(items.size());
  if (name == "empty") return NewCell(Number(items.empty()));
  if (ordered && (name == "begin" || name == "cbegin" || name == "data")) {
    return NewCell(PointerToItem(self, 0));
  }
  if (name == "end" || name == "cend") return NewCell(PointerToItem(self, std::ssize(items)));
  if (name == "reserve") return self;
  if ((name == "front" || name == "back") && !items.empty()) {
    return name == "front" ? items.front() : items.back();
  }
  if (name == "at" && !keyed && arguments.size() == 1) {
    return Dereference(
        *Arithmetic(clang::BO_Add, PointerToItem(self, 0), *arguments[0], context_.IntTy));
  }
  if (keyed && (name == "at" || name == "count" || name == "contains" || name == "find" ||
                name == "erase")) {
    if (kind == clang::OO_Subscript) name = "[]";
    return Find(name, method, self, arguments);
  }
  if (name == "insert" && TakesItems(method)) {
    if (std::optional<Cell> changed = InsertItems(method, self, arguments)) return changed;
  } else if ((name == "push_back" || name == "insert") && arguments.size() == 1) {
    const bool fresh = Insert(method->getParent(), self, *arguments[0]) != nullptr;
    return Inserted(method, self, fresh);
  }
  if (!TakesItems(method)) {
    if (std::optional<Cell> changed = ChangeList(name, self, arguments, keyed)) return changed;
  }
  if (!method->isConst()) Forget(self);
  for (const Cell& argument : arguments) LosePointees(*argument);
  return Unknown("the result of std::" + type + "::" + name + " is unknown");
}

// insert({a, b}), insert(it, {a, b})
std::optional<Cell> Interpreter::InsertItems(const clang::CXXMethodDecl* method, const Cell& self,
                                             const Cells& arguments) {
  const Cell& given = arguments.back();
  if (!given->Is(ValueKind::kList)) return std::nullopt;
  if (arguments.size() == 1) {
    for (const Cell& item : Cells(given->items)) Insert(method->getParent(), self, *item);
    return self;
  }
  const Value& place = *arguments[0];
  if (arguments.size() != 2 || !place.Is(ValueKind::kPointer) || !place.to_item || place.anywhere ||
      place.target != self || place.number < 0 || place.number > std::ssize(self->items)) {
    return std::nullopt;
  }
  Cells copies;
  for (const Cell& item : given->items) copies.push_back(NewCell(Copied(*item)));
  self->items.insert(self->items.begin() + place.number, copies.begin(), copies.end());
  MarkModified(self);
  return NewCell(place);
}

// erase(it), insert(it, item), pop_back(), clear()
std::optional<Cell> Interpreter::ChangeList(const std::string& name, const Cell& self,
                                            const Cells& arguments, bool keyed) {
  Cells& items = self->items;
  const Value* place = arguments.empty() ? nullptr : arguments[0].get();
  const bool placed = place != nullptr && place->Is(ValueKind::kPointer) && place->to_item &&
                      !place->anywhere && place->target == self && place->number >= 0 && !keyed;
  if (name == "erase" && placed && place->number < std::ssize(items)) {
    items.erase(items.begin() + place->number);
    MarkModified(self);
    return NewCell(*place);
  }
  if (name == "insert" && placed && arguments.size() == 2 && place->number <= std::ssize(items)) {
    items.insert(items.begin() + place->number, NewCell(Copied(*arguments[1])));
    MarkModified(self);
    return NewCell(*place);
  }
  if (name == "pop_back" && !items.empty()) {
    items.pop_back();
    MarkModified(self);
    return self;
  }
  if (name == "clear") {
    Store(self, List());
    return self;
  }
  return std::nullopt;
}

std::optional<Cell> Interpreter::LibraryFunction(const clang::FunctionDecl* function,
                                                 const Cells& arguments) {
  const bool mine = function->isInStdNamespace() || function->isExternC();
  const std::string name = NameOf(function);
  if (function->isInStdNamespace() && arguments.size() == 1) {
    if (name == "forward" || name == "as_const") return arguments[0];
    if (name == "addressof") return AddressOf(arguments[0]);
    if (name == "move") {
      const clang::QualType type = function->getParamDecl(0)->getType().getNonReferenceType();
      const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
      const bool library = record != nullptr && record->isInStdNamespace();
      if (type.isConstQualified() || (!library && type.isTriviallyCopyableType(context_))) {
        return arguments[0];
      }
      const Cell moved = NewCell(Copied(*arguments[0]));
      Store(arguments[0], Value());  // the moved-from value is unspecified
      return moved;
    }
  }
  if (!mine || function->hasBody()) return std::nullopt;
  if (arguments.size() == 1 && arguments[0]->Is(ValueKind::kNumber)) {
    const int character = static_cast<unsigned char>(arguments[0]->number);
    if (name == "to_string") {
      return NewCell(Text(PrintedNumber(*arguments[0], function->getParamDecl(0)->getType())));
    }
    if (name == "isalnum") return NewCell(Number(std::isalnum(character) != 0));
    if (name == "isdigit") return NewCell(Number(std::isdigit(character) != 0));
    if (name == "tolower") return NewCell(Number(std::tolower(character)));
    if (name == "toupper") return NewCell(Number(std::toupper(character)));
  }
  if (name == "strlen" && arguments.size() == 1 && arguments[0]->Is(ValueKind::kString)) {
    return Place(arguments[0]->text.size());
  }
  if (arguments.size() != 2) return std::nullopt;
  const std::optional<std::string> left = TextOf(AsText(arguments[0]));
  const std::optional<std::string> right = TextOf(AsText(arguments[1]));
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
    case clang::OO_LessEqual:
      return NewCell(Number(*left <= *right));
    case clang::OO_GreaterEqual:
      return NewCell(Number(*left >= *right));
    default:
      break;
  }
  if (name == "strcmp") return NewCell(Number(left->compare(*right)));
  return std::nullopt;
}

}  // namespace opledger::scan::ast

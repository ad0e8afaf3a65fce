// Values of the interpreter: numbers, strings, lists, objects, pointers, functions, and unknown. An
// unknown value is never guessed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CXXRecordDecl;
class Decl;
class FunctionDecl;
}  // namespace clang

namespace opledger::scan::ast {

// Larger values are unknown.
inline constexpr std::size_t kMaxItems = 100'000;  // of an array, list or string
inline constexpr std::size_t kMaxFilled = 10'000;  // items that one call adds

struct Value;
struct Frame;
// A place that holds a value: a variable, field or item. References share a cell.
using Cell = std::shared_ptr<Value>;

struct Value {
  enum class Kind {
    kUnknown,
    kNumber,   // integers, booleans, characters, enumerators, and the null pointer as 0
    kString,   // std::string, std::string_view, arrays of and pointers to characters
    kList,     // arrays and the containers of the standard library
    kObject,   // of a class that the unit defines
    kPointer,  // to a cell or to an item of a list
    kFunction
  };
  Kind kind = Kind::kUnknown;
  long long number = 0;  // of a number, or the index of a pointer to an item
  std::string text;      // of a string; for an unknown value the reason
  std::vector<Cell> items;
  std::map<const clang::Decl*, Cell> fields;
  const clang::CXXRecordDecl* type = nullptr;  // of an object: the most derived class
  Cell target;  // of a pointer: a cell, or the list that has the item
  bool to_item = false;
  bool anywhere = false;  // of a pointer to an item: the item is unknown
  const clang::FunctionDecl* function = nullptr;
  std::shared_ptr<Frame> captured;  // variables that a lambda captures
  // What a store here also changes: the string of a character, or the list of an unknown item.
  Cell whole;
  long long place = -1;  // of a character
  bool lost = false;     // unknown for good: code that is not followed may change it at any time
  long born = 0;         // serial number of the cell
  long changes = 0;      // number of changes of the cell
  // For a string view: the string that it views and its `changes` at that time.
  Cell viewed;
  long viewed_changes = 0;

  bool Is(Kind other) const { return kind == other; }
};

Cell NewCell(Value value = {});
inline Value Number(long long number) {
  Value value;
  value.kind = Value::Kind::kNumber;
  value.number = number;
  return value;
}
inline Value Text(std::string text) {
  Value value;
  value.kind = Value::Kind::kString;
  value.text = std::move(text);
  return value;
}
inline Value List() {
  Value value;
  value.kind = Value::Kind::kList;
  return value;
}
inline Value PointerTo(const Cell& cell) {
  Value value;
  value.kind = Value::Kind::kPointer;
  value.target = cell;
  return value;
}
inline Value PointerToItem(const Cell& list, long long index) {
  Value value = PointerTo(list);
  value.to_item = true;
  value.number = index;
  return value;
}

// Returns an unknown item of a list.
inline Value SomeItemOf(const Cell& list) {
  Value value;
  value.whole = list;
  return value;
}

// Copies a value as C++ copies objects: its items and fields are copied, what it points to is
// shared.
Value Copied(const Value& value);

}  // namespace opledger::scan::ast

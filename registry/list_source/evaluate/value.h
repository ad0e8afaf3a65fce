// A value that follows from the text of a Python module, or why it does not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/python/python.h"

namespace opledger {

// What could not be read, where, and what to do.
struct PythonProblem {
  Location place;
  std::string message;
  std::string hint;

  auto operator<=>(const PythonProblem&) const = default;
};

inline constexpr char kParameter[] = "<parameter>";  // the name of what a caller would give
inline constexpr char kItem[] = "<item>";            // the name of an item of what is not known
inline constexpr char kLambda[] = "<lambda>";        // the name of a function without one

class PythonEvaluator;
struct PythonContainer;
struct PythonScope;

struct PythonValue {
  enum class Kind { kUnknown, kString, kNumber, kConstant, kContainer, kFunction, kClass };
  Kind kind = Kind::kUnknown;
  std::string text;     // of a string its value; of a number or constant its spelling; of an
                        // unknown value what it is, where it is no list: "collections.deque"
  bool joined = false;  // a string of several adjacent literals
  bool literal = true;  // stands in the text as it is
  PythonId place = 0;   // of the literal, or of what computed the value
  int problem = -1;     // of an unknown value: a number of PythonEvaluator::problems()
  bool given = false;   // with hooks, of an unknown value: it rests on a parameter
  PythonContainer* container = nullptr;
  PythonScope* scope = nullptr;  // of a class its names, of a function those around it
  // Of a function: what its parameters are if they are not given.
  std::shared_ptr<const std::map<PythonId, PythonValue>> defaults;
  PythonScope* object = nullptr;    // of a method that is a value: the object it is bound to
  PythonEvaluator* home = nullptr;  // with hooks, of a function or class: whose tree `place` is of

  bool IsUnknown() const { return kind == Kind::kUnknown; }
  bool IsString() const { return kind == Kind::kString; }
  bool IsContainer() const { return kind == Kind::kContainer; }
};

struct PythonElement {
  PythonValue value;
  PythonValue key;    // of a dict
  Condition feature;  // when it is there
  std::string hash;   // of a set's value or a dict's key; see PythonHash
};

// A list, tuple, set or dict; values refer to it, as in Python.
struct PythonContainer {
  enum class Kind { kList, kTuple, kSet, kDict };
  Kind kind = Kind::kList;
  PythonId place = 0;
  bool ordered = true;   // the order is known: not that of a set
  int epoch = 0;         // of the evaluation that made it
  bool inside = true;    // made by the module itself, not in a call from another one
  bool outside = false;  // changed in calls from other modules, perhaps by an earlier evaluation
  std::vector<PythonElement> elements;
  std::set<int> problems;          // what could not be read of it; none: it is complete
  std::set<PythonContainer*> kin;  // in Python the same one, perhaps, but copies here
};

// A value that a name has where later tests do not hold.
struct PythonOther {
  PythonValue value;
  Condition when;
};

struct PythonBinding {
  std::string name;
  PythonId place = 0;  // where it was first assigned
  PythonValue value;
  Condition when;                        // under which a value that is no container is known
  bool bound = true;                     // false after `del`
  std::vector<PythonOther> others = {};  // with hooks
};

// The names of a module, class or call, in the order of their first assignment.
struct PythonScope {
  PythonScope* parent = nullptr;
  bool is_class = false;
  bool is_comprehension = false;
  std::vector<PythonBinding> bindings;
  std::map<std::string, std::size_t, std::less<>> numbers;  // of bindings
  std::set<std::string, std::less<>> globals;
  std::set<std::string, std::less<>> nonlocals;
  Condition base;                     // under which the scope was made
  std::shared_ptr<PythonValue> self;  // of an object's attributes: the object
  std::string stands_for;             // of an object: what its foreign base class made it, by name

  PythonBinding* Find(std::string_view name);
  PythonBinding& Make(std::string_view name, PythonId place);
};

// Equal for values that are equal as members of a set or keys; empty where that is not known.
std::string PythonHash(const PythonValue& value);

// A decimal integer of 64 bits.
bool PythonInteger(const PythonValue& value, long long& out);

}  // namespace opledger

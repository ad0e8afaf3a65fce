// A value that follows from the text of a Python module, or the reason why it is unknown.
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

// Something that could not be evaluated, its location, and the remedy.
struct PythonProblem {
  Location place;
  std::string message;
  std::string hint;

  auto operator<=>(const PythonProblem&) const = default;
};

inline constexpr char kParameter[] = "<parameter>";  // name of a parameter's value
inline constexpr char kItem[] = "<item>";            // name of an item of an unknown value
inline constexpr char kLambda[] = "<lambda>";        // name of an anonymous function

class PythonEvaluator;
struct PythonContainer;
struct PythonScope;

struct PythonValue {
  enum class Kind { kUnknown, kString, kNumber, kConstant, kContainer, kFunction, kClass };
  Kind kind = Kind::kUnknown;
  std::string text;     // value of a string; spelling of a number or constant; description of an
                        // unknown value that is not a list: "collections.deque"
  bool joined = false;  // a string made of several adjacent literals
  bool literal = true;  // appears literally in the source
  PythonId place = 0;   // the literal, or the node that computed the value
  int problem = -1;     // for an unknown value: argument of PythonEvaluator::Problem()
  bool given = false;   // with hooks, for an unknown value: it depends on a parameter
  PythonContainer* container = nullptr;
  PythonScope* scope = nullptr;  // names of a class; the enclosing names of a function
  // For a function: the default values of its parameters.
  std::shared_ptr<const std::map<PythonId, PythonValue>> defaults;
  PythonScope* object = nullptr;  // for a bound method: its object
  // With hooks, for a function or class: the evaluator of the tree that contains `place`.
  PythonEvaluator* home = nullptr;

  bool IsUnknown() const { return kind == Kind::kUnknown; }
  bool IsString() const { return kind == Kind::kString; }
  bool IsContainer() const { return kind == Kind::kContainer; }
};

struct PythonElement {
  PythonValue value;
  PythonValue key;    // for a dict
  Condition feature;  // condition under which it exists
  std::string hash;   // of a set's value or a dict's key; see PythonHash
};

// A list, tuple, set or dict. Values refer to it, as in Python.
struct PythonContainer {
  enum class Kind { kList, kTuple, kSet, kDict };
  Kind kind = Kind::kList;
  PythonId place = 0;
  bool ordered = true;   // whether the order is known; false for sets
  int epoch = 0;         // the evaluation that created it
  bool inside = true;    // created by the module itself, not in a call from another module
  bool outside = false;  // changed in calls from other modules, possibly by an earlier evaluation
  std::vector<PythonElement> elements;
  std::set<int> problems;  // parts that could not be evaluated; empty if the container is complete
  std::set<PythonContainer*> kin;  // possibly the same object in Python, but copies here
};

// A value that a name has if later tests are false.
struct PythonOther {
  PythonValue value;
  Condition when;
};

struct PythonBinding {
  std::string name;
  PythonId place = 0;  // first assignment
  PythonValue value;
  Condition when;     // condition under which a value other than a container is known
  bool bound = true;  // false after `del`
  std::vector<PythonOther> others = {};  // with hooks
};

// The names of a module, class or call, in the order of their first assignment.
struct PythonScope {
  PythonScope* parent = nullptr;
  bool is_class = false;
  bool is_comprehension = false;
  std::vector<PythonBinding> bindings;
  std::map<std::string, std::size_t, std::less<>> numbers;  // name -> index of its binding
  std::set<std::string, std::less<>> globals;
  std::set<std::string, std::less<>> nonlocals;
  Condition base;                     // condition under which the scope was created
  std::shared_ptr<PythonValue> self;  // for an object's attributes: the object
  std::string stands_for;             // for an object: name of the result of its foreign base class

  PythonBinding* Find(std::string_view name);
  PythonBinding& Make(std::string_view name, PythonId place);
};

// Returns a text that is equal for equal members of a set or keys of a dict, or an empty string if
// unknown.
std::string PythonHash(const PythonValue& value);

// Parses a decimal integer that fits 64 bits.
bool PythonInteger(const PythonValue& value, long long& out);

}  // namespace opledger

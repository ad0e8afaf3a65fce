// Finds uses of lists with unknown effects; see python_uses.h. Anything not listed here is unknown.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/evaluate/python_uses.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace opledger {
namespace {

using NameTexts = std::set<std::string_view>;
using NodeIds = std::span<const PythonId>;

const NameTexts& ReadingMethods() {
  static const NameTexts kMethods = {
      "copy",  "count",        "difference", "get",        "index",        "issubset",
      "items", "intersection", "issuperset", "isdisjoint", "keys",         "symmetric_difference",
      "union", "values",       "__copy__",   "__len__",    "__contains__", "join",
      "format"};
  return kMethods;
}

// Returns the methods that the evaluator implements.
const NameTexts& ChangingMethods() {
  static const NameTexts kMethods = {"add",
                                     "append",
                                     "clear",
                                     "difference_update",
                                     "discard",
                                     "extend",
                                     "insert",
                                     "intersection_update",
                                     "pop",
                                     "popitem",
                                     "remove",
                                     "reverse",
                                     "setdefault",
                                     "sort",
                                     "symmetric_difference_update",
                                     "update"};
  return kMethods;
}

class UseFinder {
 public:
  UseFinder(const PythonTree& tree, const PythonVisits& visits,
            const std::function<PythonHeld(std::string_view)>& held)
      : tree_(tree), visits_(visits), held_(held), parents_(tree.size()) {}

  std::vector<PythonUse> Find();

 private:
  void Prepare();
  void Walk(PythonId id);
  void WalkAll(NodeIds ids) {
    for (const PythonId id : ids) Walk(id);
  }
  void WalkFunction(PythonId id);
  void WalkLambda(PythonId id);
  void Name(PythonId id);
  void Rebound(std::string_view name, PythonId place);
  void MemberOfClass(PythonId attribute);
  void Body(PythonId function);
  void Methods(PythonId class_definition);
  bool IsKnown(PythonId use, bool nested) const;
  bool IsKnownHere(PythonId use) const;
  bool IsKnownCall(PythonId call, bool of_module) const;
  bool IsCallee(PythonId id) const;
  bool IsCarriedOut(PythonId call) const;
  bool IsTarget(PythonId id) const;
  void Bound(PythonId id, NameTexts& bound) const;
  std::size_t PositionOf(PythonId id) const;

  const PythonTree& tree_;
  const PythonVisits& visits_;
  const std::function<PythonHeld(std::string_view)>& held_;
  std::vector<PythonId> parents_;
  std::multimap<std::string_view, PythonId> definitions_;  // functions and classes
  std::set<PythonId> walked_;                              // bodies
  std::vector<PythonUse> uses_;
  NameTexts locals_;   // of the current function
  NameTexts members_;  // of the class of the current method
  std::string_view class_;
  bool in_body_ = false;  // of a function or lambda, which is not evaluated where it is defined
};

void UseFinder::Prepare() {
  std::vector<PythonId> open = {tree_.root()};
  while (!open.empty()) {
    const PythonId id = open.back();
    open.pop_back();
    if (tree_.Kind(id) == PythonKind::kFunction || tree_.Kind(id) == PythonKind::kClass) {
      definitions_.emplace(tree_[id].text, id);
    }
    for (const PythonId part : tree_.Children(id)) {
      if (part == 0) continue;
      parents_[part] = id;
      open.push_back(part);
    }
  }
}

std::size_t UseFinder::PositionOf(PythonId id) const {
  const NodeIds parts = tree_.Children(parents_[id]);
  return static_cast<std::size_t>(std::find(parts.begin(), parts.end(), id) - parts.begin());
}

bool UseFinder::IsCallee(PythonId id) const {
  return tree_.Kind(parents_[id]) == PythonKind::kCall && PositionOf(id) == 0;
}

// Returns whether the evaluator reached the call or name, or skipped its statement.
bool UseFinder::IsCarriedOut(PythonId call) const {
  if (visits_.calls.contains(call) || visits_.names.contains(call)) return true;
  PythonId statement = call;
  while (statement != 0 && tree_.Kind(parents_[statement]) != PythonKind::kBlock &&
         tree_.Kind(parents_[statement]) != PythonKind::kModule) {
    statement = parents_[statement];
  }
  return !visits_.statements.contains(statement);
}

// Returns whether the statement assigns or deletes the node or a part of it.
bool UseFinder::IsTarget(PythonId id) const {
  for (PythonId parent = parents_[id];; id = parent, parent = parents_[id]) {
    const std::size_t position = PositionOf(id);
    switch (tree_.Kind(parent)) {
      case PythonKind::kAssign:
        return position > 0;
      case PythonKind::kAugmentedAssign:
      case PythonKind::kAnnotatedAssign:
      case PythonKind::kFor:
      case PythonKind::kNamed:
      case PythonKind::kClause:
        return position == 0;
      case PythonKind::kWithItem:
        return position == 1;
      case PythonKind::kDelete:
        return true;
      case PythonKind::kAttribute:
      case PythonKind::kTuple:
      case PythonKind::kList:
      case PythonKind::kStarred:
        continue;
      case PythonKind::kSubscript:
        if (position == 0) continue;
        return false;
      default:
        return false;
    }
  }
}

bool UseFinder::IsKnownCall(PythonId call, bool of_module) const {
  const PythonId function = tree_.Child(call, 0);
  const std::string_view name = tree_[function].text;
  if (tree_.Kind(function) == PythonKind::kAttribute) {
    if (name == "join") return true;
    // The evaluator handles their effects on unknown values.
    return of_module;
  }
  if (tree_.Kind(function) != PythonKind::kName) return of_module;
  if (held_(name) == PythonHeld::kUnbound && !locals_.contains(name)) {
    return IsPythonReader(name) || (of_module && name == "dict");
  }
  return of_module;
}

// Returns whether a use cannot change the list, wherever it occurs.
bool UseFinder::IsKnown(PythonId use, bool nested) const {
  if (IsTarget(use)) return false;
  const PythonId parent = parents_[use];
  const std::size_t position = PositionOf(use);
  switch (tree_.Kind(parent)) {
    case PythonKind::kComparison:
    case PythonKind::kCompared:
    case PythonKind::kGlobal:
    case PythonKind::kReplacement:
    case PythonKind::kExpressionStatement:
    case PythonKind::kUnary:
    case PythonKind::kBranch:
    case PythonKind::kWhile:
    case PythonKind::kAssert:
    case PythonKind::kReturn:
    case PythonKind::kMatch:
      return true;
    case PythonKind::kFor:
    case PythonKind::kClause:
    case PythonKind::kStarred:
    case PythonKind::kBinary:
    case PythonKind::kAugmentedAssign:
      return !nested;
    case PythonKind::kSubscript:
      return position == 1 || !nested;
    case PythonKind::kAttribute:
      return !nested && IsCallee(parent) && ReadingMethods().contains(tree_[parent].text);
    case PythonKind::kBoolean:
      return IsKnown(parent, nested);
    case PythonKind::kConditional:
      return position == 0 || IsKnown(parent, nested);
    case PythonKind::kCall:
      return position > 0 && IsKnownCall(parent, false);
    default:
      return false;
  }
}

// Like IsKnown(), for a use in the module itself: also true if the evaluator handles it.
bool UseFinder::IsKnownHere(PythonId use) const {
  const PythonId parent = parents_[use];
  const bool name = tree_.Kind(use) == PythonKind::kName && !IsTarget(use);
  if (name && !IsCarriedOut(use)) return IsKnown(use, false);
  switch (tree_.Kind(parent)) {
    case PythonKind::kAssign:
    case PythonKind::kAnnotatedAssign:
    case PythonKind::kAugmentedAssign:
    case PythonKind::kDelete:
    case PythonKind::kNamed:
    case PythonKind::kList:
    case PythonKind::kTuple:
    case PythonKind::kSet:
    case PythonKind::kDict:
    case PythonKind::kPair:
    case PythonKind::kFor:
    case PythonKind::kClause:
    case PythonKind::kStarred:
    case PythonKind::kBinary:
    case PythonKind::kSubscript:
    case PythonKind::kListComprehension:
    case PythonKind::kSetComprehension:
    case PythonKind::kDictComprehension:
    case PythonKind::kGenerator:
    case PythonKind::kParameter:
    case PythonKind::kPositionalParameter:
    case PythonKind::kKeywordParameter:
      return true;
    case PythonKind::kBoolean:
    case PythonKind::kConditional:
      return PositionOf(use) == 0 || IsKnownHere(parent) || IsKnown(parent, false);
    case PythonKind::kKeyword:
      return IsKnownCall(parents_[parent], true) && IsCarriedOut(parents_[parent]);
    case PythonKind::kCall:
      return PositionOf(use) > 0 && IsKnownCall(parent, true) &&
             (IsKnownCall(parent, false) || IsCarriedOut(parent));
    case PythonKind::kAttribute:
      return IsCallee(parent) &&
             (ReadingMethods().contains(tree_[parent].text) ||
              (ChangingMethods().contains(tree_[parent].text) && IsCarriedOut(parents_[parent])));
    default:
      return IsKnown(use, false);
  }
}

// Collects the names that a function's body binds locally.
void UseFinder::Bound(PythonId id, NameTexts& bound) const {
  const PythonNode& node = tree_[id];
  const bool names = node.kind == PythonKind::kFunction || node.kind == PythonKind::kClass ||
                     node.kind == PythonKind::kHandler || node.kind == PythonKind::kCapturePattern;
  if (names && !node.text.empty()) bound.insert(node.text);
  if (node.kind == PythonKind::kAlias) {
    const PythonId as = tree_.Child(id, 0);
    bound.insert(as != 0 ? tree_[as].text : node.text.substr(0, node.text.find('.')));
  }
  const bool base = tree_.Kind(parents_[id]) == PythonKind::kAttribute ||
                    tree_.Kind(parents_[id]) == PythonKind::kSubscript;
  if (node.kind == PythonKind::kName && !base && IsTarget(id)) bound.insert(node.text);
  if (node.kind == PythonKind::kFunction || node.kind == PythonKind::kClass) return;
  for (const PythonId part : tree_.Children(id)) Bound(part, bound);
}

// Walks a function's body. Its local names are not the module's, except for global ones.
void UseFinder::Body(PythonId function) {
  if (!walked_.insert(function).second) return;
  const NameTexts locals = locals_;
  const bool in_body = std::exchange(in_body_, true);
  for (const PythonId parameter : tree_.Children(tree_.Child(function, 2))) {
    const PythonId fallback = tree_.Child(parameter, 1);
    if (tree_.Kind(fallback) == PythonKind::kName) Rebound(tree_[fallback].text, fallback);
    locals_.insert(tree_[parameter].text);
  }
  const PythonId block = tree_.Child(function, 4);
  for (const PythonId statement : tree_.Children(block)) Bound(statement, locals_);
  std::vector<PythonId> waiting(tree_.Children(block).begin(), tree_.Children(block).end());
  while (!waiting.empty()) {
    const PythonId id = waiting.back();
    waiting.pop_back();
    if (tree_.Kind(id) == PythonKind::kGlobal) {
      for (const PythonId name : tree_.Children(id)) locals_.erase(tree_[name].text);
    }
    for (const PythonId part : tree_.Children(id)) waiting.push_back(part);
  }
  Walk(block);
  locals_ = locals;
  in_body_ = in_body;
}

void UseFinder::Methods(PythonId class_definition) {
  const std::string_view outer = std::exchange(class_, tree_[class_definition].text);
  const NameTexts members = std::exchange(members_, {});
  const NameTexts locals = std::exchange(locals_, {});
  const PythonId block = tree_.Child(class_definition, 3);
  for (const PythonId statement : tree_.Children(block)) Bound(statement, members_);
  for (const PythonId statement : tree_.Children(block)) {
    if (tree_.Kind(statement) == PythonKind::kFunction) Body(statement);
  }
  class_ = outer;
  members_ = members;
  locals_ = locals;
}

void UseFinder::Rebound(std::string_view name, PythonId place) {
  if (!name.empty() && !locals_.contains(name) && held_(name) != PythonHeld::kUnbound) {
    uses_.push_back({std::string(name), place});
  }
}

void UseFinder::Name(PythonId id) {
  const std::string_view name = tree_[id].text;
  if (locals_.contains(name)) return;
  const PythonHeld held = held_(name);
  if (held == PythonHeld::kUnbound) {
    const bool table = name == "globals" || name == "locals" || name == "vars";
    const bool read = table && IsCallee(id) && IsKnown(parents_[id], true);
    if (ReachesPythonNames(name) && !read) uses_.push_back({"", id});
    return;
  }
  if (held == PythonHeld::kList || held == PythonHeld::kNested) {
    const bool known = in_body_ ? IsKnown(id, held == PythonHeld::kNested) : IsKnownHere(id);
    if (!known) uses_.push_back({std::string(name), id});
    return;
  }
  const auto [first, last] = definitions_.equal_range(name);
  for (auto each = first; each != last; ++each) {
    if (tree_.Kind(each->second) == PythonKind::kClass) {
      Methods(each->second);
    } else if (in_body_ || !IsCallee(id) || !IsCarriedOut(parents_[id])) {
      const NameTexts locals = std::exchange(locals_, {});
      Body(each->second);
      locals_ = locals;
    }
  }
  if (held == PythonHeld::kClass && in_body_) {
    const PythonId parent = parents_[id];
    const bool member = tree_.Kind(parent) == PythonKind::kAttribute && !IsCallee(parent);
    if (member && !IsKnown(parent, false)) uses_.push_back({std::string(name), id});
  }
}

// Handles self.NAME in a method if NAME is a member of the class.
void UseFinder::MemberOfClass(PythonId attribute) {
  if (class_.empty() || !members_.contains(tree_[attribute].text)) return;
  const PythonId base = tree_.Child(attribute, 0);
  const bool own = tree_.Kind(base) == PythonKind::kName && locals_.contains(tree_[base].text);
  if (own && !IsCallee(attribute) && !IsKnown(attribute, false)) {
    uses_.push_back({std::string(class_), attribute});
  }
}

void UseFinder::WalkFunction(PythonId id) {
  Walk(tree_.Child(id, 0));
  Walk(tree_.Child(id, 2));
  if (tree_.Child(id, 3) != 0) Walk(tree_.Child(id, 3));
  if (!tree_.Children(tree_.Child(id, 0)).empty() || in_body_) Body(id);
}

void UseFinder::WalkLambda(PythonId id) {
  const NameTexts locals = locals_;
  const bool in_body = std::exchange(in_body_, true);
  for (const PythonId parameter : tree_.Children(tree_.Child(id, 0))) {
    locals_.insert(tree_[parameter].text);
  }
  WalkAll(tree_.Children(id));
  locals_ = locals;
  in_body_ = in_body;
}

void UseFinder::Walk(PythonId id) {
  const PythonNode& node = tree_[id];
  if (node.kind == PythonKind::kFunction) return WalkFunction(id);
  if (node.kind == PythonKind::kLambda) return WalkLambda(id);
  if (node.kind == PythonKind::kName) return Name(id);
  const bool star = node.kind == PythonKind::kAlias && node.text == "*";
  if (star && in_body_) uses_.push_back({"", id});
  if (node.kind == PythonKind::kAlias) return;
  if (node.kind == PythonKind::kClass && !tree_.Children(tree_.Child(id, 0)).empty()) Methods(id);
  if (node.kind == PythonKind::kHandler || node.kind == PythonKind::kCapturePattern ||
      node.kind == PythonKind::kStarPattern) {
    Rebound(node.text, id);
  }
  if (node.kind == PythonKind::kAttribute) {
    MemberOfClass(id);
    if (tree_.DottedName(id) == "sys.modules") uses_.push_back({"", id});
  }
  WalkAll(tree_.Children(id));
}

std::vector<PythonUse> UseFinder::Find() {
  Prepare();
  Walk(tree_.root());
  for (const PythonId each : visits_.escaped) {
    if (tree_.Kind(each) == PythonKind::kClass) {
      Methods(each);
    } else {
      Body(each);
    }
  }
  return std::move(uses_);
}

}  // namespace

bool ReachesPythonNames(std::string_view builtin) {
  static const NameTexts kNames = {"delattr", "eval",    "exec", "globals",
                                   "locals",  "setattr", "vars"};
  return kNames.contains(builtin);
}

bool IsPythonReader(std::string_view builtin) {
  static const NameTexts kBuiltins = {"all",    "any",       "bool",     "callable", "enumerate",
                                      "format", "frozenset", "hash",     "id",       "isinstance",
                                      "len",    "list",      "max",      "min",      "print",
                                      "range",  "repr",      "reversed", "set",      "sorted",
                                      "str",    "sum",       "tuple",    "type",     "zip"};
  return kBuiltins.contains(builtin);
}

std::vector<PythonUse> UnknownPythonUses(const PythonTree& tree, const PythonVisits& visits,
                                         const std::function<PythonHeld(std::string_view)>& held) {
  return UseFinder(tree, visits, held).Find();
}

}  // namespace opledger

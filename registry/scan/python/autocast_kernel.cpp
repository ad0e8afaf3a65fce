// Finds the casts that reach the call of the operator; see autocast_kernel.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/autocast_kernel.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "registry/scan/python/registrations.h"

namespace opledger::scan {
namespace {

using Ids = std::span<const PythonId>;

// A cast of a value to a type; `value` is 0 if there is no cast.
struct Cast {
  PythonId value = 0;
  std::string dtype;
};

class KernelReader {
 public:
  KernelReader(const PythonTree& tree, PythonId function, std::string_view op,
               std::string_view device)
      : tree_(tree), function_(function), device_(device) {
    const std::size_t colon = op.rfind(':');
    const std::string_view name = op.substr(colon == op.npos ? 0 : colon + 1);
    name_ = name.substr(0, name.find('.'));
  }

  std::string Read() {
    for (const PythonId parameter : tree_.Children(tree_.Child(function_, 2))) {
      parameters_.insert(tree_[parameter].text);
    }
    if (!OnlyRegisters() || !ReadBody(tree_.Child(function_, 4))) return {};
    return types_.size() == 1 ? *types_.begin() : std::string();
  }

 private:
  // Other decorators may replace the function.
  bool OnlyRegisters() const {
    const Ids decorators = tree_.Children(tree_.Child(function_, 0));
    return std::all_of(decorators.begin(), decorators.end(), [&](PythonId decorator) {
      return tree_.Kind(decorator) == PythonKind::kCall &&
             tree_[tree_.Child(decorator, 0)].text == "impl";
    });
  }

  // Reads assignments, followed by a block with autocast disabled.
  bool ReadBody(PythonId body) {
    const Ids statements = tree_.Children(body);
    if (statements.empty()) return false;
    for (const PythonId statement : statements.first(statements.size() - 1)) {
      if (!ReadAssignment(statement)) return false;
    }
    const PythonId with = statements.back();
    if (tree_.Kind(with) != PythonKind::kWith) return false;
    const Ids parts = tree_.Children(with);
    const bool disables = std::any_of(parts.begin() + 1, parts.end(), [&](PythonId item) {
      return Disables(tree_.Child(item, 0));
    });
    return disables && ReadBlock(parts[0]);
  }

  // Reads assignments, followed by a return of the operator's result.
  bool ReadBlock(PythonId block) {
    const Ids statements = tree_.Children(block);
    if (statements.empty() || tree_.Kind(statements.back()) != PythonKind::kReturn) return false;
    for (const PythonId statement : statements.first(statements.size() - 1)) {
      if (!ReadAssignment(statement)) return false;
    }
    const PythonId returned = ValueOf(tree_.Child(statements.back(), 0));
    return tree_.Kind(returned) == PythonKind::kCall && IsOperator(tree_.Child(returned, 0)) &&
           ReadArguments(tree_.Children(returned).subspan(1));
  }

  // Reads NAME = value, or a docstring. A name must have only one value.
  bool ReadAssignment(PythonId statement) {
    if (tree_.Kind(statement) == PythonKind::kExpressionStatement) {
      return tree_.Kind(tree_.Child(statement, 0)) == PythonKind::kString;
    }
    if (tree_.Kind(statement) != PythonKind::kAssign) return false;
    const PythonId target = tree_.Child(statement, 1);
    const PythonId value = tree_.Child(statement, 0);
    if (tree_.Children(statement).size() != 2) return false;
    if (tree_.Kind(target) == PythonKind::kName) return Bind(target, value);
    const Ids targets = tree_.Children(target);
    const Ids values = tree_.Children(value);
    if (tree_.Kind(target) != PythonKind::kTuple || tree_.Kind(value) != PythonKind::kTuple ||
        targets.size() != values.size()) {
      return false;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (tree_.Kind(targets[i]) != PythonKind::kName || !Bind(targets[i], values[i])) return false;
    }
    return true;
  }

  bool Bind(PythonId target, PythonId value) {
    return values_.emplace(tree_[target].text, value).second;
  }

  // Returns the value that was assigned to a name; for other expressions, the expression itself.
  PythonId ValueOf(PythonId expression) const {
    if (tree_.Kind(expression) != PythonKind::kName) return expression;
    const auto known = values_.find(tree_[expression].text);
    return known == values_.end() ? expression : known->second;
  }

  // torch.amp.autocast("cuda", enabled=False), or a guard that excludes the dispatch keys.
  bool Disables(PythonId call) const {
    if (tree_.Kind(call) != PythonKind::kCall) return false;
    const std::string_view function = tree_[tree_.Child(call, 0)].text;
    if (function == "_AutoDispatchBelowAutocast") return true;
    if (function != "autocast") return false;
    for (const PythonId argument : tree_.Children(call).subspan(1)) {
      const bool keyword = tree_.Kind(argument) == PythonKind::kKeyword;
      const PythonId value = keyword ? tree_.Child(argument, 0) : argument;
      if (tree_.Kind(value) == PythonKind::kString && tree_[value].text != device_) return false;
    }
    return tree_[tree_.Keyword(call, "enabled")].text == "False";
  }

  // mylib.scan, torch.ops.mylib.scan.default
  bool IsOperator(PythonId callee) const {
    for (; tree_.Kind(callee) == PythonKind::kAttribute; callee = tree_.Child(callee, 0)) {
      if (tree_[callee].text == name_) return true;
      if (tree_[callee].text != "default") return false;
    }
    return tree_.Kind(callee) == PythonKind::kName && tree_[callee].text == name_;
  }

  bool ReadArguments(Ids arguments) {
    bool first = true;
    for (const PythonId argument : arguments) {
      const bool keyword = tree_.Kind(argument) == PythonKind::kKeyword;
      const Cast cast = CastOf(keyword ? tree_.Child(argument, 0) : argument);
      if (cast.value == 0 && (first || HoldsCall(argument))) return false;
      if (cast.value != 0) types_.insert(cast.dtype);
      first = false;
    }
    return !first && !types_.contains("");
  }

  // Returns whether the argument is computed by a call; its value is then unknown.
  bool HoldsCall(PythonId argument) const {
    const PythonId value =
        ValueOf(tree_.Kind(argument) == PythonKind::kKeyword ? tree_.Child(argument, 0) : argument);
    std::vector<PythonId> open = {value};
    while (!open.empty()) {
      const PythonId id = open.back();
      open.pop_back();
      if (tree_.Kind(id) == PythonKind::kCall || tree_.Kind(id) == PythonKind::kStarred)
        return true;
      for (const PythonId child : tree_.Children(id)) open.push_back(child);
    }
    return false;
  }

  // Reads x.to(T) or x.half() of a parameter, *[each.to(T) for each in args], or _cast(x, device,
  // T).
  Cast CastOf(PythonId argument) const {
    PythonId value = ValueOf(argument);
    if (tree_.Kind(value) == PythonKind::kStarred) value = ValueOf(tree_.Child(value, 0));
    std::string_view element;
    const bool comprehends = tree_.Kind(value) == PythonKind::kListComprehension ||
                             tree_.Kind(value) == PythonKind::kGenerator;
    if (comprehends) {
      const PythonId clause = tree_.Child(value, 1);
      const bool plain = tree_.Children(value).size() == 2 && tree_.Children(clause).size() == 2 &&
                         IsParameter(tree_.Child(clause, 1));
      if (!plain) return {};
      element = tree_[tree_.Child(clause, 0)].text;
      value = tree_.Child(value, 0);
    }
    Cast cast = CallOfCast(value);
    const bool of_element = !element.empty() && tree_[cast.value].text == element;
    if (cast.value != 0 && !of_element && !IsParameter(cast.value)) return {};
    return cast;
  }

  Cast CallOfCast(PythonId call) const {
    if (tree_.Kind(call) != PythonKind::kCall) return {};
    const PythonId callee = tree_.Child(call, 0);
    const Ids arguments = tree_.Children(call).subspan(1);
    if (tree_.DottedName(callee).ends_with("autocast_mode._cast")) {
      return arguments.size() == 3 ? Cast{arguments[0], TypeOf(arguments[2])} : Cast();
    }
    if (tree_.Kind(callee) != PythonKind::kAttribute) return {};
    const std::string_view method = tree_[callee].text;
    const PythonId of = tree_.Child(callee, 0);
    if (arguments.empty()) {
      const std::string dtype = DtypeOfPython(method);
      return dtype.empty() ? Cast() : Cast{of, dtype};
    }
    if (method != "to" || arguments.size() != 1) return {};
    const bool keyword = tree_.Kind(arguments[0]) == PythonKind::kKeyword;
    if (keyword && tree_[arguments[0]].text != "dtype") return {};
    return {of, TypeOf(keyword ? tree_.Child(arguments[0], 0) : arguments[0])};
  }

  bool IsParameter(PythonId id) const {
    return tree_.Kind(id) == PythonKind::kName && parameters_.contains(tree_[id].text);
  }

  // Returns the type that an expression names; "" if it is not known.
  std::string TypeOf(PythonId expression) const {
    const PythonId value = ValueOf(expression);
    if (tree_.Kind(value) != PythonKind::kCall) {
      const std::string name = tree_.DottedName(value);
      return name.starts_with("torch.") ? DtypeOfPython(name) : std::string();
    }
    const std::string function = tree_.DottedName(tree_.Child(value, 0));
    const PythonId device = tree_.Child(value, 1);
    const bool other = tree_.Kind(device) == PythonKind::kString && tree_[device].text != device_;
    if (function == "torch.get_autocast_dtype") return other ? "" : kContextType;
    const bool context = (function == "torch.get_autocast_gpu_dtype" && device_ == "cuda") ||
                         function == "torch.get_autocast_" + std::string(device_) + "_dtype";
    return context ? kContextType : "";
  }

  const PythonTree& tree_;
  PythonId function_;
  std::string_view name_;  // of the operator, without namespace and overload
  std::string_view device_;
  std::set<std::string_view> parameters_;
  std::map<std::string_view, PythonId> values_;  // of names that the body assigns
  std::set<std::string> types_;                  // of the casts that reach the operator
};

}  // namespace

std::string AutocastCast(const PythonTree& tree, PythonId function, std::string_view op,
                         std::string_view device) {
  if (tree.Kind(function) != PythonKind::kFunction) return {};
  return KernelReader(tree, function, op, device).Read();
}

}  // namespace opledger::scan

// Evaluates methods without side effects, and dispatches method calls; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

PythonValue PythonEvaluator::NoneAt(PythonId place) const {
  PythonValue value;
  value.kind = Kind::kConstant;
  value.text = "None";
  value.literal = false;
  value.place = place;
  return value;
}

// Records that the effect of a statement on the list is unknown.
PythonValue PythonEvaluator::NotRead(PythonContainer& container, PythonId base) {
  const std::string name = tree_.DottedName(base);
  const int problem = AddProblem(
      base, "the effect of this statement on '" + name + "' is unknown",
      "only assignments, +=, -=, del, and methods of lists, sets and dicts are supported");
  if (container.epoch == epoch_) container.problems.insert(problem);
  return UnknownOf(problem);
}

PythonValue PythonEvaluator::Views(const PythonContainer& dict, std::string_view method,
                                   PythonId call) {
  const bool keys = method == "keys";
  PythonContainer& view = NewContainer(keys ? ContainerKind::kSet : ContainerKind::kList, call);
  view.ordered = dict.ordered;
  view.problems = dict.problems;
  for (const PythonElement& element : Settled(dict, keys)) {
    if (method == "items") {
      PythonContainer& pair = NewContainer(ContainerKind::kTuple, call);
      Append(pair, element.key, {});
      Append(pair, element.value, {});
      Append(view, Of(pair), element.feature);
    } else {
      Append(view, keys ? element.key : element.value, element.feature);
    }
  }
  return Of(view);
}

// Evaluates methods of sets that return another set.
std::optional<PythonValue> PythonEvaluator::SetMethod(const PythonValue& receiver,
                                                      std::string_view method, PythonId call) {
  static const std::set<std::string_view> kMethods = {"union", "difference", "intersection",
                                                      "symmetric_difference"};
  if (receiver.container->kind != ContainerKind::kSet || !kMethods.contains(method)) {
    return std::nullopt;
  }
  const Arguments arguments = ReadArguments(call);
  PythonContainer& result = NewContainer(ContainerKind::kSet, call);
  Extend(result, receiver, call, {});
  if (!arguments.known) result.problems.insert(Unknown(call, "a starred item").problem);
  for (const PythonValue& other : arguments.positional) {
    if (method == "union") Extend(result, other, call, {});
    if (method == "difference") RemoveAll(result, other, call, {});
    if (method == "intersection") KeepOnly(result, other, call, {});
    if (method == "symmetric_difference") Toggle(result, other, call, {});
  }
  return Of(result);
}

PythonValue PythonEvaluator::Get(const PythonValue& dict, PythonId call) {
  const Arguments arguments = ReadArguments(call);
  const std::vector<PythonValue>& given = arguments.positional;
  if (!arguments.known || given.empty() || given.size() > 2) {
    return Unknown(call, "a call or attribute");
  }
  const Truth there = Contains(dict, given[0]);
  if (there == Truth::kTrue) return Item(dict, given[0], call);
  if (there == Truth::kUnknown) return Unknown(call, "a key that is not known");
  return given.size() == 2 ? given[1] : NoneAt(call);
}

std::optional<PythonValue> PythonEvaluator::PureMethod(const PythonValue& receiver,
                                                       std::string_view method, PythonId call) {
  const PythonContainer& container = *receiver.container;
  const bool dict = container.kind == ContainerKind::kDict;
  const bool bare = tree_.Children(call).size() == 1;
  if (dict && bare && (method == "keys" || method == "values" || method == "items")) {
    return Views(container, method, call);
  }
  if (dict && method == "get") return Get(receiver, call);
  if (bare && (method == "copy" || method == "__copy__")) {
    PythonContainer& copy = NewContainer(container.kind, call);
    copy.elements = container.elements;
    copy.problems = container.problems;
    copy.ordered = container.ordered;
    Spend(copy.elements.size());
    return Of(copy);
  }
  static const std::set<std::string_view> kTests = {
      "index", "count", "issubset", "issuperset", "isdisjoint", "__len__", "__contains__"};
  if (kTests.contains(method)) return Unknown(call, "a call or attribute");
  return SetMethod(receiver, method, call);
}

// Creates a list that this file extends but does not assign, or returns nullptr.
PythonContainer* PythonEvaluator::Unassigned(PythonId name, std::string_view method) {
  static const std::set<std::string_view> kAdding = {"append", "add", "extend",
                                                     "update", "+=",  "["};
  if (tree_.Kind(name) != PythonKind::kName || !kAdding.contains(method)) return nullptr;
  PythonBinding* binding = FindBinding(tree_[name].text);
  if (binding != nullptr && !binding->value.IsUnknown()) return nullptr;
  if (binding == nullptr && (scope_ != module_ || epoch_ != 0)) return nullptr;
  const bool imported = binding != nullptr && !binding->value.text.empty();
  if (binding != nullptr && !imported && scope_->Find(tree_[name].text) != binding) return nullptr;
  const std::string text(tree_[name].text);
  const ContainerKind kind = method == "[" ? ContainerKind::kDict : ContainerKind::kList;
  PythonContainer& list = NewContainer(kind, name);
  if (binding == nullptr || imported) {
    list.problems.insert(AddProblem(name, "'" + text + "' is not assigned in this file",
                                    "its earlier contents are missing from the result"));
  } else {
    list.problems.insert(binding->value.problem);
  }
  PythonBinding& made = binding != nullptr ? *binding : module_->Make(text, name);
  if (imported) made.place = name;
  made.bound = true;
  made.when = {};
  made.value = Of(list);
  return &list;
}

PythonValue PythonEvaluator::Method(PythonId call) {
  const PythonId function = tree_.Child(call, 0);
  const PythonId base = tree_.Child(function, 0);
  const std::string_view method = tree_[function].text;
  if (hooks_ != nullptr) {
    if (std::optional<PythonValue> value = CallSuper(call)) return *value;
  }
  PythonValue receiver = Evaluate(base);
  if (receiver.IsUnknown()) {
    PythonContainer* const list = Unassigned(base, method);
    if (list == nullptr) return Foreign(call);
    receiver = Of(*list);
  }
  if (receiver.IsString()) return TextMethod(receiver, method, call);
  if (hooks_ != nullptr && receiver.kind == Kind::kClass) {
    const PythonBinding* const member = FindMember(receiver, method);
    const bool attribute = member != nullptr && member->value.kind == Kind::kFunction &&
                           (member->value.object != nullptr || IsOwn(receiver, method));
    if (attribute || (member != nullptr && member->value.kind == Kind::kClass)) {
      const PythonValue callee = member->value;
      return CallValue(callee, ReadArguments(call), call);
    }
    if (member != nullptr && member->value.kind == Kind::kFunction) {
      return CallMember(receiver, method, ReadArguments(call), call);
    }
  }
  if (receiver.kind == Kind::kClass) {
    const PythonBinding* binding = receiver.scope->Find(method);
    const bool callable = binding != nullptr && binding->bound && binding->when.IsAlways() &&
                          binding->value.kind == Kind::kFunction;
    if (callable) return CallFunction(binding->value, ReadArguments(call), call);
  }
  if (!receiver.IsContainer()) return Foreign(call);
  if (std::optional<PythonValue> value = PureMethod(receiver, method, call)) {
    if (value->IsUnknown()) ExposeArgument(call, receiver, true);
    return *value;
  }
  if (std::optional<PythonValue> value = Mutate(*receiver.container, method, call)) return *value;
  return NotRead(*receiver.container, base);
}

}  // namespace opledger

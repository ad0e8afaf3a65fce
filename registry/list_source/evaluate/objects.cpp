// Attributes and methods of objects of the module's classes, with hooks; see hooks.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

// Returns the common name of all named values of the binding, or an empty string if they differ.
std::string PythonEvaluator::OnlyName(const PythonBinding& binding) {
  std::string name = binding.value.IsUnknown() ? binding.value.text : "";
  for (const PythonOther& each : binding.others) {
    const PythonValue& other = each.value;
    if (!other.IsUnknown() || other.text.empty() || other.text == name) continue;
    if (!name.empty()) return {};
    name = other.text;
  }
  return name;
}

// Returns the full name that imports or attributes of objects lead to, such as
// "torch.library.Library(...).define".
std::string PythonEvaluator::NameWithHooks(PythonId id) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return {};
  const PythonKind kind = tree_.Kind(id);
  PythonValue value;
  if (kind == PythonKind::kName) {
    const PythonBinding* const binding = FindBinding(tree_[id].text);
    if (binding != nullptr) return OnlyName(*binding);
  } else if (kind == PythonKind::kCall || kind == PythonKind::kSubscript ||
             kind == PythonKind::kConditional || kind == PythonKind::kBoolean) {
    value = Evaluate(id);
  } else if (kind == PythonKind::kAttribute) {
    const PythonId base = tree_.Child(id, 0);
    const std::string of = NameWithHooks(base);
    if (!of.empty()) return of + "." + std::string(tree_[id].text);
    const PythonKind of_base = tree_.Kind(base);
    const bool named = of_base == PythonKind::kName || of_base == PythonKind::kAttribute ||
                       of_base == PythonKind::kCall;
    if (!named) return {};
    const PythonValue object = Evaluate(base);
    const PythonBinding* const member = FindMember(object, tree_[id].text);
    if (member != nullptr) value = member->value;
    if (member == nullptr && IsObject(object) && !object.scope->stands_for.empty()) {
      return object.scope->stands_for + "." + std::string(tree_[id].text);
    }
  }
  return value.IsUnknown() ? value.text : std::string();
}

// Returns "torch.library.define" for getattr(torch.library, "define"), or an empty string if
// unknown.
std::string PythonEvaluator::NameOfGetattr(PythonId call) {
  const Ids parts = tree_.Children(call);
  if (parts.size() < 3) return {};
  const std::string base = NameWithHooks(parts[1]);
  const PythonValue name = Evaluate(parts[2]);
  return base.empty() || !name.IsString() ? std::string() : base + "." + name.text;
}

// Returns whether the object itself, not its class, has the attribute. Functions stored there are
// not methods.
bool PythonEvaluator::IsOwn(const PythonValue& object, std::string_view name) {
  return IsObject(object) && object.scope->numbers.contains(name);
}

// Returns a member as a value. A method stays bound to its object.
PythonValue PythonEvaluator::Bound(const PythonValue& object, PythonValue member) {
  const bool method =
      member.kind == Kind::kFunction && member.object == nullptr && !IsOwn(object, member.text);
  if (method && IsObject(object)) member.object = object.scope;
  return member;
}

// Evaluates super().METHOD(...): calls a method of the bases of the current method's class.
std::optional<PythonValue> PythonEvaluator::CallSuper(PythonId call) {
  const PythonId function = tree_.Child(call, 0);
  const PythonId base = tree_.Child(function, 0);
  const bool super =
      tree_.Kind(base) == PythonKind::kCall && tree_.DottedName(tree_.Child(base, 0)) == "super";
  if (!super || methods_.empty()) return std::nullopt;
  const auto [object, of_class] = methods_.back();
  if (tree_[function].text == "__init__" && foreign_bases_.contains(of_class)) {
    CallForeignBase(object, of_class, ReadArguments(call), call);
    return UnknownAt(call, "");
  }
  const PythonScope* const own = IsObject(object) ? object.scope->parent : object.scope;
  const std::vector<const PythonScope*> order = OrderOf(own, 0);
  auto next = std::find(order.begin(), order.end(), of_class);
  for (next = next == order.end() ? next : next + 1; next != order.end(); ++next) {
    const auto number = (*next)->numbers.find(tree_[function].text);
    if (number == (*next)->numbers.end()) continue;
    const PythonValue method = (*next)->bindings[number->second].value;
    if (method.kind != Kind::kFunction) continue;
    PythonArguments arguments = ReadArguments(call);
    arguments.positional.insert(arguments.positional.begin(), object);
    methods_.emplace_back(object, *next);
    PythonValue value = CallFunction(method, arguments, call);
    methods_.pop_back();
    return value;
  }
  return std::nullopt;
}

// Returns the class and its bases in Python's method resolution order (C3), or depth first if that
// does not exist.
std::vector<const PythonScope*> PythonEvaluator::OrderOf(const PythonScope* of_class,
                                                         int depth) const {
  std::vector<const PythonScope*> order = {of_class};
  const auto bases = bases_.find(of_class);
  if (bases == bases_.end() || depth > 16) return order;
  std::vector<std::vector<const PythonScope*>> lists;
  for (const PythonScope* base : bases->second) lists.push_back(OrderOf(base, depth + 1));
  lists.emplace_back(bases->second.begin(), bases->second.end());
  const auto in_tail = [&](const PythonScope* scope) {
    return std::any_of(lists.begin(), lists.end(), [&](const auto& list) {
      return !list.empty() && std::find(list.begin() + 1, list.end(), scope) != list.end();
    });
  };
  for (;;) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty()) return order;
    auto head = std::find_if(lists.begin(), lists.end(),
                             [&](const auto& list) { return !in_tail(list.front()); });
    if (head == lists.end()) head = lists.begin();
    const PythonScope* const next = head->front();
    order.push_back(next);
    for (auto& list : lists) std::erase(list, next);
  }
}

// Finds a member of the class or of its first base that has it.
const PythonBinding* PythonEvaluator::FindInClass(const PythonScope* of_class,
                                                  std::string_view name,
                                                  const PythonScope** owner) const {
  if (owner != nullptr) *owner = of_class;
  for (const PythonScope* each : OrderOf(of_class, 0)) {
    const auto number = each->numbers.find(name);
    if (number == each->numbers.end()) continue;
    if (owner != nullptr) *owner = each;
    return &each->bindings[number->second];
  }
  return nullptr;
}

// Finds a member of a class, or of an object and then its class.
const PythonBinding* PythonEvaluator::FindMember(const PythonValue& object,
                                                 std::string_view name) const {
  if (object.kind != Kind::kClass || object.scope == nullptr) return nullptr;
  if (IsElsewhere(object)) return object.home->FindMember(object, name);
  const PythonBinding* binding = object.scope->Find(name);
  const PythonScope* const of_class = IsObject(object) ? object.scope->parent : object.scope;
  if (binding == nullptr) binding = FindInClass(of_class, name);
  return binding != nullptr && binding->bound ? binding : nullptr;
}

PythonValue PythonEvaluator::Instantiate(const PythonValue& of_class,
                                         const PythonArguments& arguments, PythonId call) {
  const bool is_object = IsObject(of_class);
  if (!is_object && IsElsewhere(of_class)) return CallElsewhere(of_class, arguments, call);
  if (is_object) {  // the object is called
    const PythonBinding* const member = FindMember(of_class, "__call__");
    const bool callable = member != nullptr && member->value.kind == Kind::kFunction;
    return callable ? CallMember(of_class, "__call__", arguments, call)
                    : Unknown(call, "a call or attribute");
  }
  if (hooks_ != nullptr) {
    if (auto value = hooks_->own(*this, of_class, call, arguments)) return *value;
  }
  PythonValue object = of_class;
  object.scope = &NewScope(of_class.scope);
  object.scope->is_class = true;
  object.scope->self = std::make_shared<PythonValue>(object);
  if (FindMember(object, "__init__") != nullptr) {
    CallMember(object, "__init__", arguments, call);
  } else {
    CallForeignBase(object, of_class.scope, arguments, call);
  }
  return object;
}

// The object represents what a foreign base class returns for the arguments.
void PythonEvaluator::CallForeignBase(const PythonValue& object, const PythonScope* of_class,
                                      const PythonArguments& arguments, PythonId call) {
  const auto base = foreign_bases_.find(of_class);
  if (hooks_ == nullptr || base == foreign_bases_.end()) return;
  const auto made = hooks_->call(*this, base->second, call, arguments);
  if (made && made->IsUnknown()) object.scope->stands_for = made->text;
}

PythonValue PythonEvaluator::CallMember(const PythonValue& object, std::string_view method,
                                        PythonArguments arguments, PythonId call) {
  const PythonBinding* const member = FindMember(object, method);
  if (member == nullptr || member->value.kind != Kind::kFunction) {
    return Unknown(call, "a call or attribute");
  }
  const PythonValue function = member->value;
  if (IsElsewhere(function)) {
    auto value = hooks_->method(*this, object, function, call, arguments);
    return value ? *value : Unknown(call, "a call or attribute");
  }
  const bool is_object = IsObject(object);
  bool plain = true;
  bool of_class = false;
  const bool defined = tree_.Kind(function.place) == PythonKind::kFunction;
  for (const PythonId decorator : tree_.Children(defined ? tree_.Child(function.place, 0) : 0)) {
    plain = plain && tree_.DottedName(decorator) != "staticmethod";
    of_class = of_class || tree_.DottedName(decorator) == "classmethod";
  }
  if (of_class || (plain && is_object)) {
    arguments.positional.insert(arguments.positional.begin(), object);
  }
  const PythonScope* owner = nullptr;
  object.home->FindInClass(is_object ? object.scope->parent : object.scope, method, &owner);
  methods_.emplace_back(object, owner);
  PythonValue value = CallFunction(function, arguments, call);
  methods_.pop_back();
  return value;
}

PythonValue PythonEvaluator::CallMethodFrom(const PythonValue& object, std::string_view method,
                                            const PythonArguments& arguments,
                                            const Condition& when) {
  const PythonBinding* const member = FindMember(object, method);
  if (member == nullptr || member->value.kind != Kind::kFunction) {
    const bool named = member != nullptr && member->value.IsUnknown();
    return UnknownAt(object.place, named ? member->value.text : std::string());
  }
  return FromOutside(when,
                     [&] { return CallMember(object, method, arguments, member->value.place); });
}

}  // namespace opledger

// Marks lists as incomplete if they are used in ways whose effect is unknown; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {
namespace {

constexpr int kDeepestList = 8;  // nested

}  // namespace

// Returns whether the condition depends on an undecided test.
bool PythonEvaluator::IsUnread(const Condition& when) {
  return when.text().find("unread(") != std::string::npos;
}

// Records that whether the current statement removes elements depends on an undecided test.
void PythonEvaluator::Uncertain(PythonContainer& container) {
  container.problems.insert(AddProblem(
      statement_, "which elements this removes depends on a test that cannot be evaluated",
      "only is_enabled('FEATURE') is supported; write the lists without other tests"));
}

// Returns whether neither list is a prefix of the other.
bool PythonEvaluator::Differ(const PythonContainer& one, const PythonContainer& other) const {
  const std::size_t common = std::min(one.elements.size(), other.elements.size());
  for (std::size_t i = 0; i < common; ++i) {
    const PythonElement& left = one.elements[i];
    const PythonElement& right = other.elements[i];
    const std::string hash = PythonHash(left.value);
    const bool same = !hash.empty() && hash == PythonHash(right.value) && left.hash == right.hash &&
                      left.feature == right.feature;
    if (!same) return true;
  }
  return false;
}

// Records that the value, and lists inside it, may have been changed.
void PythonEvaluator::Expose(const PythonValue& value, int problem, int depth) {
  if (!value.IsContainer() || depth > kDeepestList || !Spend(1)) return;
  PythonContainer& container = *value.container;
  if (container.epoch == epoch_ && container.problems.contains(problem)) return;
  if (Writable(container, container.place)) container.problems.insert(problem);
  for (const PythonElement& element : container.elements) {
    Expose(element.value, problem, depth + 1);
  }
}

void PythonEvaluator::ExposeBinding(PythonBinding& binding, PythonId place, int problem) {
  PythonValue& value = binding.value;
  if (value.kind == Kind::kClass) {
    for (PythonBinding& each : value.scope->bindings) Expose(each.value, problem, 0);
  } else if (value.IsContainer()) {
    Expose(value, problem, 0);
  } else if (!value.IsUnknown()) {
    value = UnknownOf(problem);
    value.place = place;
    value.text = "scalar";  // so that it is not reported as a list
  }
}

// Records that each name of a scope may have been changed.
void PythonEvaluator::ExposeScope(PythonScope& scope, int problem) {
  for (PythonBinding& binding : scope.bindings) ExposeBinding(binding, binding.place, problem);
}

// Handles unknown uses of lists after the evaluation of the module.
void PythonEvaluator::ExposeUses() {
  const auto held = [&](std::string_view name) {
    const PythonBinding* const binding = module_->Find(name);
    if (binding == nullptr || !binding->bound) return PythonHeld::kUnbound;
    if (binding->value.kind == Kind::kClass) return PythonHeld::kClass;
    if (!binding->value.IsContainer()) return PythonHeld::kOther;
    const auto& elements = binding->value.container->elements;
    const bool nested = std::any_of(elements.begin(), elements.end(), [](const auto& element) {
      return element.value.IsContainer();
    });
    return nested ? PythonHeld::kNested : PythonHeld::kList;
  };
  for (const PythonUse& use : UnknownPythonUses(tree_, visits_, held)) {
    const int problem = AddProblem(
        use.place, "the effect of this use of a list is unknown",
        "only assignments, +=, -=, del, and methods of lists, sets and dicts are supported");
    PythonBinding* const binding = module_->Find(use.name);
    if (use.name.empty()) {
      ExposeScope(*module_, problem);
    } else if (binding != nullptr) {
      ExposeBinding(*binding, use.place, problem);
    }
  }
}

// Returns whether the called function is known to leave its arguments unchanged.
bool PythonEvaluator::ReadsArguments(PythonId call) {
  static const std::set<std::string_view> kLibrary = {
      "collections.Counter", "itertools.product", "itertools.combinations", "json.dumps",
      "logging.debug",       "logging.info",      "logging.warning",        "pprint.pprint",
      "copy.copy",           "copy.deepcopy"};
  const PythonId function = tree_.Child(call, 0);
  if (tree_.Kind(function) == PythonKind::kName && FindBinding(tree_[function].text) == nullptr) {
    return IsPythonReader(tree_[function].text);
  }
  const bool method = tree_.Kind(function) == PythonKind::kAttribute;
  return (method && tree_[function].text == "join") || kLibrary.contains(Imported(function));
}

// Records that the function or class may be called by unknown code, which may change the lists that
// it can access.
void PythonEvaluator::Escape(const PythonValue& function, PythonId place) {
  visits_.escaped.insert(function.place);
  if (function.kind != Kind::kFunction) return;
  for (PythonScope* scope = function.scope; scope != nullptr && scope != module_;
       scope = scope->parent) {
    const int problem = AddProblem(place, "the effect of this function on a list is unknown");
    for (PythonBinding& each : scope->bindings) {
      if (!scope->is_class) Expose(each.value, problem, 0);
    }
  }
}

// Records that an unknown function has the value or, with `starred`, its elements.
void PythonEvaluator::ExposeArgument(PythonId call, const PythonValue& value, bool starred) {
  if (value.kind == Kind::kFunction || value.kind == Kind::kClass) Escape(value, call);
  if (!value.IsContainer()) return;
  const std::string name = tree_.DottedName(tree_.Child(call, 0));
  const int problem =
      AddProblem(call,
                 (name.empty() ? "the effect of this call" : "the effect of '" + name + "'") +
                     " on the list is unknown",
                 "write the entries as string literals, or add them to the result manually");
  if (!starred) return Expose(value, problem, 0);
  for (const PythonElement& element : value.container->elements) {
    Expose(element.value, problem, 0);
  }
}

}  // namespace opledger

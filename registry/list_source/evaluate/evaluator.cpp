// Values, names and the limits of evaluation; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/evaluate/evaluator.h"

#include <algorithm>
#include <utility>

namespace opledger {
namespace {

constexpr std::size_t kMaxPythonSteps = 4000000;
constexpr std::size_t kMaxHookedSteps = 400000;
constexpr std::size_t kMaxTestsOfList = 160;  // per condition, without hooks
constexpr char kManyTests[] = "python(\"more tests than are kept apart\")";

}  // namespace

int PythonEvaluator::AddProblem(PythonId place, std::string message, std::string hint) {
  if (hooks_ != nullptr) {  // one problem per location is enough
    const auto [known, is_new] = problem_of_.emplace(place, static_cast<int>(problem_list_.size()));
    if (is_new) problem_list_.push_back({{}, std::move(message), {}});
    return known->second;
  }
  PythonProblem problem{tree_.At(place), std::move(message), std::move(hint)};
  const auto [found, added] =
      problem_numbers_.emplace(problem, static_cast<int>(problem_list_.size()));
  if (added) problem_list_.push_back(std::move(problem));
  return found->second;
}

PythonValue PythonEvaluator::UnknownOf(int problem) const {
  PythonValue value;
  value.problem = problem;
  return value;
}

PythonValue PythonEvaluator::Unknown(PythonId place, std::string what) {
  if (hooks_ != nullptr) {
    if (!what.ends_with(" is not known")) what += " is not known";
    return UnknownOf(AddProblem(place, std::move(what)));
  }
  return UnknownOf(
      AddProblem(place, std::move(what) + " cannot be evaluated: not a literal",
                 "write the entries as string literals, or add them to the result manually"));
}

PythonValue PythonEvaluator::Text(std::string text, PythonId place) {
  if (text.size() > 65536 || !Spend(text.size() / 16)) return Unknown(place, "a string this long");
  PythonValue value;
  value.kind = Kind::kString;
  value.text = std::move(text);
  value.literal = false;
  value.place = place;
  return value;
}

PythonValue PythonEvaluator::Number(long long number, PythonId place) {
  PythonValue value;
  value.kind = Kind::kNumber;
  value.text = std::to_string(number);
  value.literal = false;
  value.place = place;
  return value;
}

PythonValue PythonEvaluator::Bool(bool truth, PythonId place) {
  PythonValue value;
  value.kind = Kind::kConstant;
  value.text = truth ? "True" : "False";
  value.literal = false;
  value.place = place;
  return value;
}

PythonContainer& PythonEvaluator::NewContainer(ContainerKind kind, PythonId place) {
  Spend(1);
  PythonContainer& container = containers_.emplace_back();
  container.kind = kind;
  container.place = place;
  container.ordered = kind != ContainerKind::kSet;
  container.epoch = epoch_;
  container.inside = outside_ == 0;
  return container;
}

PythonValue PythonEvaluator::Of(PythonContainer& container) const {
  PythonValue value;
  value.kind = Kind::kContainer;
  value.place = container.place;
  value.container = &container;
  return value;
}

bool PythonEvaluator::Spend(std::size_t steps) {
  const std::size_t most = hooks_ == nullptr ? kMaxPythonSteps : kMaxHookedSteps;
  steps_ = std::min(steps_ + steps, most);
  return steps_ < most;
}

Condition PythonEvaluator::Both(const Condition& one, const Condition& other) const {
  if (one.IsAlways()) return other;
  if (other.IsAlways() || one == other) return one;
  if (hooks_ != nullptr && one.TestCount(kMaxTests) + other.TestCount(kMaxTests) > kMaxTests) {
    return one.TestCount(kMaxTests) > kMaxTests ? one : Condition::FromExpression(kManyTests);
  }
  Condition both = one.And(other);
  if (both.TestCount(kMaxTestsOfList) <= kMaxTestsOfList) return both;
  return Condition::FromExpression("unread(0)");
}

// Returns `one` if `when` holds, otherwise `other`.
PythonValue PythonEvaluator::Merge(const PythonValue& one, const Condition& when,
                                   const PythonValue& other, PythonId place) {
  if (!one.IsContainer() || !other.IsContainer()) {
    if (one.kind == other.kind && one.text == other.text && !one.IsContainer()) return one;
    // Prefers the function that is not an identity fallback, such as `lambda function: function`.
    const bool first = one.kind == Kind::kFunction && one.text != kLambda;
    if (hooks_ != nullptr && other.kind == Kind::kFunction && !first) return other;
    if (hooks_ != nullptr && one.kind == Kind::kFunction) return one;
    if (one.IsUnknown() || other.IsUnknown()) {
      PythonValue unknown = one.IsUnknown() ? one : other;
      const bool differ = one.IsUnknown() && other.IsUnknown() && one.text != other.text;
      if (differ && !one.text.empty() && !other.text.empty()) unknown.text.clear();
      return unknown;
    }
    return Unknown(place, "a value that depends on a condition");
  }
  PythonContainer& merged = NewContainer(one.container->kind, place);
  if (IsUnread(when) && Differ(*one.container, *other.container)) Uncertain(merged);
  const auto add = [&](const PythonContainer& from, const Condition& condition) {
    Spend(from.elements.size());
    merged.ordered = merged.ordered && from.ordered;
    merged.problems.insert(from.problems.begin(), from.problems.end());
    for (PythonElement element : from.elements) {
      element.feature = Both(element.feature, condition);
      if (element.feature.CanBeTrue()) merged.elements.push_back(std::move(element));
    }
  };
  add(*one.container, when);
  add(*other.container, when.Not());
  MakeKin(merged, *one.container);
  MakeKin(merged, *other.container);
  return Of(merged);
}

void PythonEvaluator::MakeKin(PythonContainer& copy, PythonContainer& original) {
  Spend(original.kin.size());
  const std::set<PythonContainer*> kin = original.kin;
  for (PythonContainer* each : kin) {
    each->kin.insert(&copy);
    copy.kin.insert(each);
  }
  original.kin.insert(&copy);
  copy.kin.insert(&original);
}

bool PythonEvaluator::Append(PythonContainer& to, const PythonValue& value,
                             const Condition& feature) {
  const bool unknown = value.IsUnknown() && (hooks_ == nullptr || value.text.empty());
  if (unknown || !Spend(1)) {
    to.problems.insert(unknown ? value.problem
                               : AddProblem(to.place, "this exceeds the limit on evaluation"));
    return false;
  }
  if (outside_ > 0 && to.inside) to.outside = true;
  PythonElement element{value, {}, feature, {}};
  if (to.kind == ContainerKind::kSet) element.hash = PythonHash(value);
  if (loose_ > 0) to.ordered = false;
  to.elements.push_back(std::move(element));
  return true;
}

void PythonEvaluator::Insert(PythonContainer& to, const PythonValue& value,
                             const Condition& feature) {
  if (to.kind == ContainerKind::kSet && !value.IsUnknown()) {
    const std::string hash = PythonHash(value);
    Spend(to.elements.size() / 8);
    for (PythonElement& element : to.elements) {
      if (hash.empty() || element.hash != hash) continue;
      element.feature = element.feature.Or(feature);
      return;
    }
  }
  Append(to, value, feature);
}

void PythonEvaluator::SetItem(PythonContainer& to, const PythonValue& key, const PythonValue& value,
                              const Condition& feature) {
  const std::string hash = PythonHash(key);
  const bool unknown = value.IsUnknown() && (hooks_ == nullptr || value.text.empty());
  if (unknown || hash.empty()) {
    const int problem = key.IsUnknown() ? key.problem : value.problem;
    to.problems.insert(problem >= 0 ? problem : Unknown(to.place, "this key").problem);
    return;
  }
  Spend(to.elements.size() / 8);
  for (std::size_t i = to.elements.size(); i-- > 0;) {
    if (to.elements[i].hash != hash) continue;
    Leave(to, i, feature);
    to.ordered = false;
  }
  if (!Append(to, value, feature)) return;
  to.elements.back().key = key;
  to.elements.back().hash = hash;
}

bool PythonEvaluator::Iterate(const PythonValue& value, PythonId place, PythonContainer& into) {
  if (value.IsString() && value.text.size() < 1000) {
    for (const char c : value.text) {
      const bool ascii = static_cast<unsigned char>(c) < 0x80;
      Append(into, ascii ? Text(std::string(1, c), place) : Unknown(place, "a letter"), {});
    }
    return true;
  }
  if (!value.IsContainer()) {
    const PythonValue unknown = value.IsUnknown() ? value : Unknown(place, "an expression");
    into.problems.insert(unknown.problem);
    return false;
  }
  const PythonContainer& from = *value.container;
  into.problems.insert(from.problems.begin(), from.problems.end());
  into.ordered = into.ordered && from.ordered;
  const bool dict = from.kind == ContainerKind::kDict;
  for (const PythonElement& element : Settled(from, true)) {
    Append(into, dict ? element.key : element.value, element.feature);
  }
  return true;
}

std::vector<PythonElement> PythonEvaluator::Settled(const PythonContainer& container,
                                                    bool keys) const {
  const bool dict = container.kind == ContainerKind::kDict;
  if (!dict && container.kind != ContainerKind::kSet) return container.elements;
  std::vector<PythonElement> settled;
  std::map<std::string, std::size_t> places;
  for (const PythonElement& element : container.elements) {
    const auto [known, added] = places.emplace(element.hash, settled.size());
    const bool replaces = dict && !keys && element.feature.IsAlways();
    if (added || element.hash.empty() || (dict && !keys && !replaces)) {
      settled.push_back(element);
    } else if (replaces) {
      settled[known->second] = element;
    } else {
      settled[known->second].feature = settled[known->second].feature.Or(element.feature);
    }
  }
  return settled;
}

PythonEvaluator::Truth PythonEvaluator::TruthOf(const PythonValue& value) const {
  const auto of = [](bool truth) { return truth ? Truth::kTrue : Truth::kFalse; };
  if (value.IsString()) return of(!value.text.empty());
  if (value.kind == Kind::kConstant) return of(value.text == "True" || value.text == "...");
  if (value.kind == Kind::kNumber) {
    long long number = 0;
    return PythonInteger(value, number) ? of(number != 0) : Truth::kUnknown;
  }
  const bool made = value.text.ends_with(')');  // represents an object
  if (!value.IsContainer()) return value.IsUnknown() && !made ? Truth::kUnknown : Truth::kTrue;
  const PythonContainer& container = *value.container;
  for (const PythonElement& element : container.elements) {
    if (element.feature.IsAlways()) return Truth::kTrue;
  }
  return container.elements.empty() && container.problems.empty() ? Truth::kFalse : Truth::kUnknown;
}

PythonBinding* PythonEvaluator::FindBinding(std::string_view name) {
  for (PythonScope* scope = scope_; scope != nullptr; scope = scope->parent) {
    if (scope->is_class && scope != scope_) continue;  // methods do not see names of their class
    PythonBinding* binding = scope->Find(name);
    if (binding != nullptr && binding->bound) return binding;
  }
  return nullptr;
}

PythonValue PythonEvaluator::Lookup(PythonId id) {
  const std::string name(tree_[id].text);
  visits_.names.insert(id);
  PythonBinding* const binding = FindBinding(name);
  if (binding == nullptr && hooks_ != nullptr && name == "__name__") return Text(module_name_, id);
  if (binding == nullptr) return Unknown(id, "the name '" + name + "'");
  const PythonValue& value = binding->value;
  if (hooks_ != nullptr && !binding->others.empty() && !value.IsContainer()) {
    return Unknown(id, "the name '" + name + "', which depends on a condition,");
  }
  if (hooks_ != nullptr && value.IsUnknown()) {
    if (std::optional<PythonValue> imported = ImportedValue(id)) return *imported;
  }
  if (value.IsUnknown()) {
    PythonValue unknown = Unknown(id, "the name '" + name + "'");
    unknown.given = value.given;
    return unknown;
  }
  const bool holds = binding->when.IsAlways() || Both(when_, binding->when) == when_;
  if (!holds && value.IsContainer()) {
    binding->value = Where(value, std::exchange(binding->when, {}));
    return binding->value;
  }
  return holds ? value : Unknown(id, "the name '" + name + "', which depends on a condition,");
}

void PythonEvaluator::Bind(PythonId target, const PythonValue& value) {
  const std::string_view name = tree_[target].text;
  const bool global = scope_->globals.find(name) != scope_->globals.end();
  PythonScope* scope = global ? module_ : scope_;
  if (scope_->nonlocals.find(name) != scope_->nonlocals.end()) {
    scope = scope_->parent;
    while (scope != nullptr && scope != module_ && scope->Find(name) == nullptr) {
      scope = scope->parent;
    }
  }
  if (scope != nullptr) BindName(*scope, name, target, value);
}

void PythonEvaluator::BindName(PythonScope& scope, std::string_view name, PythonId place,
                               PythonValue value) {
  PythonBinding& binding = scope.Make(name, place);
  const bool was_bound = std::exchange(binding.bound, true);
  if (value.IsContainer() || (was_bound && binding.value.IsContainer())) FlushPending();
  const bool sure = when_.IsAlways() || (&scope != module_ && when_ == scope.base);
  if (sure || !was_bound) {
    binding.value = std::move(value);
    binding.when = sure ? Condition() : when_;
    binding.others.clear();
    return;
  }
  if (binding.value.IsContainer()) binding.value = Where(binding.value, binding.when);
  const Condition known_when = std::exchange(binding.when, {});
  const PythonValue old = binding.value;
  if (value.IsContainer()) {
    if (old.IsContainer()) {
      binding.value = Merge(old, when_.Not(), value, value.place);
      binding.value.container->kind = value.container->kind;
      const bool fewer = value.container->elements.size() < old.container->elements.size();
      if (fewer && IsUnread(when_)) Uncertain(*binding.value.container);
    } else {
      PythonContainer& nothing = NewContainer(ContainerKind::kList, place);
      binding.value = Merge(value, when_, Of(nothing), value.place);
      if (old.IsUnknown()) binding.value.container->problems.insert(old.problem);
    }
  } else if (old.IsContainer()) {
    const PythonValue unknown = value.IsUnknown() ? value : Unknown(place, "this assignment");
    PythonContainer& nothing = NewContainer(old.container->kind, old.place);
    binding.value = Merge(old, when_.Not(), Of(nothing), old.place);
    binding.value.container->problems.insert(unknown.problem);
  } else {
    if (hooks_ != nullptr) {
      KeepOther(binding, old, known_when);
    }
    binding.value = std::move(value);
    binding.when = when_;
  }
}

// Keeps the value that the name had before it was bound under the current condition. Conditions are
// kept only for callable values.
void PythonEvaluator::KeepOther(PythonBinding& binding, const PythonValue& old,
                                const Condition& when) const {
  const bool named = old.IsUnknown() && !old.text.empty();
  const bool callable = old.kind == Kind::kFunction || old.kind == Kind::kClass || named;
  const bool simple = when_.TestCount(kMaxTests) <= kMaxTests / 4;
  const bool few = binding.others.size() < kMostOthers;
  if (!callable || !simple || !few) {
    if (few) binding.others.push_back({old, {}});
    return;
  }
  const Condition kept = when_.Not();
  for (PythonOther& other : binding.others) other.when = Both(other.when, kept);
  binding.others.push_back({old, Both(when, kept)});
}

// A list changes in the body of a test that could not be decided; the test is reported once.
void PythonEvaluator::FlushPending() {
  if (epoch_ == 0) module_problems_.insert(pending_.begin(), pending_.end());
}

}  // namespace opledger

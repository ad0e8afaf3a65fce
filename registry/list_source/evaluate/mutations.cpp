// Evaluates methods and operators that change a list, set or dict; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

// Removes the element under the condition `when`.
void PythonEvaluator::Leave(PythonContainer& container, std::size_t index, const Condition& when) {
  PythonElement& element = container.elements[index];
  if (!when.IsAlways()) element.feature = Both(element.feature, when.Not());
  if (!when.IsAlways() && element.feature.CanBeTrue()) {
    if (IsUnread(when)) Uncertain(container);
    return;
  }
  container.elements.erase(container.elements.begin() + static_cast<std::ptrdiff_t>(index));
}

// Returns the conditions of the values, by hash. Unknown parts of `values` become problems of `of`.
std::map<std::string, Condition> PythonEvaluator::Members(const PythonValue& values,
                                                          PythonContainer& of, PythonId place) {
  PythonContainer items;
  Iterate(values, place, items);
  of.problems.insert(items.problems.begin(), items.problems.end());
  std::map<std::string, Condition> members;
  for (const PythonElement& item : items.elements) {
    const std::string hash = PythonHash(item.value);
    if (hash.empty()) of.problems.insert(Unknown(place, "a value of a set").problem);
    const auto [known, added] = members.emplace(hash, item.feature);
    if (!added) known->second = known->second.Or(item.feature);
  }
  return members;
}

void PythonEvaluator::RemoveAll(PythonContainer& from, const PythonValue& values, PythonId place,
                                const Condition& when) {
  const std::map<std::string, Condition> members = Members(values, from, place);
  Spend(from.elements.size());
  std::vector<PythonElement> kept;
  for (PythonElement& element : from.elements) {
    const std::string hash = element.hash.empty() ? PythonHash(element.value) : element.hash;
    if (hash.empty()) from.problems.insert(Unknown(place, "a value of a set").problem);
    const auto found = members.find(hash);
    if (found != members.end()) {
      const Condition removed = Both(found->second, when);
      if (removed.IsAlways()) continue;
      element.feature = Both(element.feature, removed.Not());
      if (!element.feature.CanBeTrue()) continue;
      if (IsUnread(removed)) Uncertain(from);
    }
    kept.push_back(std::move(element));
  }
  from.elements = std::move(kept);
}

void PythonEvaluator::KeepOnly(PythonContainer& of, const PythonValue& values, PythonId place,
                               const Condition& when) {
  const std::map<std::string, Condition> members = Members(values, of, place);
  Spend(of.elements.size());
  std::vector<PythonElement> kept;
  for (PythonElement& element : of.elements) {
    const std::string hash = element.hash.empty() ? PythonHash(element.value) : element.hash;
    if (hash.empty()) of.problems.insert(Unknown(place, "a value of a set").problem);
    const auto found = members.find(hash);
    Condition stays = found == members.end() ? Condition::Never() : found->second;
    if (!when.IsAlways()) stays = stays.Or(when.Not());
    element.feature = Both(element.feature, stays);
    if (IsUnread(stays)) Uncertain(of);
    if (element.feature.CanBeTrue()) kept.push_back(std::move(element));
  }
  of.elements = std::move(kept);
}

void PythonEvaluator::Toggle(PythonContainer& of, const PythonValue& values, PythonId place,
                             const Condition& when) {
  PythonContainer& others = NewContainer(ContainerKind::kSet, place);
  Extend(others, values, place, {});
  PythonContainer& before = NewContainer(ContainerKind::kSet, place);
  before.elements = of.elements;
  RemoveAll(of, Of(others), place, when);
  RemoveAll(others, Of(before), place, {});
  Extend(of, Of(others), place, when);
}

// Removes the first equal element of a list, or the element of a set.
void PythonEvaluator::Remove(PythonContainer& from, const PythonValue& value, PythonId place) {
  const std::string hash = PythonHash(value);
  bool known = !hash.empty();
  Condition remaining = when_;
  for (std::size_t i = 0; known && i < from.elements.size();) {
    const PythonElement& element = from.elements[i];
    const std::string other = element.hash.empty() ? PythonHash(element.value) : element.hash;
    known = !other.empty() || value.IsString();
    if (other != hash) {
      ++i;
      continue;
    }
    const Condition there = element.feature;
    const std::size_t count = from.elements.size();
    Leave(from, i, Both(remaining, there));
    if (from.elements.size() == count) ++i;
    if (from.kind == ContainerKind::kSet) continue;  // repeated elements of a literal are all kept
    remaining = remaining.And(there.Not());
    if (there.IsAlways() || !remaining.CanBeTrue()) return;
  }
  if (!known) {
    const bool told = value.IsUnknown();
    from.problems.insert(told ? value.problem : Unknown(place, "the removed element").problem);
  }
}

void PythonEvaluator::Extend(PythonContainer& to, const PythonValue& from, PythonId place,
                             const Condition& when) {
  if (to.kind == ContainerKind::kDict) return UpdateDict(to, from, place, when);
  PythonContainer items;
  items.place = place;
  Iterate(from, place, items);
  to.problems.insert(items.problems.begin(), items.problems.end());
  if (to.kind != ContainerKind::kSet) to.ordered = to.ordered && items.ordered;
  for (const PythonElement& item : items.elements) {
    Insert(to, item.value, Both(item.feature, when));
  }
}

// Updates from a dict or from pairs.
void PythonEvaluator::UpdateDict(PythonContainer& to, const PythonValue& from, PythonId place,
                                 const Condition& when) {
  if (from.IsContainer() && from.container->kind == ContainerKind::kDict) {
    to.problems.insert(from.container->problems.begin(), from.container->problems.end());
    const std::vector<PythonElement> elements = from.container->elements;
    for (const PythonElement& each : elements) {
      SetItem(to, each.key, each.value, Both(each.feature, when));
    }
    return;
  }
  PythonContainer items;
  items.place = place;
  Iterate(from, place, items);
  to.problems.insert(items.problems.begin(), items.problems.end());
  for (const PythonElement& item : items.elements) {
    PythonContainer pair;
    const bool two = Iterate(item.value, place, pair) && pair.elements.size() == 2 &&
                     pair.problems.empty() && pair.ordered;
    if (two) {
      SetItem(to, pair.elements[0].value, pair.elements[1].value, Both(item.feature, when));
    } else {
      to.problems.insert(Unknown(place, "a pair of a dict").problem);
    }
  }
}

// Returns whether the container is the value of a name, or an element of one.
bool PythonEvaluator::IsNamed(const PythonContainer* container) const {
  for (const PythonScope& scope : scopes_) {
    for (const PythonBinding& binding : scope.bindings) {
      if (!binding.bound || !binding.value.IsContainer()) continue;
      if (binding.value.container == container) return true;
      for (const PythonElement& element : binding.value.container->elements) {
        if (element.value.container == container) return true;
      }
    }
  }
  return false;
}

// Returns whether this evaluation may change the container. If not, the result of the function is
// unknown. Containers that are the same object in Python, but copies here, become unknown too.
bool PythonEvaluator::Writable(PythonContainer& container, PythonId place) {
  if (container.epoch == epoch_) {
    for (PythonContainer* each : container.kin) {
      if (!Spend(10) || !IsNamed(each)) continue;
      const int problem = Unknown(place, "a change of a list that may have two names").problem;
      container.problems.insert(problem);
      each->problems.insert(problem);
    }
    return true;
  }
  foreign_.insert(Unknown(place, "a function that changes a list of the module").problem);
  return false;
}

PythonValue PythonEvaluator::PopKey(PythonContainer& dict, const PythonValue& key, PythonId call) {
  const std::string hash = PythonHash(key);
  std::vector<PythonElement>& elements = dict.elements;
  PythonValue popped = Unknown(call, "the removed element");
  if (hash.empty()) dict.problems.insert(popped.problem);
  bool first = true;
  for (std::size_t i = elements.size(); i-- > 0 && !hash.empty();) {
    if (elements[i].hash != hash) continue;
    if (first && elements[i].feature.IsAlways()) popped = elements[i].value;
    first = false;
    Leave(dict, i, when_);
  }
  return popped;
}

PythonValue PythonEvaluator::Pop(PythonContainer& container, const Arguments& arguments,
                                 PythonId call) {
  const std::vector<PythonValue>& given = arguments.positional;
  const auto fixed = [](const PythonElement& element) { return element.feature.IsAlways(); };
  std::vector<PythonElement>& elements = container.elements;
  if (container.kind == ContainerKind::kDict && !given.empty()) {
    return PopKey(container, given[0], call);
  }
  long long position = -1;
  const bool readable = container.kind == ContainerKind::kList && container.ordered &&
                        container.problems.empty() &&
                        std::all_of(elements.begin(), elements.end(), fixed) &&
                        (given.empty() || PythonInteger(given[0], position));
  const auto count = static_cast<long long>(elements.size());
  if (position < 0) position += count;
  if (!readable || position < 0 || position >= count) {
    PythonValue unknown = Unknown(call, "the removed element");
    container.problems.insert(unknown.problem);
    return unknown;
  }
  PythonValue popped = elements[static_cast<std::size_t>(position)].value;
  Leave(container, static_cast<std::size_t>(position), when_);
  return popped;
}

void PythonEvaluator::InsertAt(PythonContainer& list, const PythonValue& index,
                               const PythonValue& value) {
  const std::size_t before = list.elements.size();
  Append(list, value, when_);
  if (list.elements.size() == before) return;
  long long position = 0;
  const auto count = static_cast<long long>(before);
  if (!PythonInteger(index, position)) list.ordered = false;
  for (const PythonElement& each : list.elements) {
    if (!each.feature.IsAlways()) list.ordered = false;
  }
  if (position < 0) position = std::max(position + count, 0LL);
  std::rotate(list.elements.begin() + std::min(position, count), list.elements.end() - 1,
              list.elements.end());
}

// Evaluates methods of lists.
bool PythonEvaluator::MutateList(PythonContainer& container, std::string_view method,
                                 const Arguments& arguments, PythonId call) {
  const std::vector<PythonValue>& given = arguments.positional;
  if (container.kind != ContainerKind::kList) return false;
  if (method == "append" && given.size() == 1) {
    Append(container, given[0], when_);
  } else if (method == "extend" && given.size() == 1) {
    Extend(container, given[0], call, when_);
  } else if (method == "remove" && given.size() == 1) {
    Remove(container, given[0], call);
  } else if (method == "insert" && given.size() == 2) {
    InsertAt(container, given[0], given[1]);
  } else if (method == "reverse" && given.empty()) {
    if (!when_.IsAlways()) container.ordered = false;
    std::reverse(container.elements.begin(), container.elements.end());
  } else if (method == "sort" && given.empty()) {
    const bool plain = arguments.keywords.empty() && when_.IsAlways();
    container.ordered = plain && Sort(container);
  } else {
    return false;
  }
  return true;
}

// Evaluates methods of sets and dicts.
bool PythonEvaluator::MutateSet(PythonContainer& container, std::string_view method,
                                const Arguments& arguments, PythonId call) {
  const std::vector<PythonValue>& given = arguments.positional;
  const bool set = container.kind == ContainerKind::kSet;
  const bool dict = container.kind == ContainerKind::kDict;
  if (set && method == "add" && given.size() == 1) {
    Insert(container, given[0], when_);
  } else if (set && (method == "remove" || method == "discard") && given.size() == 1) {
    Remove(container, given[0], call);
  } else if (set && method == "update") {
    for (const PythonValue& value : given) Extend(container, value, call, when_);
  } else if (set && method == "difference_update") {
    for (const PythonValue& value : given) RemoveAll(container, value, call, when_);
  } else if (set && method == "intersection_update") {
    for (const PythonValue& value : given) KeepOnly(container, value, call, when_);
  } else if (set && method == "symmetric_difference_update" && given.size() == 1) {
    Toggle(container, given[0], call, when_);
  } else if (dict && method == "update" && given.size() <= 1) {
    if (!given.empty()) UpdateDict(container, given[0], call, when_);
    for (const auto& [name, value] : arguments.keywords) {
      SetItem(container, Text(name, call), value, when_);
    }
  } else {
    return false;
  }
  return true;
}

std::optional<PythonValue> PythonEvaluator::Mutate(PythonContainer& container,
                                                   std::string_view method, PythonId call) {
  static const std::set<std::string_view> kMutations = {"append",
                                                        "add",
                                                        "extend",
                                                        "update",
                                                        "insert",
                                                        "remove",
                                                        "discard",
                                                        "clear",
                                                        "pop",
                                                        "sort",
                                                        "reverse",
                                                        "setdefault",
                                                        "popitem",
                                                        "difference_update",
                                                        "intersection_update",
                                                        "symmetric_difference_update"};
  if (!kMutations.contains(method)) return std::nullopt;
  const Arguments arguments = ReadArguments(call);
  if (!Writable(container, call)) return Unknown(call, "a call or attribute");
  FlushPending();
  if (!arguments.known) {
    container.problems.insert(Unknown(call, "a starred item").problem);
    return NoneAt(call);
  }
  if (method == "pop") return Pop(container, arguments, call);
  if (method == "clear") {
    if (when_.IsAlways()) container.problems.clear();
    for (std::size_t i = container.elements.size(); i-- > 0;) Leave(container, i, when_);
    return NoneAt(call);
  }
  if (method == "setdefault" && container.kind == ContainerKind::kDict) {
    return SetDefault(container, arguments, call);
  }
  const bool changed = MutateList(container, method, arguments, call) ||
                       MutateSet(container, method, arguments, call);
  return changed ? std::optional(NoneAt(call)) : std::nullopt;
}

PythonValue PythonEvaluator::SetDefault(PythonContainer& dict, const Arguments& arguments,
                                        PythonId call) {
  const std::vector<PythonValue>& given = arguments.positional;
  const PythonValue key = given.empty() ? Unknown(call, "an expression") : given[0];
  PythonValue value = given.size() > 1 ? given[1] : NoneAt(call);
  const std::string hash = PythonHash(key);
  bool absent = !hash.empty() && dict.problems.empty();
  for (std::size_t i = dict.elements.size(); i-- > 0;) {
    if (hash.empty() || dict.elements[i].hash != hash) continue;
    if (dict.elements[i].feature.IsAlways()) return dict.elements[i].value;
    absent = false;
  }
  if (absent) {
    SetItem(dict, key, value, when_);
    return value;
  }
  PythonValue unknown = Unknown(call, "a default of a dict");
  dict.problems.insert(unknown.problem);
  return unknown;
}

bool PythonEvaluator::AugmentInPlace(PythonContainer& container, std::string_view op,
                                     const PythonValue& value, PythonId place) {
  const bool set = container.kind == ContainerKind::kSet;
  const bool list = container.kind == ContainerKind::kList;
  const bool dict = container.kind == ContainerKind::kDict;
  if (!(list && op == "+") && !(dict && op == "|") && !(set && op != "+")) return false;
  if (!Writable(container, place)) return true;
  FlushPending();
  if (op == "+" || op == "|") {
    Extend(container, value, place, when_);
  } else if (op == "-") {
    RemoveAll(container, value, place, when_);
  } else if (op == "&") {
    KeepOnly(container, value, place, when_);
  } else if (op == "^") {
    Toggle(container, value, place, when_);
  } else {
    return false;
  }
  return true;
}

}  // namespace opledger

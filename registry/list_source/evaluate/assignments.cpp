// Evaluates assignments, and the effects of blocks that are not evaluated on assigned names; see
// evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

void PythonEvaluator::Assign(PythonId target, const PythonValue& value) {
  switch (tree_.Kind(target)) {
    case PythonKind::kName:
      return Bind(target, value);
    case PythonKind::kTuple:
    case PythonKind::kList:
      return Unpack(target, value);
    case PythonKind::kSubscript:
      return AssignItem(target, value);
    case PythonKind::kStarred:
      return Assign(tree_.Child(target, 0), value);
    default:
      break;
  }
  if (tree_.Kind(target) != PythonKind::kAttribute) return;
  const PythonValue base = Evaluate(tree_.Child(target, 0));
  if (base.kind == Kind::kClass) return BindName(*base.scope, tree_[target].text, target, value);
  if (hooks_ != nullptr) {
    const std::string name = Imported(target);
    if (!name.empty()) hooks_->assigned(*this, name, value);
  }
  Expose(value, Unknown(target, "an assignment of this list to an attribute").problem, 0);
}

void PythonEvaluator::Unpack(PythonId target, const PythonValue& value) {
  const Ids targets = tree_.Children(target);
  PythonContainer items;
  bool known = Iterate(value, target, items) && items.problems.empty() && items.ordered;
  for (const PythonElement& item : items.elements) known = known && item.feature.IsAlways();
  std::size_t star = targets.size();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (tree_.Kind(targets[i]) == PythonKind::kStarred) star = i;
  }
  const bool starred = star < targets.size();
  const std::size_t count = items.elements.size();
  known = known && (starred ? count + 1 >= targets.size() : count == targets.size());
  const PythonValue unknown =
      value.IsUnknown() ? value : Unknown(target, "an assignment to several names");
  std::size_t next = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!known) {
      Assign(targets[i], unknown);
    } else if (i != star) {
      Assign(targets[i], items.elements[next++].value);
    } else {
      PythonContainer& rest = NewContainer(ContainerKind::kList, target);
      for (std::size_t n = count + 1 - targets.size(); n > 0; --n) {
        Append(rest, items.elements[next++].value, {});
      }
      Assign(targets[i], Of(rest));
    }
  }
}

// Evaluates NAME[key] = value.
void PythonEvaluator::AssignItem(PythonId target, const PythonValue& value) {
  const PythonId base = tree_.Child(target, 0);
  const PythonId index_id = tree_.Child(target, 1);
  PythonValue of = Evaluate(base);
  if (of.IsUnknown()) {
    PythonContainer* const dict = Unassigned(base, "[");
    if (dict == nullptr) {
      return Expose(value, Unknown(target, "an assignment of this list to an element").problem, 0);
    }
    of = Of(*dict);
  }
  if (!of.IsContainer() || !Writable(*of.container, target)) return;
  PythonContainer& container = *of.container;
  FlushPending();
  if (tree_.Kind(index_id) == PythonKind::kSlice) {
    const Ids bounds = tree_.Children(index_id);
    const bool whole =
        std::all_of(bounds.begin(), bounds.end(), [](PythonId id) { return id == 0; });
    if (!whole) {
      NotRead(container, base);
      return;
    }
    const PythonValue items = Converted(ContainerKind::kList, {{value}, {}, true}, target);
    if (when_.IsAlways()) container.problems.clear();
    for (std::size_t i = container.elements.size(); i-- > 0;) Leave(container, i, when_);
    Extend(container, items, target, when_);
    return;
  }
  const PythonValue index = Evaluate(index_id);
  if (container.kind == ContainerKind::kDict) return SetItem(container, index, value, when_);
  const std::optional<std::size_t> position = Position(container, index);
  if (position && when_.IsAlways() && !value.IsUnknown()) {
    container.elements[*position] = PythonElement{value, {}, {}, {}};
  } else {
    NotRead(container, base);
  }
}

std::optional<std::size_t> PythonEvaluator::Position(const PythonContainer& list,
                                                     const PythonValue& index) const {
  long long position = 0;
  bool fixed = PythonInteger(index, position) && list.ordered && list.problems.empty();
  for (const PythonElement& each : list.elements) fixed = fixed && each.feature.IsAlways();
  const auto count = static_cast<long long>(list.elements.size());
  if (position < 0) position += count;
  if (!fixed || position < 0 || position >= count) return std::nullopt;
  return static_cast<std::size_t>(position);
}

void PythonEvaluator::Augment(PythonId id) {
  const PythonId target = tree_.Child(id, 0);
  const std::string_view op = tree_[id].text;
  PythonValue old = Evaluate(target);
  const PythonValue value = Evaluate(tree_.Child(id, 1));
  if (old.IsUnknown() && (value.IsContainer() || value.IsUnknown()) && op == "+") {
    PythonContainer* const list = Unassigned(target, "+=");
    if (list != nullptr) old = Of(*list);
  }
  if (old.IsContainer() && AugmentInPlace(*old.container, op, value, id)) return;
  const PythonValue result = Operate(op, old, value, id);
  if (!old.IsContainer() || !result.IsUnknown()) return Assign(target, result);
  NotRead(*old.container, target);
}

void PythonEvaluator::Delete(PythonId target) {
  const PythonKind kind = tree_.Kind(target);
  if (kind == PythonKind::kTuple || kind == PythonKind::kList) {
    for (const PythonId each : tree_.Children(target)) Delete(each);
    return;
  }
  if (kind == PythonKind::kName) {
    PythonBinding* const binding = FindBinding(tree_[target].text);
    if (binding == nullptr) return;
    if (when_.IsAlways()) {
      binding->bound = false;
    } else {
      DisturbName(target, AddProblem(target, "the effect of this statement on '" +
                                                 std::string(tree_[target].text) + "' is unknown"));
    }
    return;
  }
  if (kind == PythonKind::kSubscript) DeleteItem(target);
}

// Evaluates del NAME[index], del NAME[key], del NAME[:].
void PythonEvaluator::DeleteItem(PythonId target) {
  const PythonId base = tree_.Child(target, 0);
  const PythonId index_id = tree_.Child(target, 1);
  const PythonValue of = Evaluate(base);
  if (!of.IsContainer() || !Writable(*of.container, target)) return;
  PythonContainer& container = *of.container;
  FlushPending();
  std::vector<PythonElement>& elements = container.elements;
  if (tree_.Kind(index_id) == PythonKind::kSlice) {
    const Ids bounds = tree_.Children(index_id);
    if (std::any_of(bounds.begin(), bounds.end(), [](PythonId id) { return id != 0; })) {
      NotRead(container, base);
      return;
    }
    if (when_.IsAlways()) container.problems.clear();
    for (std::size_t i = elements.size(); i-- > 0;) Leave(container, i, when_);
    return;
  }
  const PythonValue index = Evaluate(index_id);
  if (container.kind == ContainerKind::kDict) {
    const std::string hash = PythonHash(index);
    if (hash.empty()) NotRead(container, base);
    for (std::size_t i = elements.size(); i-- > 0 && !hash.empty();) {
      if (elements[i].hash == hash) Leave(container, i, when_);
    }
    return;
  }
  const std::optional<std::size_t> position = Position(container, index);
  if (position) {
    Leave(container, *position, when_);
  } else {
    NotRead(container, base);
  }
}

void PythonEvaluator::DisturbTarget(PythonId target, int problem) {
  const PythonKind kind = tree_.Kind(target);
  if (kind == PythonKind::kTuple || kind == PythonKind::kList || kind == PythonKind::kStarred) {
    for (const PythonId each : tree_.Children(target)) DisturbTarget(each, problem);
    return;
  }
  DisturbName(target, problem);
}

void PythonEvaluator::Disturb(PythonId id, int problem) {
  const PythonNode& node = tree_[id];
  const Ids parts = tree_.Children(id);
  switch (node.kind) {
    case PythonKind::kAssign:
      for (const PythonId target : parts.subspan(1)) DisturbTarget(target, problem);
      break;
    case PythonKind::kAugmentedAssign:
    case PythonKind::kAnnotatedAssign:
    case PythonKind::kNamed:
    case PythonKind::kFor:
      DisturbTarget(parts[0], problem);
      break;
    case PythonKind::kDelete:
      for (const PythonId target : parts) DisturbTarget(target, problem);
      break;
    case PythonKind::kCall:
      if (tree_.Kind(parts[0]) == PythonKind::kAttribute) {
        DisturbName(tree_.Child(parts[0], 0), problem);
      }
      break;
    default:
      break;
  }
  const Nesting nesting(*this);
  if (nesting.too_deep()) return;
  for (const PythonId part : parts) Disturb(part, problem);
}

// Marks the value of the name as possibly changed.
void PythonEvaluator::DisturbName(PythonId target, int problem) {
  while (tree_.Kind(target) == PythonKind::kAttribute ||
         tree_.Kind(target) == PythonKind::kSubscript) {
    target = tree_.Child(target, 0);
  }
  if (tree_.Kind(target) != PythonKind::kName) return;
  PythonBinding* const binding = FindBinding(tree_[target].text);
  if (binding != nullptr) ExposeBinding(*binding, target, problem);
}

}  // namespace opledger

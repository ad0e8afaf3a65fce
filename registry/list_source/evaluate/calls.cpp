// Evaluates calls of Python's built-in functions and of the module's own; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {

const PythonValue* PythonArguments::Keyword(std::string_view name) const {
  for (const auto& [each, value] : keywords) {
    if (each == name) return &value;
  }
  return nullptr;
}

PythonArguments PythonEvaluator::ReadArguments(PythonId call) {
  Arguments arguments;
  for (const PythonId id : tree_.Children(call).subspan(1)) {
    const PythonKind kind = tree_.Kind(id);
    if (kind != PythonKind::kStarred && kind != PythonKind::kKeyword) {
      arguments.positional.push_back(Evaluate(id));
      continue;
    }
    const PythonValue value = Evaluate(tree_.Child(id, 0));
    const bool stars = kind == PythonKind::kStarred || tree_[id].text.empty();
    if (!stars) {
      arguments.keywords.emplace_back(tree_[id].text, value);
      continue;
    }
    PythonContainer items;
    const bool mapping = kind == PythonKind::kKeyword;
    Iterate(value, id, items);
    arguments.known = arguments.known && items.problems.empty() && (mapping || items.ordered);
    for (const PythonElement& item : items.elements) {
      arguments.known = arguments.known && item.feature.IsAlways();
      if (!mapping) arguments.positional.push_back(item.value);
      if (mapping) arguments.keywords.emplace_back(item.value.text, Item(value, item.value, id));
    }
  }
  return arguments;
}

// Returns the full name of an imported object, such as "collections.OrderedDict", whatever it is
// called here.
std::string PythonEvaluator::Imported(PythonId id) {
  if (hooks_ != nullptr) return NameWithHooks(id);
  std::string rest;
  for (; tree_.Kind(id) == PythonKind::kAttribute; id = tree_.Child(id, 0)) {
    rest.insert(0, "." + std::string(tree_[id].text));
  }
  if (tree_.Kind(id) != PythonKind::kName) return {};
  const PythonBinding* binding = FindBinding(tree_[id].text);
  if (binding == nullptr || !binding->value.IsUnknown() || binding->value.text.empty()) return {};
  return binding->value.text + rest;
}

// Evaluates a call of another module's function. Some of Python's standard library are known.
PythonValue PythonEvaluator::Foreign(PythonId call) {
  if (const std::optional<PythonValue> value = LibraryCall(call)) return *value;
  if (hooks_ != nullptr) {
    const PythonId callee = tree_.Child(call, 0);
    const bool named = !Imported(callee).empty();
    const bool method = tree_.Kind(callee) == PythonKind::kAttribute;
    if (named || method) {
      const PythonArguments arguments = ReadArguments(call);
      if (!named) hooks_->unknown(*this, tree_[callee].text, arguments);
      if (std::optional<PythonValue> value = Hooked(call, arguments)) return *value;
    }
  }
  const bool reads = ReadsArguments(call);
  for (const PythonId id : tree_.Children(call).subspan(1)) {
    const bool keyword = tree_.Kind(id) == PythonKind::kKeyword;
    const bool starred =
        tree_.Kind(id) == PythonKind::kStarred || (keyword && tree_[id].text.empty());
    const PythonValue value = Evaluate(keyword || starred ? tree_.Child(id, 0) : id);
    ExposeArgument(call, value, starred || reads);
  }
  return Unknown(call, "a call or attribute");
}

std::optional<PythonValue> PythonEvaluator::LibraryCall(PythonId call) {
  const PythonId function = tree_.Child(call, 0);
  std::string name = Imported(function);
  if (name.empty() && tree_.DottedName(function) == "dict.fromkeys" &&
      FindBinding("dict") == nullptr) {
    name = "dict.fromkeys";
  }
  static const std::set<std::string_view> kNames = {
      "collections.OrderedDict", "itertools.chain", "itertools.chain.from_iterable", "copy.copy",
      "copy.deepcopy",           "dict.fromkeys"};
  if (!kNames.contains(name)) return std::nullopt;
  const Arguments arguments = ReadArguments(call);
  if (name == "collections.OrderedDict") return DictOf(arguments, call);
  if (name == "itertools.chain") return Chain(arguments, call);
  if (!arguments.known || arguments.positional.empty()) return std::nullopt;
  const PythonValue& first = arguments.positional[0];
  if (name == "dict.fromkeys") return FromKeys(arguments, call);
  if (name == "itertools.chain.from_iterable") return ChainOfAll(first, call);
  return Copied(first, name == "copy.deepcopy", 0);
}

PythonValue PythonEvaluator::ChainOfAll(const PythonValue& lists, PythonId call) {
  PythonContainer items;
  Iterate(lists, call, items);
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  result.problems = items.problems;
  for (const PythonElement& each : items.elements) Extend(result, each.value, call, each.feature);
  if (!items.ordered) result.ordered = false;
  return Of(result);
}

// A key that exists keeps its position.
PythonValue PythonEvaluator::FromKeys(const Arguments& arguments, PythonId call) {
  const PythonValue value =
      arguments.positional.size() > 1 ? arguments.positional[1] : NoneAt(call);
  PythonContainer& keys = NewContainer(ContainerKind::kSet, call);
  Extend(keys, arguments.positional[0], call, {});
  PythonContainer& result = NewContainer(ContainerKind::kDict, call);
  result.problems = keys.problems;
  result.ordered =
      arguments.positional[0].IsContainer() && arguments.positional[0].container->ordered;
  for (const PythonElement& each : keys.elements) SetItem(result, each.value, value, each.feature);
  return Of(result);
}

PythonValue PythonEvaluator::Copied(const PythonValue& value, bool deep, int depth) {
  if (!value.IsContainer() || depth > 20 || !Spend(value.container->elements.size())) return value;
  PythonContainer& copy = NewContainer(value.container->kind, value.place);
  copy.elements = value.container->elements;
  copy.problems = value.container->problems;
  copy.ordered = value.container->ordered;
  for (PythonElement& element : copy.elements) {
    if (deep) element.value = Copied(element.value, true, depth + 1);
  }
  return Of(copy);
}

PythonValue PythonEvaluator::Call(PythonId id) {
  const PythonId function = tree_.Child(id, 0);
  visits_.calls.insert(id);
  if (tree_.Kind(function) == PythonKind::kAttribute) return Method(id);
  if (tree_.Kind(function) != PythonKind::kName) {
    const PythonValue callee = Evaluate(function);
    const bool named = callee.IsUnknown() && !callee.text.empty();
    const bool callable = callee.kind == Kind::kFunction || callee.kind == Kind::kClass;
    if (hooks_ != nullptr && (named || callable)) return CallValue(callee, ReadArguments(id), id);
    return callee.kind == Kind::kFunction ? CallFunction(callee, ReadArguments(id), id)
                                          : Foreign(id);
  }
  const std::string_view name = tree_[function].text;
  const PythonBinding* const binding = FindBinding(name);
  if (binding == nullptr) {
    if (scope_ != module_ && epoch_ == 0 && ReachesPythonNames(name)) {
      ExposeScope(*module_, Unknown(id, "a name that is computed").problem);
    }
    if (hooks_ != nullptr && name == "getattr") {
      if (const std::string of = NameOfGetattr(id); !of.empty()) return UnknownAt(id, of);
    }
    const std::optional<PythonValue> value = Builtin(name, id);
    return value ? *value : Foreign(id);
  }
  const PythonValue callee = binding->value;
  const bool sure = binding->when.IsAlways() || Both(when_, binding->when) == when_;
  if (hooks_ != nullptr && !binding->others.empty()) return CallEach(*binding, id);
  if (hooks_ != nullptr && callee.kind == Kind::kFunction) {
    return CallValue(callee, ReadArguments(id), id);
  }
  if (callee.kind == Kind::kFunction && !sure) visits_.calls.erase(id);
  if (hooks_ != nullptr && callee.kind == Kind::kClass) {
    return Instantiate(callee, ReadArguments(id), id);
  }
  if (callee.kind == Kind::kClass) Escape(callee, id);
  if (callee.kind != Kind::kFunction || !sure) return Foreign(id);
  return CallFunction(callee, ReadArguments(id), id);
}

std::optional<PythonValue> PythonEvaluator::Builtin(std::string_view name, PythonId call) {
  static const std::set<std::string_view> kNames = {
      "set",       "frozenset", "list", "tuple", "dict",  "sorted", "reversed", "range",
      "enumerate", "zip",       "len",  "str",   "print", "bool",   "map"};
  if (!kNames.contains(name)) return std::nullopt;
  const Arguments arguments = ReadArguments(call);
  if (name == "print") return NoneAt(call);
  if (!arguments.known) return Unknown(call, "a starred item");
  if (name == "set" || name == "frozenset") return Converted(ContainerKind::kSet, arguments, call);
  if (name == "list") return Converted(ContainerKind::kList, arguments, call);
  if (name == "tuple") return Converted(ContainerKind::kTuple, arguments, call);
  if (name == "dict") return DictOf(arguments, call);
  if (name == "range") return Range(arguments, call);
  if (name == "enumerate") return Enumerated(arguments, call);
  if (name == "zip") return Zipped(arguments, call);
  if (name == "map") return Mapped(arguments, call);
  if (arguments.positional.size() != 1) return std::nullopt;
  if (name == "sorted" || name == "reversed") return Sorted(arguments, name == "reversed", call);
  return ScalarBuiltin(name, arguments.positional[0], call);
}

std::optional<PythonValue> PythonEvaluator::ScalarBuiltin(std::string_view name,
                                                          const PythonValue& value, PythonId call) {
  std::string text;
  if (name == "str" && AppendFormatted(value, "", text)) return Text(std::move(text), call);
  if (name == "bool" && TruthOf(value) != Truth::kUnknown) {
    return Bool(TruthOf(value) == Truth::kTrue, call);
  }
  if (name != "len") return std::nullopt;
  PythonContainer items;
  const bool fixed = Iterate(value, call, items) && items.problems.empty() &&
                     std::all_of(items.elements.begin(), items.elements.end(),
                                 [](const auto& each) { return each.feature.IsAlways(); });
  return fixed ? std::optional(Number(static_cast<long long>(items.elements.size()), call))
               : std::nullopt;
}

PythonValue PythonEvaluator::Converted(ContainerKind kind, const Arguments& arguments,
                                       PythonId call) {
  if (arguments.positional.size() > 1 || !arguments.keywords.empty()) {
    return Unknown(call, "a call or attribute");
  }
  PythonContainer& result = NewContainer(kind, call);
  if (!arguments.positional.empty()) {
    const PythonValue& from = arguments.positional[0];
    if (from.IsUnknown()) return from;
    Extend(result, from, call, {});
  }
  return Of(result);
}

PythonValue PythonEvaluator::DictOf(const Arguments& arguments, PythonId call) {
  if (arguments.positional.size() > 1 || !arguments.known) {
    return Unknown(call, "a call or attribute");
  }
  PythonContainer& dict = NewContainer(ContainerKind::kDict, call);
  if (!arguments.positional.empty()) UpdateDict(dict, arguments.positional[0], call, {});
  for (const auto& [name, value] : arguments.keywords) {
    SetItem(dict, Text(name, call), value, {});
  }
  return Of(dict);
}

PythonValue PythonEvaluator::Chain(const Arguments& arguments, PythonId call) {
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  if (!arguments.known) result.problems.insert(Unknown(call, "a starred item").problem);
  for (const PythonValue& each : arguments.positional) Extend(result, each, call, {});
  return Of(result);
}

// Returns false if the order of the values is unknown.
bool PythonEvaluator::Sort(PythonContainer& container) const {
  std::vector<PythonElement>& elements = container.elements;
  long long number = 0;
  const bool texts = std::all_of(elements.begin(), elements.end(),
                                 [](const auto& each) { return each.value.IsString(); });
  const bool numbers = std::all_of(elements.begin(), elements.end(), [&](const auto& each) {
    return PythonInteger(each.value, number);
  });
  if ((!texts && !numbers) || !container.problems.empty()) return false;
  std::stable_sort(elements.begin(), elements.end(), [&](const auto& one, const auto& other) {
    if (texts) return one.value.text < other.value.text;
    long long left = 0;
    long long right = 0;
    return PythonInteger(one.value, left) && PythonInteger(other.value, right) && left < right;
  });
  return true;
}

PythonValue PythonEvaluator::Sorted(const Arguments& arguments, bool reversed, PythonId call) {
  const PythonValue& from = arguments.positional[0];
  if (from.IsUnknown()) return from;
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  Extend(result, from, call, {});
  if (!reversed) result.ordered = Sort(result);
  const PythonValue* const down = arguments.Keyword("reverse");
  const Truth reverse = reversed ? Truth::kTrue : down == nullptr ? Truth::kFalse : TruthOf(*down);
  if (reverse == Truth::kTrue) std::reverse(result.elements.begin(), result.elements.end());
  if (reverse == Truth::kUnknown || arguments.Keyword("key") != nullptr) result.ordered = false;
  return Of(result);
}

PythonValue PythonEvaluator::Range(const Arguments& arguments, PythonId call) {
  long long bounds[3] = {0, 0, 1};
  const std::vector<PythonValue>& given = arguments.positional;
  bool known = !given.empty() && given.size() <= 3;
  for (std::size_t i = 0; known && i < given.size(); ++i) {
    known = PythonInteger(given[i], bounds[given.size() == 1 ? 1 : i]) &&
            std::abs(bounds[given.size() == 1 ? 1 : i]) < (1LL << 40);
  }
  const auto [first, last, step] = bounds;
  if (!known || step == 0 || (last - first) / step > 100000) {
    return Unknown(call, "a call or attribute");
  }
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  for (long long i = first; step > 0 ? i < last : i > last; i += step) {
    Append(result, Number(i, call), {});
  }
  return Of(result);
}

// Evaluates map() as if its result were used immediately.
std::optional<PythonValue> PythonEvaluator::Mapped(const Arguments& arguments, PythonId call) {
  if (hooks_ == nullptr || arguments.positional.size() != 2) return std::nullopt;
  PythonContainer items;
  Iterate(arguments.positional[1], call, items);
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  result.problems = items.problems;
  for (const PythonElement& item : items.elements) {
    Append(result, CallValue(arguments.positional[0], {{item.value}, {}, true}, call),
           item.feature);
  }
  return Of(result);
}

PythonValue PythonEvaluator::Enumerated(const Arguments& arguments, PythonId call) {
  const std::vector<PythonValue>& given = arguments.positional;
  const PythonValue* const start = given.size() > 1 ? &given[1] : arguments.Keyword("start");
  long long number = 0;
  PythonContainer items;
  const bool known = !given.empty() && (start == nullptr || PythonInteger(*start, number)) &&
                     Iterate(given[0], call, items) && items.problems.empty() && items.ordered;
  if (!known) return Unknown(call, "a call or attribute");
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  for (const PythonElement& item : items.elements) {
    if (!item.feature.IsAlways()) return Unknown(call, "a value that depends on a condition");
    PythonContainer& pair = NewContainer(ContainerKind::kTuple, call);
    Append(pair, Number(number++, call), {});
    Append(pair, item.value, {});
    Append(result, Of(pair), {});
  }
  return Of(result);
}

PythonValue PythonEvaluator::Zipped(const Arguments& arguments, PythonId call) {
  std::vector<PythonContainer> columns;
  std::size_t count = arguments.positional.empty() ? 0 : std::string::npos;
  for (const PythonValue& value : arguments.positional) {
    PythonContainer& column = columns.emplace_back();
    bool known = Iterate(value, call, column) && column.problems.empty() && column.ordered;
    for (const PythonElement& each : column.elements) known = known && each.feature.IsAlways();
    if (!known) return Unknown(call, "a call or attribute");
    count = std::min(count, column.elements.size());
  }
  PythonContainer& result = NewContainer(ContainerKind::kList, call);
  for (std::size_t i = 0; i < count; ++i) {
    PythonContainer& row = NewContainer(ContainerKind::kTuple, call);
    for (const PythonContainer& column : columns) Append(row, column.elements[i].value, {});
    Append(result, Of(row), {});
  }
  return Of(result);
}

}  // namespace opledger

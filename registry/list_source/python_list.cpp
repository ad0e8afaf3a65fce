// Reads the lists of a Python module; see python_list.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/python_list.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "registry/list_source/evaluate/evaluate.h"
#include "registry/python/python.h"

namespace opledger {
namespace {

constexpr int kDeepestValue = 24;
constexpr std::size_t kMostValues = 1000000;  // of all lists, including repeated shared values

LiteralValue::Kind KindOf(const PythonValue& value) {
  using Kind = LiteralValue::Kind;
  using ValueKind = PythonValue::Kind;
  if (value.kind == ValueKind::kString) return Kind::kString;
  if (value.kind == ValueKind::kNumber) return Kind::kNumber;
  if (value.kind == ValueKind::kConstant) return Kind::kConstant;
  if (!value.IsContainer()) return Kind::kUnreadable;
  static constexpr Kind kKinds[] = {Kind::kList, Kind::kTuple, Kind::kSet, Kind::kDict};
  return kKinds[static_cast<int>(value.container->kind)];
}

// Converts names and values of the evaluator to lists.
class ListWriter {
 public:
  ListWriter(const PythonTree& tree, const PythonEvaluator& evaluator)
      : tree_(tree), evaluator_(evaluator) {}

  NamedList List(const PythonName& name);

 private:
  LiteralValue Value(const PythonValue& value, int depth);
  void Elements(const PythonContainer& container, LiteralValue& out, int depth);
  void Problem(PythonId place, const std::string& what) {
    list_.problems.push_back({tree_.At(place), what + " cannot be evaluated: not a literal", ""});
  }
  void AddProblems(const std::set<int>& problems);

  const PythonTree& tree_;
  const PythonEvaluator& evaluator_;
  NamedList list_;
  std::size_t values_ = 0;
};

void ListWriter::AddProblems(const std::set<int>& problems) {
  for (const int number : problems) {
    const PythonProblem& problem = evaluator_.Problem(number);
    list_.problems.push_back({problem.place, problem.message, problem.hint});
  }
}

LiteralValue ListWriter::Value(const PythonValue& value, int depth) {
  LiteralValue out;
  out.kind = KindOf(value);
  out.location = tree_.At(value.place);
  if (depth > kDeepestValue || ++values_ > kMostValues) {
    out.kind = LiteralValue::Kind::kUnreadable;
    Problem(value.place, "brackets nested this deeply");
  } else if (value.IsContainer()) {
    Elements(*value.container, out, depth);
  } else if (out.kind == LiteralValue::Kind::kUnreadable) {
    Problem(value.place, "a function or class");
  } else {
    out.text = value.text;
    out.joined = value.joined;
  }
  return out;
}

// Elements inside a value cannot have conditions.
void ListWriter::Elements(const PythonContainer& container, LiteralValue& out, int depth) {
  AddProblems(container.problems);
  for (const PythonElement& element : container.elements) {
    if (values_ > kMostValues) return;
    if (!element.feature.IsAlways()) Problem(element.value.place, "a value with a condition");
    if (container.kind == PythonContainer::Kind::kDict) {
      out.items.push_back(Value(element.key, depth + 1));
    }
    out.items.push_back(Value(element.value, depth + 1));
  }
}

NamedList ListWriter::List(const PythonName& name) {
  list_ = {};
  list_.name = name.name;
  list_.location = tree_.At(name.place);
  list_.kind = KindOf(name.value);
  list_.inner = name.inner;
  if (!name.value.IsContainer()) {
    AddProblems({name.value.problem});
    list_.complete = false;
    return std::move(list_);
  }
  const PythonContainer& container = *name.value.container;
  AddProblems(container.problems);
  for (const PythonElement& element : container.elements) {
    ListItem item;
    item.feature = element.feature;
    item.literal = element.value.literal;
    if (container.kind == PythonContainer::Kind::kDict) {
      item.key = Value(element.key, 0);
      item.literal = item.literal && element.key.literal;
    }
    item.value = Value(element.value, 0);
    const bool readable = item.value.kind != LiteralValue::Kind::kUnreadable &&
                          (!item.key || item.key->kind != LiteralValue::Kind::kUnreadable);
    if (readable) list_.items.push_back(std::move(item));
  }
  list_.complete = list_.problems.empty();
  return std::move(list_);
}

}  // namespace

const NamedList* ListModule::Find(std::string_view name) const {
  const auto list = std::find_if(lists.begin(), lists.end(),
                                 [&](const NamedList& each) { return each.name == name; });
  return list == lists.end() ? nullptr : &*list;
}

std::optional<ListModule> ReadPythonLists(std::string path, std::string text,
                                          Diagnostics& diagnostics) {
  const auto source = std::make_shared<const SourceText>(std::move(path), std::move(text));
  const std::optional<PythonTree> tree = ParsePython(source, diagnostics);
  if (!tree) return std::nullopt;
  PythonEvaluator evaluator(*tree);
  const std::vector<PythonName> names = evaluator.Run();
  ListModule module;
  module.source = source;
  ListWriter writer(*tree, evaluator);
  std::map<Location, ListProblem> told;
  const auto tell = [&](const ListProblem& problem) { told.emplace(problem.location, problem); };
  for (const int number : evaluator.module_problems()) {
    const PythonProblem& problem = evaluator.Problem(number);
    tell({problem.place, problem.message, problem.hint});
  }
  for (const PythonName& name : names) {
    NamedList list = writer.List(name);
    const auto same = module.Find(list.name);
    if (same != nullptr) continue;
    if (!list.inner) std::for_each(list.problems.begin(), list.problems.end(), tell);
    module.lists.push_back(std::move(list));
  }
  for (const auto& [location, problem] : told) {
    source->Warn(location, problem.message, problem.hint, diagnostics);
  }
  return module;
}

}  // namespace opledger

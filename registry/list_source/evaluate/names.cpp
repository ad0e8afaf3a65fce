// Finds the names of a module that are lists; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {
namespace {

constexpr int kDeepestName = 4;  // parts of "A.b.c"

}  // namespace

std::vector<PythonName> PythonEvaluator::Run() {
  module_ = &NewScope(nullptr);
  scope_ = module_;
  Execute(tree_.Children(tree_.root()));
  when_ = {};
  left_ = Condition::Never();
  ExposeUses();
  std::vector<PythonName> names;
  AddNames(*module_, "", 0, names);
  std::vector<PythonName> inner;
  for (const PythonName& name : names) AddMembers(name, 0, inner);
  AddClasses(*module_, "", 0, inner);
  AnalyzeFunctions(*module_, "", 0, inner);
  for (PythonName& name : inner) {
    name.inner = true;
    names.push_back(std::move(name));
  }
  return names;
}

// Returns the value if the condition holds, otherwise an empty container.
PythonValue PythonEvaluator::Where(const PythonValue& value, const Condition& when) {
  if (when.IsAlways() || !value.IsContainer()) return value;
  return Merge(value, when, Of(NewContainer(value.container->kind, value.place)), value.place);
}

void PythonEvaluator::AddNames(const PythonScope& scope, const std::string& prefix, int depth,
                               std::vector<PythonName>& names) {
  for (std::size_t i = 0; i < scope.bindings.size(); ++i) {
    const PythonBinding binding = scope.bindings[i];
    const PythonKind kind = tree_.Kind(binding.place);
    const bool parameter =
        kind >= PythonKind::kPositionalParameter && kind <= PythonKind::kDoubleStarParameter;
    const bool unknown = binding.value.IsUnknown() && binding.value.text.empty() && depth == 0;
    if (!binding.bound || parameter || (!binding.value.IsContainer() && !unknown)) continue;
    names.push_back({prefix + binding.name, binding.place, Where(binding.value, binding.when), {}});
  }
}

void PythonEvaluator::AddMembers(const PythonName& name, int depth,
                                 std::vector<PythonName>& names) {
  if (!name.value.IsContainer() || depth == kDeepestName) return;
  const PythonContainer& dict = *name.value.container;
  if (dict.kind != ContainerKind::kDict) return;
  std::map<std::string, PythonName> members;
  for (const PythonElement& element : Settled(dict, false)) {
    if (!element.key.IsString() || !element.value.IsContainer() || !Spend(1)) continue;
    const PythonValue value = Where(element.value, element.feature);
    const auto [member, added] = members.try_emplace(
        element.key.text,
        PythonName{name.name + "." + element.key.text, element.key.place, value, true});
    if (added) continue;  // otherwise only one of them exists at a time
    member->second.value =
        Merge(member->second.value, element.feature.Not(), element.value, value.place);
  }
  for (const auto& [key, member] : members) {
    names.push_back(member);
    AddMembers(member, depth + 1, names);
  }
}

void PythonEvaluator::AddClasses(const PythonScope& scope, const std::string& prefix, int depth,
                                 std::vector<PythonName>& names) {
  for (std::size_t i = 0; i < scope.bindings.size() && depth < kDeepestName; ++i) {
    const PythonBinding binding = scope.bindings[i];
    if (!binding.bound || binding.value.kind != Kind::kClass) continue;
    const std::size_t before = names.size();
    const std::string inner = prefix + binding.name + ".";
    AddNames(*binding.value.scope, inner, depth + 1, names);
    for (std::size_t n = names.size(); n-- > before;) {
      const PythonName name = names[n];
      AddMembers(name, depth, names);
    }
    AddClasses(*binding.value.scope, inner, depth + 1, names);
    AnalyzeFunctions(*binding.value.scope, inner, depth + 1, names);
  }
}

// Finds the values that functions return and their local lists, for any arguments.
void PythonEvaluator::AnalyzeFunctions(PythonScope& scope, const std::string& prefix, int depth,
                                       std::vector<PythonName>& names) {
  for (std::size_t i = 0; i < scope.bindings.size() && depth < kDeepestName; ++i) {
    const PythonBinding binding = scope.bindings[i];
    if (!binding.bound || binding.value.kind != Kind::kFunction || !Spend(100)) continue;
    if (!analyzed_.insert(binding.value.place).second) continue;
    const int epoch = std::exchange(epoch_, ++epochs_);
    const std::set<int> foreign = std::exchange(foreign_, {});
    const std::size_t before = names.size();
    AnalyzeFunction(binding, prefix + binding.name, depth, names);
    for (std::size_t n = before; n < names.size() && !foreign_.empty(); ++n) {
      names[n].value = Copied(names[n].value, false, 0);
      names[n].value.container->problems.insert(foreign_.begin(), foreign_.end());
    }
    epoch_ = epoch;
    foreign_ = foreign;
  }
}

void PythonEvaluator::AnalyzeFunction(const PythonBinding& binding, const std::string& name,
                                      int depth, std::vector<PythonName>& names) {
  const PythonId function = binding.value.place;
  PythonScope& inner = NewScope(binding.value.scope);
  const PythonValue returned = RunFunction(function, inner, [&] {
    for (const PythonId parameter : tree_.Children(tree_.Child(function, 2))) {
      const std::string text(tree_[parameter].text);
      if (text.empty()) continue;
      PythonValue unknown = Unknown(parameter, "the name '" + text + "'");
      unknown.text = "parameter";
      BindName(inner, text, parameter, unknown);
    }
    return true;
  });
  const std::size_t before = names.size();
  if (returned.IsContainer()) names.push_back({name, binding.place, returned, true});
  AddNames(inner, name + ".", depth + 1, names);
  for (std::size_t n = before, end = names.size(); n < end; ++n) {
    const PythonName each = names[n];
    AddMembers(each, depth, names);
  }
  AnalyzeFunctions(inner, name + ".", depth + 1, names);
}

}  // namespace opledger

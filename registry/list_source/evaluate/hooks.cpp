// Evaluation with hooks: imported names, conditions in the source's own text, and functions without
// callers; see hooks.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/evaluate/hooks.h"

#include <algorithm>
#include <utility>

#include "registry/condition/python_test.h"
#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {
namespace {

constexpr int kDeepestAdopted = 8;

}  // namespace

Condition PythonEvaluator::TextCondition(std::string_view text) {
  const auto known = text_conditions_.find(text);
  if (known != text_conditions_.end()) return known->second;
  Condition condition = Condition::FromExpression(PythonTestAtom(text));
  return text_conditions_.emplace(text, std::move(condition)).first->second;
}

std::optional<PythonValue> PythonEvaluator::Hooked(PythonId call,
                                                   const PythonArguments& arguments) {
  const std::string function = Imported(tree_.Child(call, 0));
  if (function.empty()) return std::nullopt;
  return hooks_->call(*this, function, call, arguments);
}

std::optional<PythonValue> PythonEvaluator::ImportedValue(PythonId id) {
  const std::string name = Imported(id);
  if (name.empty()) return std::nullopt;
  if (name == "typing.TYPE_CHECKING" || name.ends_with(".TYPE_CHECKING")) return Bool(false, id);
  if (std::optional<PythonValue> value = hooks_->imported(*this, name, id)) return value;
  return UnknownAt(id, name);
}

PythonValue PythonEvaluator::UnknownAt(PythonId place, std::string name) {
  PythonValue value = Unknown(place, "the name '" + name + "'");
  value.place = place;
  value.given = name == kParameter;
  value.text = std::move(name);
  return value;
}

void PythonEvaluator::ImportAll(PythonId alias, const std::string& module) {
  for (const auto& [name, stands_for] : hooks_->starred(*this, module)) {
    BindName(*scope_, name, alias, UnknownAt(alias, stands_for));
  }
}

// Returns the condition of a test. Unknown parts are represented by their text.
Condition PythonEvaluator::TextTest(PythonId id) {
  const PythonNode& node = tree_[id];
  if (node.kind == PythonKind::kUnary && node.text == "not") {
    return TextTest(tree_.Child(id, 0)).Not();
  }
  if (node.kind == PythonKind::kBoolean) {
    const bool all = node.text == "and";
    Condition result = all ? Condition() : Condition::Never();
    for (const PythonId operand : tree_.Children(id)) {
      const Condition test = TextTest(operand);
      result = all ? result.And(test) : result.Or(test);
    }
    return result;
  }
  const std::string_view text = tree_.Spelling(id);
  if (text == "__name__ == \"__main__\"" || text == "__name__ == '__main__'") {
    return TextCondition(text);
  }
  const Truth truth = TruthOf(Evaluate(id));
  if (truth != Truth::kUnknown) return truth == Truth::kTrue ? Condition() : Condition::Never();
  return TextCondition(text);
}

// Returns the condition that a `try` succeeds, named by its import if it begins with one.
Condition PythonEvaluator::TryTest(PythonId id) {
  const PythonId block = tree_.Child(id, 0);
  const PythonId first = tree_.Kind(id) == PythonKind::kTry ? tree_.Child(block, 0) : 0;
  const bool imports =
      tree_.Kind(first) == PythonKind::kImport || tree_.Kind(first) == PythonKind::kImportFrom;
  if (imports) return TextCondition(tree_.Spelling(first));
  const int line = static_cast<int>(tree_.At(id).line);
  return TextCondition(module_name_ + ", line " + std::to_string(line) + ", succeeds");
}

std::optional<PythonValue> PythonEvaluator::Decorate(PythonId id, PythonId decorator,
                                                     const PythonValue& decorated) {
  const PythonId outer = std::exchange(decorated_, id);
  const PythonArguments arguments = {{decorated}, {}, true};
  PythonValue value = Evaluate(decorator);
  PythonValue made;
  if (value.kind == Kind::kFunction) {
    made = CallFunction(value, arguments, decorator);
  } else if (value.kind == Kind::kClass) {
    Instantiate(value, arguments, decorator);
  } else if (tree_.Kind(decorator) != PythonKind::kCall) {
    const std::string name = Imported(decorator);
    if (!name.empty()) {
      made = hooks_->call(*this, name, decorator, arguments).value_or(PythonValue());
    }
  }
  decorated_ = outer;
  // An object that represents the function and has methods of its own.
  const bool object = value.IsUnknown() && value.text.ends_with(')');
  if (object) return value;
  // Or another function, which calls it.
  const bool replaced = made.kind == Kind::kFunction && made.text != kLambda &&
                        (made.home != decorated.home || made.place != decorated.place);
  return replaced ? std::optional(made) : std::nullopt;
}

// Calls each of the values that the name has under different conditions.
PythonValue PythonEvaluator::CallEach(const PythonBinding& binding, PythonId call) {
  std::vector<PythonOther> callees = binding.others;
  callees.push_back({binding.value, binding.when});
  return CallAll(callees, ReadArguments(call), call);  // reading arguments may bind names
}

PythonValue PythonEvaluator::CallValue(const PythonValue& callee, const PythonArguments& arguments,
                                       PythonId call) {
  if (callee.kind == Kind::kFunction && callee.object != nullptr) {
    return CallMember(*callee.object->self, callee.text, arguments, call);
  }
  if (callee.kind == Kind::kFunction) return CallFunction(callee, arguments, call);
  if (callee.kind == Kind::kClass) return Instantiate(callee, arguments, call);
  if (callee.IsUnknown() && !callee.text.empty()) {
    if (auto value = hooks_->call(*this, callee.text, call, arguments)) return *value;
  }
  return Unknown(call, "a call or attribute");
}

void PythonEvaluator::SetGlobal(std::string_view name, const PythonValue& value) {
  if (module_ != nullptr) BindName(*module_, name, value.place, value);
}

// The result is that of the last callee that returns an object, a function or a class.
PythonValue PythonEvaluator::CallAll(const std::vector<PythonOther>& callees,
                                     const PythonArguments& arguments, PythonId call) {
  PythonValue result = UnknownAt(call, "");
  const Condition outer = when_;
  for (const PythonOther& each : callees) {
    when_ = Both(outer, each.when);
    const PythonValue value = CallValue(each.value, arguments, call);
    const bool object = value.IsUnknown() && !value.text.empty();
    if (object || value.kind == Kind::kFunction || value.kind == Kind::kClass) result = value;
  }
  when_ = outer;
  return result;
}

void PythonEvaluator::RunModule() {
  module_ = &NewScope(nullptr);
  scope_ = module_;
  Execute(tree_.Children(tree_.root()));
  when_ = {};
  left_ = Condition::Never();
}

const PythonBinding* PythonEvaluator::Global(std::string_view name) const {
  const PythonBinding* const binding = module_ == nullptr ? nullptr : module_->Find(name);
  return binding != nullptr && binding->bound ? binding : nullptr;
}

PythonId PythonEvaluator::Outermost(std::uint32_t offset) const {
  PythonId outermost = 0;
  for (PythonId id = 1; id < tree_.size(); ++id) {
    const PythonNode& node = tree_[id];
    if (node.kind != PythonKind::kFunction && node.kind != PythonKind::kClass) continue;
    const bool around = node.begin <= offset && offset < node.end;
    if (around && (outermost == 0 || node.begin < tree_[outermost].begin)) outermost = id;
  }
  return outermost;
}

bool PythonEvaluator::IsAbsent(PythonId id) const {
  const std::uint32_t at = tree_[id].begin;
  return std::any_of(absent_.begin(), absent_.end(), [&](PythonId block) {
    return tree_[block].begin <= at && at < tree_[block].end;
  });
}

std::vector<std::string> PythonEvaluator::GlobalNames() const {
  std::vector<std::string> names;
  if (module_ == nullptr) return names;
  for (const PythonBinding& each : module_->bindings) {
    if (each.bound) names.push_back(each.name);
  }
  return names;
}

// Evaluates as if called from a statement of another module, under the condition `when`.
PythonValue PythonEvaluator::FromOutside(const Condition& when,
                                         const std::function<PythonValue()>& evaluate) {
  PythonScope* const scope = std::exchange(scope_, module_);
  const Condition outer = std::exchange(when_, when);
  const bool uncalled = std::exchange(uncalled_, false);
  ++outside_;
  PythonValue result = evaluate();
  --outside_;
  scope_ = scope;
  when_ = outer;
  uncalled_ = uncalled;
  return result;
}

PythonValue PythonEvaluator::CallFrom(const PythonValue& callee, const PythonArguments& arguments,
                                      const Condition& when) {
  std::vector<PythonOther> callees = {{callee, {}}};
  const PythonScope* const around =
      callee.kind == Kind::kFunction ? callee.scope : callee.scope->parent;
  const PythonBinding* const binding =
      around == module_ ? Global(tree_[callee.place].text) : nullptr;
  if (binding != nullptr && !binding->others.empty()) {
    callees = binding->others;
    callees.push_back({binding->value, binding->when});
  }
  return FromOutside(when, [&] { return CallAll(callees, arguments, callee.place); });
}

PythonValue PythonEvaluator::Adopt(const PythonValue& value, PythonId place, int depth) {
  if (value.IsContainer() && depth < kDeepestAdopted) {
    PythonContainer& copy = NewContainer(value.container->kind, place);
    copy.ordered = value.container->ordered;
    for (const PythonElement& each : value.container->elements) {
      if (!Spend(1)) break;
      PythonElement element = each;
      element.value = Adopt(each.value, place, depth + 1);
      element.key = Adopt(each.key, place, depth + 1);
      if (element.value.IsUnknown())
        copy.problems.insert(element.value.problem);
      else
        copy.elements.push_back(std::move(element));
    }
    if (!value.container->problems.empty()) {
      copy.problems.insert(Unknown(place, "a list of another module").problem);
    }
    return Of(copy);
  }
  const bool scalar =
      value.IsString() || value.kind == Kind::kNumber || value.kind == Kind::kConstant;
  const bool definition = value.kind == Kind::kFunction || value.kind == Kind::kClass;
  if (definition) return value;
  if (!scalar) {
    PythonValue unknown = UnknownAt(place, value.text);
    unknown.given = value.given;
    return unknown;
  }
  PythonValue copy = value;
  copy.place = place;
  copy.literal = false;
  return copy;
}

// Calls a function or class of another module.
PythonValue PythonEvaluator::CallElsewhere(const PythonValue& callee,
                                           const PythonArguments& arguments, PythonId call) {
  if (auto value = hooks_->elsewhere(*this, callee, call, arguments)) return *value;
  for (const PythonValue& each : arguments.positional) ExposeArgument(call, each, false);
  for (const auto& [name, each] : arguments.keywords) ExposeArgument(call, each, false);
  return Unknown(call, "a call or attribute");
}

void PythonEvaluator::AnalyzeUncalled(const PythonValue& function) {
  const PythonNode& node = tree_[function.place];
  const bool known = std::exchange(uncalled_, true);
  const int epoch = std::exchange(epoch_, ++epochs_);
  const Condition outer =
      std::exchange(when_, TextCondition(std::string(node.text) + "() is called"));
  PythonScope& inner = NewScope(function.scope);
  const PythonValue value = RunFunction(function.place, inner, [&] {
    for (const PythonId parameter : tree_.Children(ParametersOf(function.place))) {
      const std::string text(tree_[parameter].text);
      if (!text.empty()) BindName(inner, text, parameter, UnknownAt(parameter, kParameter));
    }
    return true;
  });
  NoteMaker(function.place, value);
  when_ = outer;
  epoch_ = epoch;
  uncalled_ = known;
}

void PythonEvaluator::NoteMaker(PythonId function, const PythonValue& value) {
  const bool object = value.IsUnknown() && value.text.ends_with(')');
  if (hooks_ != nullptr && object) makers_.insert(function);
}

void PythonEvaluator::RunUncalled() {
  const PythonScope module = *module_;  // not changed by these calls
  // Each function may define others.
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const PythonValue function = functions_[i];
    if (called_.contains(function.place) || !analyzed_.insert(function.place).second) continue;
    AnalyzeUncalled(function);
  }
  module_->bindings = module.bindings;
  module_->numbers = module.numbers;
}

}  // namespace opledger

// Evaluates functions and classes; see evaluator.h.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/list_source/evaluate/evaluator.h"

namespace opledger {
namespace {

constexpr int kMaxPythonCalls = 24;  // nested calls

}  // namespace

void PythonEvaluator::Define(PythonId id) {
  PythonValue function;
  function.kind = Kind::kFunction;
  function.place = id;
  if (hooks_ != nullptr) function.text = tree_[id].text;
  function.home = this;
  function.scope = scope_;
  function.defaults = ReadDefaults(id);
  if (hooks_ != nullptr) functions_.push_back(function);
  PythonValue bound = function;
  for (const PythonId decorator : tree_.Children(tree_.Child(id, 0))) {
    if (hooks_ != nullptr) {
      if (std::optional<PythonValue> object = Decorate(id, decorator, function)) bound = *object;
      continue;
    }
    const PythonValue value = Evaluate(decorator);
    if (value.kind == Kind::kFunction) CallFunction(value, {{function}, {}, true}, decorator);
  }
  BindName(*scope_, tree_[id].text, id, std::move(bound));
}

void PythonEvaluator::DefineClass(PythonId id) {
  PythonValue value;
  value.kind = Kind::kClass;
  value.place = id;
  if (hooks_ != nullptr) value.text = tree_[id].text;
  value.home = this;
  value.scope = &NewScope(scope_);
  value.scope->is_class = true;
  for (const PythonId base : tree_.Children(tree_.Child(id, 2))) {
    const bool marked = tree_.Kind(base) == PythonKind::kKeyword;
    const PythonValue of = Evaluate(marked ? tree_.Child(base, 0) : base);
    if (!marked && of.kind == Kind::kClass) bases_[value.scope].push_back(of.scope);
    if (!marked && of.IsUnknown() && !of.text.empty()) foreign_bases_[value.scope] = of.text;
    ExposeArgument(id, of, false);
  }
  PythonScope* const outer = std::exchange(scope_, value.scope);
  ExecuteBlock(tree_.Child(id, 3));
  scope_ = outer;
  for (const PythonId decorator : tree_.Children(tree_.Child(id, 0))) {
    if (hooks_ != nullptr) Decorate(id, decorator, value);
  }
  BindName(*scope_, tree_[id].text, id, value);
}

PythonValue PythonEvaluator::Lambda(PythonId id) {
  if (hooks_ == nullptr) return Unknown(id, "an expression");
  PythonValue function;
  function.kind = Kind::kFunction;
  function.place = id;
  function.text = kLambda;
  function.home = this;
  function.scope = scope_;
  function.defaults = ReadDefaults(id);
  functions_.push_back(function);
  return function;
}

std::shared_ptr<const std::map<PythonId, PythonValue>> PythonEvaluator::ReadDefaults(
    PythonId function) {
  std::map<PythonId, PythonValue> defaults;
  for (const PythonId parameter : tree_.Children(ParametersOf(function))) {
    const PythonId fallback = tree_.Child(parameter, 1);
    if (fallback != 0) defaults[parameter] = Evaluate(fallback);
  }
  if (defaults.empty()) return nullptr;
  return std::make_shared<const std::map<PythonId, PythonValue>>(std::move(defaults));
}

PythonId PythonEvaluator::ParametersOf(PythonId function) const {
  return tree_.Child(function, tree_.Kind(function) == PythonKind::kLambda ? 0 : 2);
}

PythonId PythonEvaluator::BodyOf(PythonId function) const {
  return tree_.Child(function, tree_.Kind(function) == PythonKind::kLambda ? 1 : 4);
}

PythonScope& PythonEvaluator::NewScope(PythonScope* parent) {
  PythonScope& scope = scopes_.emplace_back();
  scope.parent = parent;
  scope.base = when_;
  return scope;
}

// Decorated functions and coroutines do not return the value of their return statements.
bool PythonEvaluator::IsPlain(PythonId function) const {
  if (tree_.Kind(function) == PythonKind::kLambda) return true;
  for (const PythonId decorator : tree_.Children(tree_.Child(function, 0))) {
    const PythonId called =
        tree_.Kind(decorator) == PythonKind::kCall ? tree_.Child(decorator, 0) : decorator;
    const std::string_view name = tree_[called].text;
    const bool cached = name == "lru_cache" || name == "cache";
    if (tree_.DottedName(decorator) != "staticmethod" && (hooks_ == nullptr || !cached)) {
      return false;
    }
  }
  return !tree_[function].async;
}

PythonValue PythonEvaluator::CallFunction(const PythonValue& function, const Arguments& arguments,
                                          PythonId call) {
  if (IsElsewhere(function)) return CallElsewhere(function, arguments, call);
  if (hooks_ != nullptr) {
    if (auto value = hooks_->own(*this, function, call, arguments)) return *value;
  }
  const Nesting nesting(*this);
  const bool plain = (hooks_ != nullptr || IsPlain(function.place)) && arguments.known;
  PythonValue unknown = Unknown(call, "a call or attribute");
  if (!plain || nesting.too_deep() || calls_ >= kMaxPythonCalls || !Spend(10)) {
    if (hooks_ != nullptr) visits_.calls.erase(call);
    if (hooks_ != nullptr && !uncalled_ && plain) cut_.insert(call);
    Escape(function, call);
    for (const PythonValue& each : arguments.positional) ExposeArgument(call, each, false);
    for (const auto& [name, each] : arguments.keywords) ExposeArgument(call, each, false);
    Disturb(BodyOf(function.place), unknown.problem);
    return unknown;
  }
  ++calls_;
  called_.insert(function.place);
  frames_.emplace_back(call, arguments);
  PythonScope& scope = NewScope(function.scope);
  PythonValue value = RunFunction(function.place, scope,
                                  [&] { return BindParameters(function, arguments, scope); });
  --calls_;
  frames_.pop_back();
  NoteMaker(function.place, value);
  if (!IsPlain(function.place)) return unknown;
  if (!value.IsUnknown() || (hooks_ != nullptr && !value.text.empty())) return value;
  return unknown;
}

// Runs the body after binding the parameters. Returns an unknown value if the arguments do not
// match.
PythonValue PythonEvaluator::RunFunction(PythonId function, PythonScope& scope,
                                         const std::function<bool()>& bind) {
  PythonScope* const caller = std::exchange(scope_, &scope);
  const Condition continued = std::exchange(continued_, Condition::Never());
  const Condition broken = std::exchange(broken_, Condition::Never());
  const Condition left = std::exchange(left_, Condition::Never());
  const Condition returned_when = std::exchange(returned_when_, Condition::Never());
  const PythonValue returned = std::exchange(returned_, {});
  const bool yielded = std::exchange(yielded_, false);
  PythonValue value = Unknown(function, "the return value of this function");
  const PythonId block = BodyOf(function);
  const bool bound = bind();
  if (bound && tree_.Kind(function) == PythonKind::kLambda) {
    value = Evaluate(block);
  } else if (bound) {
    const bool falls = ExecuteBlock(block) == Jump::kNone && IsPossible(Rest(when_));
    if (!yielded_) value = Returned(function, falls);
  } else {
    Disturb(block, value.problem);
  }
  scope_ = caller;
  continued_ = continued;
  broken_ = broken;
  left_ = left;
  returned_when_ = returned_when;
  returned_ = returned;
  yielded_ = yielded;
  return value;
}

// Returns the return value. `falls`: the body may end without a return statement.
PythonValue PythonEvaluator::Returned(PythonId function, bool falls) {
  if (returned_when_.IsNever()) return NoneAt(function);
  if (!falls) return returned_;
  if (!returned_.IsContainer()) return Unknown(function, "the return value of this function");
  PythonContainer& nothing = NewContainer(returned_.container->kind, function);
  return Merge(returned_, returned_when_, Of(nothing), returned_.place);
}

bool PythonEvaluator::BindParameters(const PythonValue& function, const Arguments& arguments,
                                     PythonScope& scope) {
  static const std::map<PythonId, PythonValue> kNone;
  const auto& defaults = function.defaults == nullptr ? kNone : *function.defaults;
  std::size_t next = 0;
  std::size_t used = 0;
  std::set<std::string> taken;
  for (const PythonId id : tree_.Children(ParametersOf(function.place))) {
    const PythonNode& parameter = tree_[id];
    const std::string name(parameter.text);
    const PythonValue* const named = arguments.Keyword(name);
    const bool by_place = parameter.kind == PythonKind::kParameter ||
                          parameter.kind == PythonKind::kPositionalParameter;
    PythonValue value;
    if (parameter.kind == PythonKind::kStarParameter) {
      if (name.empty()) continue;  // a bare *
      PythonContainer& rest = NewContainer(ContainerKind::kTuple, id);
      for (; next < arguments.positional.size(); ++next) {
        Append(rest, arguments.positional[next], {});
      }
      value = Of(rest);
    } else if (parameter.kind == PythonKind::kDoubleStarParameter) {
      if (hooks_ == nullptr) return false;
      PythonContainer& rest = NewContainer(ContainerKind::kDict, id);
      for (const auto& [key, each] : arguments.keywords) {
        if (taken.contains(key)) continue;
        SetItem(rest, Text(key, id), each, {});
        ++used;
      }
      value = Of(rest);
    } else if (by_place && next < arguments.positional.size()) {
      value = arguments.positional[next++];
    } else if (named != nullptr) {
      value = *named;
      taken.insert(name);
      ++used;
    } else if (const auto found = defaults.find(id); found != defaults.end()) {
      value = found->second;
    } else {
      return false;
    }
    BindName(scope, name, id, value);
  }
  return next == arguments.positional.size() && used == arguments.keywords.size();
}

}  // namespace opledger

// Preprocessor conditions as values; see condition.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/condition.h"

#include <utility>

#include "registry/condition/answer.h"
#include "registry/condition/evaluate.h"
#include "registry/condition/parser.h"
#include "registry/condition/satisfy.h"
#include "registry/condition/tree.h"

namespace opledger {

struct Condition::Content {
  std::string text;
  ConditionTree tree;
};

namespace {

ConditionTree TruthTree(bool value) { return Integer({value ? 1u : 0u, false}); }

}  // namespace

Condition Condition::FromTree(ConditionTree tree) {
  tree = AsCondition(tree);
  Condition condition;
  const bool constant = tree->kind == ConditionNode::Kind::kInteger;
  if (constant && tree->value.bits != 0) return condition;
  std::string text = ConditionText(*tree);
  if (tree->depth > kMaxConditionDepth) {
    tree = UnparsableAtom(text);
    text = tree->name;
  }
  condition.content_ = std::make_shared<const Content>(Content{std::move(text), std::move(tree)});
  return condition;
}

Condition Condition::FromExpression(std::string_view expression) {
  if (expression.empty()) return Condition();
  const ConditionTree tree = ParseConditionTree(expression);
  return FromTree(tree ? tree : UnparsableAtom(expression));
}

Condition Condition::Defined(std::string_view macro) {
  return FromTree(DefinedMacro(std::string(macro)));
}

Condition Condition::Never() { return FromTree(TruthTree(false)); }

Condition Condition::Unknown(std::string_view text) { return FromTree(UnparsableAtom(text)); }

const std::string& Condition::text() const {
  static const std::string kAlways;
  return content_ ? content_->text : kAlways;
}

Condition Condition::And(const Condition& other) const {
  if (IsAlways()) return other;
  if (other.IsAlways() || content_ == other.content_) return *this;
  return FromTree(Conjunction({content_->tree, other.content_->tree}));
}

Condition Condition::Or(const Condition& other) const {
  if (IsAlways() || other.IsAlways()) return Condition();
  return FromTree(Disjunction({content_->tree, other.content_->tree}));
}

Condition Condition::Not() const {
  return FromTree(IsAlways() ? TruthTree(false) : Negation(content_->tree));
}

bool Condition::Evaluate(const Defines& defines) const {
  return IsAlways() || EvaluateTree(*content_->tree, defines).bits != 0;
}

ConditionAnswer Condition::AnswerIn(const Configuration& configuration,
                                    std::string_view path) const {
  if (IsAlways()) return ConditionAnswer::kTrue;
  return AnswerOfTree(KnownPutIn(content_->tree, configuration, path));
}

std::set<std::string> Condition::OpenIn(const Configuration& configuration,
                                        std::string_view path) const {
  std::set<std::string> names;
  if (IsAlways()) return names;
  const ConditionTree tree = KnownPutIn(content_->tree, configuration, path);
  if (AnswerOfTree(tree) == ConditionAnswer::kOpen) CollectMacros(*tree, true, names);
  return names;
}

bool Condition::CanBeTrue() const { return IsAlways() || TreeCanBeTrue(content_->tree); }

std::optional<Defines> Condition::Satisfy(const Defines& base) const {
  return IsAlways() ? base : SatisfyTree(content_->tree, base);
}

std::set<std::string> Condition::Macros() const {
  std::set<std::string> macros;
  if (!IsAlways()) CollectMacros(*content_->tree, false, macros);
  return macros;
}

}  // namespace opledger

// Preprocessor conditions as values; see condition.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/condition.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "registry/condition/answer.h"
#include "registry/condition/diagram.h"
#include "registry/condition/evaluate.h"
#include "registry/condition/function.h"
#include "registry/condition/parser.h"
#include "registry/condition/satisfy.h"
#include "registry/condition/spelling.h"

namespace opledger {

namespace {

ConditionDiagram& Diagram() { return ConditionDiagram::Shared(); }

// Returns whether the function tests a name of this kind.
bool AsksFor(ConditionFunction f, bool (*is_kind)(std::string_view)) {
  std::set<std::string> names;
  CollectNames(f, true, names);
  return std::any_of(names.begin(), names.end(), is_kind);
}

}  // namespace

Condition Condition::FromTree(const std::shared_ptr<const ConditionNode>& tree) {
  Diagram().CollectIfMany();
  return Condition(Spelled(tree));
}

Condition Condition::FromExpression(std::string_view expression) {
  if (expression.empty()) return Condition();
  bool too_deep = false;
  const ConditionTree tree = ParseConditionTree(expression, &too_deep);
  if (too_deep) return TooComplex(expression);
  return FromTree(tree ? tree : UnparsableAtom(expression));
}

Condition Condition::Defined(std::string_view macro) {
  return FromTree(DefinedMacro(std::string(macro)));
}

Condition Condition::HasValue(std::string_view macro, std::string_view text) {
  const ConditionTree tree = ValueTree(macro, text);
  if (tree->kind == ConditionNode::Kind::kOpaque) return FromTree(tree);
  return FromTree(Conjunction({DefinedMacro(std::string(macro)), tree}));
}

Condition Condition::Never() { return FromTree(Integer({0, false})); }

Condition Condition::Unknown(std::string_view text) { return FromTree(UnparsableAtom(text)); }

Condition Condition::TooComplex(std::string_view text) { return FromTree(TooComplexAtom(text)); }

const std::string& Condition::text() const {
  static const std::string kAlways;
  if (!content_) return kAlways;
  if (!content_->text) {
    Diagram().CollectIfMany();
    content_->text = ConditionText(*ShortestTree(*content_));
  }
  return *content_->text;
}

std::uint32_t Condition::function() const {
  return content_ ? content_->function : kAlwaysFunction;
}

std::uint64_t Condition::hash() const { return Diagram().HashOf(function()); }

std::size_t Condition::TestCount(std::size_t most) const {
  return Diagram().SizeOf(function(), most);
}

bool Condition::IsNever() const { return function() == kNeverFunction; }

Condition Condition::And(const Condition& other) const {
  if (IsAlways() || other.IsNever()) return other;
  if (other.IsAlways() || IsNever() || *this == other) return *this;
  Diagram().CollectIfMany();
  return Condition(Joined(true, content_, other.content_));
}

Condition Condition::Or(const Condition& other) const {
  if (IsAlways() || other.IsNever()) return *this;
  if (other.IsAlways() || IsNever() || *this == other) return other;
  Diagram().CollectIfMany();
  return Condition(Joined(false, content_, other.content_));
}

Condition Condition::Not() const {
  if (IsAlways()) return Never();
  Diagram().CollectIfMany();
  return Condition(Negated(content_));
}

bool Condition::Implies(const Condition& other) const {
  if (other.IsAlways() || IsNever() || *this == other) return true;
  Diagram().CollectIfMany();
  return Diagram().Implies(function(), other.function());
}

bool Condition::Evaluate(const Defines& defines) const {
  return EvaluateFunction(function(), defines);
}

ConditionAnswer Condition::AnswerIn(const Configuration& configuration,
                                    std::string_view path) const {
  if (IsAlways()) return ConditionAnswer::kTrue;
  Diagram().CollectIfMany();
  const ConditionFunction rest = KnownPutIn(function(), configuration, path);
  if (rest == kAlwaysFunction) return ConditionAnswer::kTrue;
  return rest == kNeverFunction ? ConditionAnswer::kFalse : ConditionAnswer::kOpen;
}

std::set<std::string> Condition::OpenIn(const Configuration& configuration,
                                        std::string_view path) const {
  std::set<std::string> names;
  if (IsAlways()) return names;
  Diagram().CollectIfMany();
  const ConditionFunction rest = KnownPutIn(function(), configuration, path);
  if (rest == kTooLargeFunction) return Macros();
  CollectNames(rest, true, names);
  return names;
}

std::optional<Defines> Condition::Satisfy(const Defines& base) const {
  return SatisfyFunction(function(), base);
}

// Follows the structure in which the condition was built, so that the result is written the same
// way.
class Condition::AtomMapper {
 public:
  explicit AtomMapper(const AtomReplacement& replace) : replace_(replace) {}

  Condition Of(const SharedSpelling& spelling) {
    if (!spelling) return Condition();
    if (const auto known = done_.find(spelling.get()); known != done_.end()) return known->second;
    Condition result = Mapped(*spelling);
    done_.emplace(spelling.get(), result);
    return result;
  }

 private:
  using Kind = ConditionSpelling::Kind;
  using NodeKind = ConditionNode::Kind;

  Condition Mapped(const ConditionSpelling& spelling) {
    switch (spelling.kind) {
      case Kind::kTree:
        return Of(spelling.tree);
      case Kind::kAnd:
        return Of(spelling.first).And(Of(spelling.second));
      case Kind::kOr:
        return Of(spelling.first).Or(Of(spelling.second));
      case Kind::kNot:
        return Of(spelling.first).Not();
      case Kind::kForgotten:
        break;
    }
    return OfFunction(spelling.function);
  }

  Condition Of(const ConditionTree& tree) {
    switch (tree->kind) {
      case NodeKind::kNot:
        return Of(tree->operands[0]).Not();
      case NodeKind::kAnd:
      case NodeKind::kOr: {
        const bool all = tree->kind == NodeKind::kAnd;
        Condition result = all ? Condition() : Never();
        for (auto operand = tree->operands.rbegin(); operand != tree->operands.rend(); ++operand) {
          result = all ? Of(*operand).And(result) : Of(*operand).Or(result);
        }
        return result;
      }
      default:
        return OfAtom(tree);
    }
  }

  Condition OfAtom(const ConditionTree& atom) { return replace_(atom).value_or(FromTree(atom)); }

  // Rebuilds the condition test by test.
  Condition OfFunction(ConditionFunction f) {
    if (Diagram().IsConstant(f)) return f == kAlwaysFunction ? Condition() : Never();
    if (const auto known = by_function_.find(f); known != by_function_.end()) return known->second;
    const Condition test = OfAtom(TreeOfTest(Diagram().TestOf(f)));
    Condition result = test.And(OfFunction(Diagram().High(f)));
    result = result.Or(test.Not().And(OfFunction(Diagram().Low(f))));
    by_function_.emplace(f, result);
    return result;
  }

  const AtomReplacement& replace_;
  std::map<const ConditionSpelling*, Condition> done_;
  std::map<ConditionFunction, Condition> by_function_;
};

Condition Condition::WithAtoms(const AtomReplacement& replace) const {
  return AtomMapper(replace).Of(content_);
}

std::set<std::string> Condition::Macros() const {
  std::set<std::string> macros;
  CollectNames(function(), false, macros);
  return macros;
}

bool Condition::HasUnparsable() const { return AsksFor(function(), IsUnparsableAtom); }

bool Condition::IsTooComplex() const {
  return !IsAlways() && (AsksFor(function(), IsTooComplexAtom) || IsTooComplexAtom(text()));
}

}  // namespace opledger

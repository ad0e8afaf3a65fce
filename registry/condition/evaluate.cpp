// Evaluates condition trees and functions; see evaluate.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/evaluate.h"

#include <algorithm>
#include <map>

#include "registry/condition/arithmetic.h"
#include "registry/condition/parser.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;

class Evaluator {
 public:
  explicit Evaluator(const Defines& defines) : defines_(defines) {}

  ConditionInteger Value(const ConditionNode& node) {
    switch (node.kind) {
      case NodeKind::kInteger:
        return node.value;
      case NodeKind::kMacro:
        return Resolve(node.name);
      case NodeKind::kOpaque:
        return OpaqueValue(node.name);
      case NodeKind::kDefined:
        return Truth(defines_.find(node.name) != defines_.end());
      case NodeKind::kNot:
        return Truth(!Holds(node.operands[0]));
      case NodeKind::kAnd: {
        const auto holds = [this](const ConditionTree& tree) { return Holds(tree); };
        return Truth(std::all_of(node.operands.begin(), node.operands.end(), holds));
      }
      case NodeKind::kOr: {
        const auto holds = [this](const ConditionTree& tree) { return Holds(tree); };
        return Truth(std::any_of(node.operands.begin(), node.operands.end(), holds));
      }
      case NodeKind::kUnary:
        return ApplyUnary(node.op, Value(*node.operands[0]));
      case NodeKind::kBinary: {
        const ConditionInteger left = Value(*node.operands[0]);
        // Compilers reject a division by zero, so any value is fine.
        return ApplyBinary(node.op, left, Value(*node.operands[1])).value_or(ConditionInteger{});
      }
      case NodeKind::kChoice:
        return Chosen(node);
    }
    return {};
  }

 private:
  static constexpr int kMaxChain = 16;
  static ConditionInteger Truth(bool value) { return {value ? 1u : 0u, false}; }
  bool Holds(const ConditionTree& tree) { return Value(*tree).bits != 0; }

  ConditionInteger Chosen(const ConditionNode& node) {
    const ConditionInteger first = Value(*node.operands[1]);
    const ConditionInteger second = Value(*node.operands[2]);
    const bool is_unsigned = first.is_unsigned || second.is_unsigned;
    return {Holds(node.operands[0]) ? first.bits : second.bits, is_unsigned};
  }

  ConditionInteger OpaqueValue(const std::string& name) {
    const auto value = PartsOfValueAtom(name);
    if (!value) return Resolve(name);
    const auto define = defines_.find(value->first);
    return Truth(define != defines_.end() && CanonicalTokens(define->second) == value->second);
  }

  ConditionInteger Resolve(const std::string& name) {
    const auto define = defines_.find(name);
    if (define == defines_.end() || define->second.empty()) return {};
    const std::string& text = define->second;
    if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') {
      return {static_cast<std::uint64_t>(text[0] - '0'), false};
    }
    if (chain_ == kMaxChain || --resolutions_left_ < 0) return {};
    const auto [known, is_new] = parsed_.try_emplace(text);
    if (is_new) known->second = ParseConditionTree(text);
    const ConditionTree tree = known->second;
    if (!tree) return {};
    ++chain_;
    const ConditionInteger value = Value(*tree);
    --chain_;
    return value;
  }

  const Defines& defines_;
  // Parsed texts of defines; null for those that cannot be parsed.
  std::map<std::string, ConditionTree> parsed_;
  int chain_ = 0;
  int resolutions_left_ = 1000;
};

}  // namespace

ConditionInteger EvaluateTree(const ConditionNode& node, const Defines& defines) {
  return Evaluator(defines).Value(node);
}

bool EvaluateFunction(ConditionFunction f, const Defines& defines) {
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  while (!diagram.IsConstant(f)) {
    const ConditionTest& test = diagram.TestOf(f);
    const ConditionTree& term = diagram.TermOf(test.variable);
    const bool yes = test.defined ? defines.contains(term->name)
                                  : SignedValue(Evaluator(defines).Value(*term)) <= test.at_most;
    f = yes ? diagram.High(f) : diagram.Low(f);
  }
  return f == kAlwaysFunction;
}

void CollectMacros(const ConditionNode& node, bool atoms, std::set<std::string>& names) {
  const bool macro = node.kind == NodeKind::kMacro || node.kind == NodeKind::kDefined;
  const bool opaque = node.kind == NodeKind::kOpaque;
  if (const auto value = opaque ? PartsOfValueAtom(node.name) : std::nullopt) {
    names.insert(value->first);
  } else if (macro || (atoms && opaque)) {
    names.insert(node.name);
  }
  for (const ConditionTree& operand : node.operands) CollectMacros(*operand, atoms, names);
}

void CollectNames(ConditionFunction f, bool atoms, std::set<std::string>& names) {
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  for (const std::uint32_t variable : diagram.SupportOf(f)) {
    CollectMacros(*diagram.TermOf(variable), atoms, names);
  }
}

}  // namespace opledger

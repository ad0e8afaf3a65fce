// The parts of a condition that can be solved apart; see condition_parts.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/parts.h"

#include <limits>
#include <numeric>

#include "registry/condition/evaluate.h"
#include "registry/condition/parser.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;
using Literals = std::set<ConditionInteger, LessInteger>;

bool IsVariable(const ConditionNode& node) {
  return node.kind == NodeKind::kMacro || node.kind == NodeKind::kOpaque;
}

// A define's text is signed wherever it can be.
ConditionInteger Candidate(ConditionInteger value) {
  const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return {value.bits, value.is_unsigned && value.bits > largest};
}

void AddAround(ConditionInteger literal, Literals& literals) {
  for (const std::uint64_t offset : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) {
    literals.insert(Candidate({literal.bits + offset, literal.is_unsigned}));
  }
}

void CollectLiterals(const ConditionNode& node, Literals& literals) {
  if (node.kind == NodeKind::kInteger) AddAround(node.value, literals);
  for (const ConditionTree& operand : node.operands) CollectLiterals(*operand, literals);
}

// Reads one term.
class UseCollector {
 public:
  UseCollector(const ConditionNode& term, ConditionPart& part) : part_(part) {
    CollectLiterals(term, all_literals_);
    Visit(term, true);
  }

 private:
  // `as_condition`: only zero or not zero counts.
  void Visit(const ConditionNode& node, bool as_condition) {
    if (node.kind == NodeKind::kDefined) {
      part_.uses[node.name].defined = true;
    } else if (IsVariable(node)) {
      Use(node).merge(as_condition ? Literals() : Literals(all_literals_));
    } else if (IsComparison(node) && IsVariable(*node.operands[0]) &&
               node.operands[1]->kind == NodeKind::kInteger) {
      AddAround(node.operands[1]->value, Use(*node.operands[0]));
    } else {
      const bool choice = node.kind == NodeKind::kChoice;
      const bool logical =
          node.kind == NodeKind::kNot || node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr;
      for (const ConditionTree& operand : node.operands) {
        const bool test = choice && operand == node.operands[0];
        Visit(*operand, logical || test || (choice && as_condition));
      }
    }
  }

  Literals& Use(const ConditionNode& variable) {
    ConditionUse& use = part_.uses[variable.name];
    use.is_opaque = variable.kind == NodeKind::kOpaque;
    use.value = true;
    return use.literals;
  }

  ConditionPart& part_;
  Literals all_literals_;
};

// Adds the macros that `names` lead to through the texts of `defines`.
void FollowDefines(const Defines& defines, std::set<std::string>& names) {
  std::vector<std::string> pending(names.begin(), names.end());
  while (!pending.empty()) {
    const auto define = defines.find(pending.back());
    pending.pop_back();
    if (define == defines.end()) continue;
    const ConditionTree tree = ParseConditionTree(define->second);
    if (!tree) continue;
    std::set<std::string> macros;
    CollectMacros(*tree, false, macros);
    for (const std::string& macro : macros) {
      if (names.insert(macro).second) pending.push_back(macro);
    }
  }
}

// Union-find over parts.
class PartSet {
 public:
  explicit PartSet(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t Find(std::size_t part) {
    while (parents_[part] != part) part = parents_[part] = parents_[parents_[part]];
    return part;
  }
  // The earlier part stands for both.
  void Join(std::size_t a, std::size_t b) {
    a = Find(a);
    b = Find(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parents_;
};

}  // namespace

std::vector<ConditionPart> SplitCondition(const ConditionTree& tree, const Defines& base) {
  const bool conjunction = tree->kind == NodeKind::kAnd;
  const std::vector<ConditionTree> terms =
      conjunction ? tree->operands : std::vector<ConditionTree>{tree};
  PartSet sets(terms.size());
  std::map<std::string, std::size_t> first_term;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    ConditionPart alone;
    UseCollector(*terms[i], alone);
    std::set<std::string> names;
    for (const auto& [name, use] : alone.uses) names.insert(name);
    FollowDefines(base, names);
    for (const std::string& name : names) sets.Join(i, first_term.emplace(name, i).first->second);
  }
  std::map<std::size_t, ConditionPart> parts;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    ConditionPart& part = parts[sets.Find(i)];
    part.terms.push_back(terms[i]);
    UseCollector(*terms[i], part);
  }
  std::vector<ConditionPart> result;
  for (auto& [index, part] : parts) result.push_back(std::move(part));
  return result;
}

}  // namespace opledger

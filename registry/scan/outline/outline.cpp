// Queries on an outline, and its serialization.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/outline.h"

#include <algorithm>

#include "registry/scan/lex/hash_set.h"
#include "registry/scan/outline/outline_records.h"

namespace opledger::scan {

bool Outline::Mentions(std::string_view identifier) const {
  return std::binary_search(identifiers.begin(), identifiers.end(), HashIdentifier(identifier));
}

int Outline::BranchAt(Offset offset) const {
  auto after =
      std::upper_bound(branches.begin(), branches.end(), offset,
                       [](Offset value, const Branch& branch) { return value < branch.directive; });
  int index = static_cast<int>(after - branches.begin()) - 1;
  while (index >= 0 && branches[index].end <= offset) {
    // The branch has ended: continue with the branch around it.
    index = branches[index].parent;
  }
  return index;
}

namespace {

Condition DirectiveCondition(const Branch& branch) {
  if (branch.resolved) return Condition::FromExpression(branch.text);
  switch (branch.kind) {
    case Branch::Kind::kIfdef:
    case Branch::Kind::kElifdef:
      return Condition::Defined(branch.text);
    case Branch::Kind::kIfndef:
    case Branch::Kind::kElifndef:
      return Condition::Defined(branch.text).Not();
    case Branch::Kind::kElse:
      return {};
    case Branch::Kind::kIf:
    case Branch::Kind::kElif:
      break;
  }
  return Condition::FromExpression(branch.text);
}

}  // namespace

std::string Branch::Expression() const {
  if (resolved) return written.empty() ? text : written;
  switch (kind) {
    case Kind::kIfdef:
    case Kind::kElifdef:
      return "defined(" + text + ")";
    case Kind::kIfndef:
    case Kind::kElifndef:
      return "!defined(" + text + ")";
    case Kind::kElse:
      return {};
    case Kind::kIf:
    case Kind::kElif:
      break;
  }
  return text;
}

int Outline::FirstOf(int branch) const {
  while (branches[branch].previous != kNoBranch) branch = branches[branch].previous;
  return branch;
}

std::vector<int> Outline::GroupOf(int first) const {
  std::vector<int> group = {first};
  for (int i = first + 1; i < static_cast<int>(branches.size()); ++i) {
    if (branches[i].directive > branches[group.back()].end) break;
    if (branches[i].previous == group.back()) group.push_back(i);
  }
  return group;
}

Condition Outline::OwnCondition(int index) const {
  return DirectiveCondition(branches[index]).And(PassedBy(branches[index].previous));
}

Condition Outline::PassedBy(int index) const {
  Condition passed;
  for (int i = index; i != kNoBranch; i = branches[i].previous) {
    passed = passed.And(DirectiveCondition(branches[i]).Not());
  }
  return passed;
}

Condition Outline::StackCondition(int branch) const {
  Condition condition;
  for (int index = branch; index != kNoBranch; index = branches[index].parent) {
    if (!branches[index].guard) condition = condition.And(OwnCondition(index));
  }
  return condition;
}

void Outline::AssumeUndefined(const std::vector<std::string>& macros) {
  for (Branch& branch : branches) {
    Condition given;
    for (const std::string& macro : macros) {
      if (branch.text.find(macro) == std::string::npos) continue;
      given = given.And(Condition::Defined(macro).Not());
    }
    if (given.IsAlways() || branch.kind == Branch::Kind::kElse) continue;
    const Condition own = DirectiveCondition(branch);
    const bool holds = !own.Not().And(given).CanBeTrue();
    if (!holds && own.And(given).CanBeTrue()) continue;
    branch.resolved = true;
    branch.text = holds ? "1" : "0";
    branch.written.clear();
  }
}

namespace {

bool IsSound(const Outline& outline) {
  if (std::any_of(outline.branches.begin(), outline.branches.end(), [](const Branch& branch) {
        return branch.kind < Branch::Kind::kIf || branch.kind > Branch::Kind::kElse;
      })) {
    return false;
  }
  if (std::any_of(outline.named_uses.begin(), outline.named_uses.end(), [](const NamedUse& use) {
        return use.form < NamedForm::kMacro || use.form > NamedForm::kTableGen;
      })) {
    return false;
  }
  int count = static_cast<int>(outline.branches.size());
  auto fits = [count](int branch) { return branch >= kNoBranch && branch < count; };
  for (int i = 0; i < count; ++i) {
    if (outline.branches[i].parent >= i || outline.branches[i].previous >= i) return false;
    if (!fits(outline.branches[i].parent) || !fits(outline.branches[i].previous)) return false;
  }
  return std::all_of(outline.macros.begin(), outline.macros.end(),
                     [&](const auto& macro) { return fits(macro.branch); }) &&
         std::all_of(outline.includes.begin(), outline.includes.end(),
                     [&](const auto& include) { return fits(include.branch); }) &&
         std::all_of(outline.error_branches.begin(), outline.error_branches.end(), fits) &&
         std::all_of(outline.suspicious_names.begin(), outline.suspicious_names.end(),
                     [&](const auto& suspicious) { return fits(suspicious.branch); });
}

}  // namespace

std::string SerializeOutline(const Outline& outline) {
  ByteWriter out;
  Packer pack(out);
  pack(outline);
  return out.Take();
}

std::optional<Outline> ParseOutline(std::string_view bytes) {
  ByteReader in(bytes);
  Unpacker unpack(in);
  Outline outline;
  unpack(outline);
  if (!in.AtEnd() || !IsSound(outline)) return std::nullopt;
  return outline;
}

}  // namespace opledger::scan

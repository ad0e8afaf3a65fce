// Questions to an outline, and its form in the cache.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/outline.h"

#include <algorithm>

#include "registry/scan/lex/hash_set.h"
#include "registry/text/bytes.h"

namespace opledger::scan {

bool IsDefinedAsNothing(const MacroDefinition& macro) {
  if (macro.undefines) return false;
  std::size_t body = std::min(macro.name.size(), macro.text.size());
  if (body < macro.text.size() && macro.text[body] == '(') {
    body = std::min(macro.text.find(')', body), macro.text.size() - 1) + 1;
  }
  return Trimmed(std::string_view(macro.text).substr(body)).empty();
}

bool Outline::Mentions(std::string_view identifier) const {
  return std::binary_search(identifiers.begin(), identifiers.end(), HashIdentifier(identifier));
}

int Outline::BranchAt(Offset offset) const {
  auto after =
      std::upper_bound(branches.begin(), branches.end(), offset,
                       [](Offset value, const Branch& branch) { return value < branch.directive; });
  int index = static_cast<int>(after - branches.begin()) - 1;
  while (index >= 0 && branches[index].end <= offset) {
    // A branch that ended before: what encloses it, or the branch after which its group ended.
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

void WriteRange(ByteWriter& out, Range range) {
  out.Number(range.begin);
  out.Number(range.end);
}

Range ReadRange(ByteReader& in) {
  Range range;
  range.begin = static_cast<Offset>(in.Number());
  range.end = static_cast<Offset>(in.Number());
  return range;
}

void WriteBranch(ByteWriter& out, const Branch& branch) {
  out.Number(static_cast<std::uint64_t>(branch.kind));
  out.Number(branch.parent + 1);
  out.Number(branch.previous + 1);
  WriteRange(out, branch.keyword);
  WriteRange(out, branch.expression);
  out.Number(branch.directive);
  out.Number(branch.end);
  out.Number(branch.guard);
  out.Number(branch.resolved);
  out.Text(branch.text);
  out.Text(branch.written);
  out.Number(branch.line);
}

Branch ReadBranch(ByteReader& in) {
  Branch branch;
  branch.kind = static_cast<Branch::Kind>(std::min<std::uint64_t>(in.Number(), 6));
  branch.parent = in.Signed();
  branch.previous = in.Signed();
  branch.keyword = ReadRange(in);
  branch.expression = ReadRange(in);
  branch.directive = static_cast<Offset>(in.Number());
  branch.end = static_cast<Offset>(in.Number());
  branch.guard = in.Number() != 0;
  branch.resolved = in.Number() != 0;
  branch.text = in.Text();
  branch.written = in.Text();
  branch.line = static_cast<int>(in.Number());
  return branch;
}

void WriteMacro(ByteWriter& out, const MacroDefinition& macro) {
  out.Text(macro.name);
  out.Number(macro.undefines);
  out.Number(macro.pops);
  out.Number(macro.pushed);
  out.Text(macro.text);
  out.Number(macro.identifiers.size());
  for (const std::string& identifier : macro.identifiers) out.Text(identifier);
  out.Number(macro.pastes.size());
  for (const auto& [prefix, suffix] : macro.pastes) {
    out.Text(prefix);
    out.Text(suffix);
  }
  out.Number(macro.glues);
  out.Number(macro.offset);
  out.Number(macro.branch + 1);
}

MacroDefinition ReadMacro(ByteReader& in) {
  MacroDefinition macro;
  macro.name = in.Text();
  macro.undefines = in.Number() != 0;
  macro.pops = in.Number() != 0;
  macro.pushed = static_cast<Offset>(in.Number());
  macro.text = in.Text();
  macro.identifiers.resize(in.Count());
  for (std::string& identifier : macro.identifiers) identifier = in.Text();
  macro.pastes.resize(in.Count());
  for (auto& [prefix, suffix] : macro.pastes) {
    prefix = in.Text();
    suffix = in.Text();
  }
  macro.glues = in.Number() != 0;
  macro.offset = static_cast<Offset>(in.Number());
  macro.branch = in.Signed();
  return macro;
}

bool IndicesFit(const Outline& outline) {
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

void WriteAttributeSets(ByteWriter& out, const std::vector<AttributeSet>& sets) {
  out.Number(sets.size());
  for (const AttributeSet& set : sets) {
    out.Text(set.name);
    out.Number(set.attributes.size());
    for (const AttributeSet::Attribute& attribute : set.attributes) {
      out.Text(attribute.name);
      out.Text(attribute.type);
      out.Text(attribute.initial);
      out.Number(attribute.values.size());
      for (const auto& [value, constant] : attribute.values) {
        out.Text(value);
        out.Text(constant);
      }
      out.Number(attribute.macros.size());
      for (const std::string& macro : attribute.macros) out.Text(macro);
    }
  }
}

std::vector<AttributeSet> ReadAttributeSets(ByteReader& in) {
  std::vector<AttributeSet> sets(in.Count());
  for (AttributeSet& set : sets) {
    set.name = in.Text();
    set.attributes.resize(in.Count());
    for (AttributeSet::Attribute& attribute : set.attributes) {
      attribute.name = in.Text();
      attribute.type = in.Text();
      attribute.initial = in.Text();
      attribute.values.resize(in.Count());
      for (auto& [value, constant] : attribute.values) {
        value = in.Text();
        constant = in.Text();
      }
      attribute.macros.resize(in.Count());
      for (std::string& macro : attribute.macros) macro = in.Text();
    }
  }
  return sets;
}

void WriteDefinitions(ByteWriter& out, const std::vector<Definition>& definitions) {
  out.Number(definitions.size());
  for (const Definition& definition : definitions) {
    out.Text(definition.name);
    out.Number(definition.is_function);
    out.Number(definition.has_body);
    out.Number(definition.parameters.size());
    for (const Definition::Parameter& parameter : definition.parameters) {
      out.Text(parameter.name);
      out.Text(parameter.value);
    }
    out.Text(definition.text);
  }
}

std::vector<Definition> ReadDefinitions(ByteReader& in) {
  std::vector<Definition> definitions(in.Count());
  for (Definition& definition : definitions) {
    definition.name = in.Text();
    definition.is_function = in.Number() != 0;
    definition.has_body = in.Number() != 0;
    definition.parameters.resize(in.Count());
    for (Definition::Parameter& parameter : definition.parameters) {
      parameter.name = in.Text();
      parameter.value = in.Text();
    }
    definition.text = in.Text();
  }
  return definitions;
}

void WriteKernelFunctions(ByteWriter& out, const std::vector<KernelFunction>& functions) {
  out.Number(functions.size());
  for (const KernelFunction& function : functions) {
    out.Text(function.name);
    out.Text(function.device);
    out.Text(function.bound);
  }
}

std::vector<KernelFunction> ReadKernelFunctions(ByteReader& in) {
  std::vector<KernelFunction> functions(in.Count());
  for (KernelFunction& function : functions) {
    function.name = in.Text();
    function.device = in.Text();
    function.bound = in.Text();
  }
  return functions;
}

std::string SerializeOutline(const Outline& outline) {
  ByteWriter out;
  out.Number(outline.branches.size());
  for (const Branch& branch : outline.branches) WriteBranch(out, branch);
  out.Number(outline.macros.size());
  for (const MacroDefinition& macro : outline.macros) WriteMacro(out, macro);
  out.Number(outline.includes.size());
  for (const Include& include : outline.includes) {
    out.Text(include.target);
    out.Number(include.angled);
    out.Number(include.computed);
    WriteRange(out, include.directive);
    out.Number(include.branch + 1);
  }
  out.Number(outline.suspicious_names.size());
  for (const SuspiciousName& suspicious : outline.suspicious_names) {
    out.Text(suspicious.name);
    out.Number(suspicious.offset);
    out.Number(suspicious.registers);
    out.Number(suspicious.branch + 1);
  }
  WriteAttributeSets(out, outline.attribute_sets);
  WriteDefinitions(out, outline.definitions);
  WriteKernelFunctions(out, outline.kernel_functions);
  WriteNamedUses(out, outline.named_uses);
  std::string_view hashes(reinterpret_cast<const char*>(outline.identifiers.data()),
                          outline.identifiers.size() * sizeof(std::uint32_t));
  out.Text(hashes);
  out.Number(outline.unsafe_directives.size());
  for (Range directive : outline.unsafe_directives) WriteRange(out, directive);
  out.Number(outline.error_branches.size());
  for (const int branch : outline.error_branches) out.Number(branch + 1);
  out.Number(outline.guarded);
  out.Text(outline.unreadable);
  return out.Take();
}

std::optional<Outline> ParseOutline(std::string_view bytes) {
  ByteReader in(bytes);
  Outline outline;
  outline.branches.resize(in.Count());
  for (Branch& branch : outline.branches) branch = ReadBranch(in);
  outline.macros.resize(in.Count());
  for (MacroDefinition& macro : outline.macros) macro = ReadMacro(in);
  outline.includes.resize(in.Count());
  for (Include& include : outline.includes) {
    include.target = in.Text();
    include.angled = in.Number() != 0;
    include.computed = in.Number() != 0;
    include.directive = ReadRange(in);
    include.branch = in.Signed();
  }
  outline.suspicious_names.resize(in.Count());
  for (SuspiciousName& suspicious : outline.suspicious_names) {
    suspicious.name = in.Text();
    suspicious.offset = static_cast<Offset>(in.Number());
    suspicious.registers = in.Number() != 0;
    suspicious.branch = in.Signed();
  }
  outline.attribute_sets = ReadAttributeSets(in);
  outline.definitions = ReadDefinitions(in);
  outline.kernel_functions = ReadKernelFunctions(in);
  outline.named_uses = ReadNamedUses(in);
  std::string_view hashes = in.Text();
  outline.identifiers.resize(hashes.size() / sizeof(std::uint32_t));
  if (!outline.identifiers.empty()) {
    std::memcpy(outline.identifiers.data(), hashes.data(),
                outline.identifiers.size() * sizeof(std::uint32_t));
  }
  outline.unsafe_directives.resize(in.Count());
  for (Range& directive : outline.unsafe_directives) directive = ReadRange(in);
  outline.error_branches.resize(in.Count());
  for (int& branch : outline.error_branches) branch = in.Signed();
  outline.guarded = in.Number() != 0;
  outline.unreadable = in.Text();
  if (!in.AtEnd() || !IndicesFit(outline)) return std::nullopt;
  return outline;
}

}  // namespace opledger::scan

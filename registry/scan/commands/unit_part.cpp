// The names that PlanUnit may look up are among those that the unit mentions anywhere and those
// that their definitions mention. These are more than it looks up, but known without reading the
// unit.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/commands/unit_part.h"

#include <map>
#include <set>

namespace opledger::scan {
namespace {

class Names {
 public:
  Names(const MacroIndex& index, const SourceTree& tree, int unit)
      : index_(index), unit_(unit), outline_(tree.files()[unit].outline) {}

  // Returns every macro of a header that the unit may use, sorted.
  NameSet Find() {
    for (std::string_view name : index_.HeaderMacrosIn(unit_)) Add(name);
    for (const std::string& name : index_.inner()) Add(name);
    for (const MacroDefinition& macro : outline_.macros) AddPasted(macro);
    while (!waiting_.empty()) {
      const std::string name = std::move(waiting_.back());
      waiting_.pop_back();
      for (DefinitionRef ref : std::vector<DefinitionRef>(index_.Visible(name, unit_))) {
        const MacroDefinition& macro = index_.Definition(ref);
        for (const std::string& other : macro.identifiers) Add(other);
        AddPasted(macro);
      }
    }
    return std::move(names_);
  }

 private:
  void Add(std::string_view name) {
    if (names_.contains(name) || index_.Visible(name, unit_).empty()) return;
    names_.emplace(name);
    waiting_.emplace_back(name);
  }

  void AddPasted(const MacroDefinition& macro) {
    if (macro.pastes.empty()) return;
    for (const std::string& name : index_.LeadingIn(unit_)) {
      for (const auto& [prefix, suffix] : macro.pastes) {
        if (name.starts_with(prefix) && name.ends_with(suffix)) Add(name);
      }
    }
  }

  const MacroIndex& index_;
  int unit_;
  const Outline& outline_;
  NameSet names_;
  std::vector<std::string> waiting_;
};

// Adds what headers define the macros in conditions as.
void AddConditions(const MacroIndex& index, int unit, std::set<std::string> names,
                   DigestBuilder& digest) {
  std::vector<std::string> waiting(names.begin(), names.end());
  auto add = [&](const std::string& name) {
    if (names.insert(name).second) waiting.push_back(name);
  };
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    for (const MacroEvent& event : index.presence().Events(unit, name)) {
      const MacroDefinition& macro = *event.state.macro;
      for (const std::string& other : macro.identifiers) add(other);
      for (const std::string& other : event.state.when.Macros()) add(other);
      if (event.state.file == unit) continue;
      digest.Add(name)
          .Add(std::to_string(event.offset))
          .Add(std::to_string(event.state.when.hash()));
      digest.Add(macro.pops ? "pop" : macro.undefines ? "#undef" : macro.text);
    }
  }
}

}  // namespace

Digest UnitPart(const MacroIndex& index, const SourceTree& tree, const Digest& basis, int unit) {
  const SourceFile& source = tree.files()[unit];
  DigestBuilder digest;
  digest.Add(basis).Add(source.path);
  AddCommand(source.command, digest);
  const NameSet& leading = index.LeadingIn(unit);
  for (const std::string* name : index.Mentioned(source.outline, leading)) {
    digest.Add("leads").Add(*name);
  }
  for (const std::string& name : Names(index, tree, unit).Find()) {
    digest.Add(leading.contains(name) ? "leading" : "")
        .Add(index.inner().contains(name) ? "+" : "-");
    digest.Add(name);
    index.AddMeanings(name, unit, digest);
  }
  std::set<std::string> conditional;
  for (const Branch& branch : source.outline.branches) {
    for (std::string& name : NamesIn(branch.Expression())) conditional.insert(std::move(name));
  }
  AddConditions(index, unit, std::move(conditional), digest);
  index.AddUnsettledIncludes(unit, digest);
  index.AddFoundHeaders(unit, digest);
  for (int header : index.active_headers()) {
    if (index.Reaches(unit, header)) digest.Add("registers").Add(tree.files()[header].path);
  }
  for (int table : index.Tables(unit, leading)) {
    index.AddTable(table, leading, digest);
    digest.Add(tree.files()[table].content);
  }
  return digest.Finish();
}

Digest ReachOf(const MacroIndex& index, const SourceTree& tree, int unit) {
  // Sorted by path, because the order of files in the tree depends on what other units include.
  std::map<std::string_view, Digest> reached;
  for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
    if (index.Reaches(unit, file)) reached[tree.files()[file].path] = tree.files()[file].content;
  }
  DigestBuilder digest;
  for (const auto& [path, content] : reached) digest.Add(path).Add(content);
  return digest.Finish();
}

}  // namespace opledger::scan

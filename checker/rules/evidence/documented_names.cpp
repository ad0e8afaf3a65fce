// Checks each page separately, because each must be complete.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/evidence/documented_names.h"

#include <set>
#include <utility>

namespace opledger {
namespace {

bool IsRight(const NamedOperators& section, const PublicName& name, const PrecisionList& list) {
  if (name.listed.empty()) return list.unlisted == section.policy || !list.whole;
  return name.listed.contains(section.policy) || name.listed.contains(Policy::kConditional);
}

}  // namespace

std::vector<WrongName> NamesWrongOnPages(const PublicNames& names, const ListIndex& list) {
  std::vector<WrongName> wrong;
  for (const NamedOperators& section : list.list->documented) {
    for (const PlacedName& placed : section.names) {
      const auto meant = names.all().find(names.Meant(placed.name));
      if (meant == names.all().end() || IsRight(section, meant->second, *list.list)) continue;
      wrong.push_back({&section, &placed, &meant->second});
    }
  }
  return wrong;
}

std::vector<MissingName> NamesMissingOnPages(const PublicNames& names, const ListIndex& list) {
  using Page = std::pair<Policy, std::string>;  // policy and file
  std::map<Page, const NamedOperators*> sections;
  std::map<std::string, std::set<Page>> documented;
  for (const NamedOperators& section : list.list->documented) {
    if (!section.problem.empty()) continue;
    sections.emplace(Page(section.policy, section.file), &section);
    for (const PlacedName& placed : section.names) {
      documented[names.Meant(placed.name)].emplace(section.policy, section.file);
    }
  }
  std::set<const PublicName*> wrong;
  for (const WrongName& each : NamesWrongOnPages(names, list)) wrong.insert(each.name);
  std::vector<MissingName> missing;
  for (const auto& [base, name] : names.all()) {
    if (IsInternal(base) || IsInternal(name.op->name) || wrong.contains(&name)) continue;
    for (const auto& [page, section] : sections) {
      const auto use = name.listed.find(page.first);
      if (use == name.listed.end() || documented[base].contains(page)) continue;
      missing.push_back({section, base, name.op, use->second});
    }
  }
  return missing;
}

}  // namespace opledger

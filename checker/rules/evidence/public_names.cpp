// A name is listed if any entry of the list names one of its overloads.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/evidence/public_names.h"

#include "registry/text/text.h"

namespace opledger {

std::string PublicNameOf(std::string_view op) {
  const std::size_t scope = op.rfind("::");
  if (scope == std::string_view::npos) return std::string(op);
  op.remove_prefix(scope + 2);
  return std::string(op.substr(0, op.find('.')));
}

bool IsInternal(std::string_view name) { return name.starts_with('_'); }

PublicNames::PublicNames(const CheckIndex& index, const ListIndex& list) {
  for (const Operator& op : index.manifest().operators) {
    if (!list.Exists(op)) continue;
    const std::string base = PublicNameOf(op.name);
    PublicName& name = names_[base];
    const bool better = name.op != nullptr && IsInternal(name.op->name) && !IsInternal(op.name);
    if (name.op == nullptr || better) name.op = &op;
    for (const EntryUse* use = list.Find(op.name); use != nullptr; use = use->next) {
      if (list.Holds(*use->entry)) name.listed.emplace(use->entry->policy, use);
    }
    for (const Alias& alias : op.aliases) aliases_.emplace(PublicNameOf(alias.name), base);
  }
}

std::string PublicNames::Meant(const std::string& named) const {
  const std::string last = named.substr(named.find_last_of(".:") + 1);
  for (const std::string& name : {named, PublicNameOf(named), last}) {
    if (names_.contains(name)) return name;
    if (const auto alias = aliases_.find(name); alias != aliases_.end()) return alias->second;
  }
  return {};
}

std::string ListedAs(const PublicName& name, const ListIndex& list) {
  return Join(name.listed, " and ",
              [](const auto& each) { return std::string("'") + PolicyName(each.first) + "'"; }) +
         " in list '" + list.label + "'";
}

void AddUnreadSections(const std::vector<NamedOperators>& sections, const char* field,
                       const ListIndex& list, std::vector<Finding>& findings) {
  for (const NamedOperators& section : sections) {
    if (section.problem.empty()) continue;
    Finding& finding = findings.emplace_back();
    finding.list = list.label;
    finding.location = section.location;
    finding.message = "'" + section.file + "' " + section.problem + ": '" + section.section +
                      "', which list '" + list.label + "' names in \"" + field + "\"";
  }
}

}  // namespace opledger

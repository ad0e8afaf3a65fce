// Compares by name, except for operators that FindRenames() pairs.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/changes.h"

#include <map>

#include "checker/index/renames.h"
#include "checker/terminal/markdown_text.h"
#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::vector<const Operator*> OnlyIn(const CheckIndex& one, const CheckIndex& other) {
  std::vector<const Operator*> only;
  for (const Operator& op : one.manifest().operators) {
    if (!op.CanExist()) continue;
    const Operator* there = other.Primary(op.name);
    if (there == nullptr || !there->CanExist()) only.push_back(&op);
  }
  return only;
}

using PolicyTable = std::map<std::string, Policy>;

PolicyTable PoliciesOf(const ListIndex& list) {
  PolicyTable policies;
  for (const EntryUse& use : list.uses) {
    policies.emplace(use.op != nullptr ? use.op->name : use.entry->op, use.entry->policy);
  }
  return policies;
}

void Compare(const std::string& label, const PolicyTable& before, const PolicyTable& after,
             std::vector<PolicyChange>& changes) {
  PolicyTable all = before;
  all.insert(after.begin(), after.end());
  const auto find = [](const PolicyTable& policies, const std::string& op) {
    const auto place = policies.find(op);
    return place == policies.end() ? std::nullopt : std::optional<Policy>(place->second);
  };
  for (const auto& [op, policy] : all) {
    PolicyChange change = {label, op, find(before, op), find(after, op)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
}

}  // namespace

Changes FindChanges(const CheckIndex& before, const CheckIndex& after) {
  Changes changes;
  changes.added = OnlyIn(after, before);
  changes.removed = OnlyIn(before, after);
  const std::map<const Operator*, const Operator*> renames = FindRenames(before, after);
  std::map<std::string, std::string> renamed;  // old name -> new name
  for (const Operator* const op : changes.added) {
    if (const auto found = renames.find(op); found != renames.end()) {
      changes.renamed.push_back({found->second, op});
    }
  }
  for (const RenamedOperator& each : changes.renamed) {
    std::erase(changes.added, each.after);
    std::erase(changes.removed, each.before);
    renamed[each.before->name] = each.after->name;
  }
  for (const ListIndex& list : after.lists()) {
    for (const ListIndex& old : before.lists()) {
      if (old.label == list.label) {
        const PolicyTable now = PoliciesOf(list);
        PolicyTable then;  // by today's names, if the list followed the renames
        for (const auto& [op, policy] : PoliciesOf(old)) {
          const auto name = renamed.find(op);
          const bool follows = name != renamed.end() && !now.contains(op);
          then.emplace(follows ? name->second : op, policy);
        }
        Compare(list.label, then, now, changes.policies);
      }
    }
  }
  return changes;
}

namespace {

const char* PolicyOrNone(const std::optional<Policy>& policy) {
  return policy ? PolicyName(*policy) : "no policy";
}

std::string FirstPlace(const Operator& op) {
  return op.sites.empty() ? std::string() : ShownPlace(op.sites.front().location);
}

std::string ChangesLine(const Changes& changes) {
  return Counted(changes.added.size(), "operator") + " added, " +
         std::to_string(changes.removed.size()) + " removed" +
         (changes.renamed.empty() ? ""
                                  : ", " + std::to_string(changes.renamed.size()) + " renamed") +
         "; " + Counted(changes.policies.size(), "policy change");
}

}  // namespace

std::string ChangesText(const Changes& changes) {
  std::string text;
  for (const Operator* op : changes.added) {
    text += "+ " + Printable(op->name) + "  " + FirstPlace(*op) + '\n';
  }
  for (const Operator* op : changes.removed) {
    text += "- " + Printable(op->name) + "  " + FirstPlace(*op) + '\n';
  }
  for (const RenamedOperator& each : changes.renamed) {
    text += "> " + Printable(each.before->name) + " -> " + Printable(each.after->name) + "  " +
            FirstPlace(*each.after) + '\n';
  }
  for (const PolicyChange& change : changes.policies) {
    text += "~ " + Printable(change.op) + "  " + Printable(change.list) + ": " +
            PolicyOrNone(change.before) + " -> " + PolicyOrNone(change.after) + '\n';
  }
  return text + ChangesLine(changes) + '\n';
}

std::string ChangesMarkdown(const Changes& changes, const SourceLink& link) {
  std::string text = "**Operators and their precision**: " + ChangesLine(changes) + '\n';
  if (!changes.added.empty() || !changes.removed.empty() || !changes.renamed.empty()) {
    text += "\n| | operator | where |\n|---|---|---|\n";
    const auto row = [&](const char* what, const std::string& name, const Operator& op,
                         const SourceLink& place_link) {
      const std::string url =
          op.sites.empty() ? std::string() : place_link.Url(op.sites.front().location);
      std::string place = MarkdownName(FirstPlace(op));
      if (!url.empty()) place = "[" + place + "](<" + url + ">)";
      text += std::string("| ") + what + " | " + name + " | " + place + " |\n";
    };
    for (const Operator* op : changes.added) row("added", MarkdownName(op->name), *op, link);
    // A removed operator has no place to link to.
    for (const Operator* op : changes.removed) {
      row("removed", MarkdownName(op->name), *op, SourceLink());
    }
    for (const RenamedOperator& each : changes.renamed) {
      row("renamed", MarkdownName(each.before->name) + " → " + MarkdownName(each.after->name),
          *each.after, link);
    }
  }
  if (!changes.policies.empty()) {
    text += "\n| list | operator | before | now |\n|---|---|---|---|\n";
    for (const PolicyChange& change : changes.policies) {
      text += "| " + MarkdownName(change.list) + " | " + MarkdownName(change.op) + " | " +
              PolicyOrNone(change.before) + " | " + PolicyOrNone(change.after) + " |\n";
    }
  }
  return text;
}

}  // namespace opledger

// stale-entry: an entry names no operator in any configuration.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>

#include "checker/edit/edit.h"
#include "checker/index/spelling.h"
#include "checker/rules/removed_entries.h"
#include "checker/rules/rules.h"
#include "registry/text/glob.h"

namespace opledger {
namespace {

constexpr char kStaleEntryPage[] =
    R"(A list names an operator that no source registers, in any configuration.

Why: such an entry has no effect. Most often the operator was renamed or
removed, and under its new name it is unclassified; or two names were glued
together because a comma between two literals is missing.

Example:
  registered: relu, softmax
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": ["softmax"], "widest": ["relu", "swish"]}
  finding: entry 'swish' of list 'float16' names no registered operator

What to do: remove the entry, or correct its name. An entry that names an
operator of another configuration is never stale, nor one of a namespace in which
the sources register nothing, nor one that the list names as registered elsewhere:
"registered_elsewhere": ["swish"]. If the scan is incomplete, the operator may be
in the unread part, so --fix keeps the entry.
)";

// Returns "com.microsoft" for com.microsoft.Attention, "aten" for aten::add.out, "" without a
// namespace.
std::string_view NamespaceOf(std::string_view name) {
  const std::size_t colons = name.find("::");
  const std::size_t end = colons != std::string_view::npos ? colons : name.rfind('.');
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

std::set<std::string_view> RegisteredNamespaces(const Manifest& manifest) {
  std::set<std::string_view> namespaces = {""};
  for (const Operator& op : manifest.operators) {
    namespaces.insert(NamespaceOf(op.name));
    for (const Alias& alias : op.aliases) namespaces.insert(NamespaceOf(alias.name));
  }
  return namespaces;
}

// Maps the old names of renamed operators to the new ones.
std::map<std::string, std::string, std::less<>> NewNames(const CheckIndex& index) {
  std::map<std::string, std::string, std::less<>> names;
  for (const auto& [now, old] : index.renames()) names[old->name] = now->name;
  return names;
}

// Returns whether the entry is for an operator that is registered elsewhere, because nothing here
// is registered in its namespace. For an entry that the revision compared with has, its namespaces
// count, too.
bool IsOfElsewhere(const CheckIndex& index, const ListIndex& list, const std::string& op,
                   const std::set<std::string_view>& namespaces,
                   const std::set<std::string_view>& namespaces_then) {
  const std::string_view own = NamespaceOf(op);
  if (index.before() == nullptr) return !namespaces.contains(own);
  if (index.before()->Resolve(op) != nullptr) return false;
  const ListIndex* const then = FindList(*index.before(), list.label);
  const bool named = then != nullptr && then->Find(op) != nullptr;
  return !namespaces.contains(own) || (named && !namespaces_then.contains(own));
}

void CheckStaleEntry(const CheckIndex& index, std::vector<Finding>& findings) {
  SpellingIndex names;
  const std::set<std::string_view> namespaces = RegisteredNamespaces(index.manifest());
  std::set<std::string_view> namespaces_then;
  if (index.before() != nullptr) {
    namespaces_then = RegisteredNamespaces(index.before()->manifest());
  }
  const std::map<std::string, std::string, std::less<>> renamed = NewNames(index);
  bool indexed = false;
  std::size_t most = findings.size();
  for (const ListIndex& list : index.lists()) most += list.stale.size();
  findings.reserve(most);
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse* use : list.stale) {
      if (IsOfElsewhere(index, list, use->entry->op, namespaces, namespaces_then)) continue;
      if (GlobMatchAny(list.list->registered_elsewhere, use->entry->op)) continue;
      if (!indexed) {
        for (const Operator& op : index.manifest().operators) {
          if (op.CanExist()) names.Add(op.name, 0);
        }
        indexed = true;
      }
      const ListEntry& entry = *use->entry;
      Finding& finding = findings.emplace_back();
      finding.op = entry.op;
      finding.list = list.label;
      finding.location = entry.location;
      finding.message = "entry '" + entry.op + "' of list '" + list.label +
                        "' names no registered operator" +
                        (index.manifest().IsWhole() ? "" : ", but the scan is incomplete");
      const std::vector<SpellingIndex::Match> near = names.Near(entry.op);
      if (const auto now = renamed.find(entry.op); now != renamed.end()) {
        finding.message += "; it seems to be called '" + now->second + "' now";
      } else if (!near.empty()) {
        const std::string name(near.front().name);
        finding.message += "; did you mean '" + name + "'?";
        if (const EntryUse* const same = list.Find(name)) {
          finding.related.push_back({same->entry->location, "'" + name + "' is listed already"});
        }
      }
      if (!index.manifest().IsWhole()) continue;  // the unread part may register it
      if (std::optional<Edit> edit = RemoveEntry(*list.list, entry)) {
        finding.suggestions.push_back({"", {std::move(*edit)}, true});
      }
    }
  }
}

}  // namespace

extern const Rule kStaleEntry = {"stale-entry", Severity::kWarning,
                                 "a list names an operator that does not exist", kStaleEntryPage,
                                 CheckStaleEntry};

}  // namespace opledger

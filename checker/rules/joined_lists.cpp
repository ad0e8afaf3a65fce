// Findings of unclassified-operator are not joined, because each list is edited separately.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/joined_lists.h"

#include <algorithm>
#include <string>

namespace opledger {
namespace {

bool IsInSource(const CheckIndex& index, const Location& place) {
  return std::any_of(index.lists().begin(), index.lists().end(), [&](const ListIndex& list) {
    return list.list->source_texts.contains(place.path);
  });
}

// Replaces "list 'a'" in the message by `names`. Returns "" if the message does not name the list.
std::string WithLists(const std::string& message, const std::string& list,
                      const std::string& names) {
  const std::string named = "list '" + list + "'";
  const std::size_t at = message.find(named);
  if (at == std::string::npos) return {};
  std::string out = message;
  return out.replace(at, named.size(), names);
}

}  // namespace

void JoinLists(const CheckIndex& index, std::vector<Finding>& findings) {
  const bool derived =
      std::any_of(index.lists().begin(), index.lists().end(),
                  [](const auto& list) { return !list.list->source_texts.empty(); });
  if (!derived) return;
  std::vector<bool> gone(findings.size());
  for (std::size_t first = 0; first < findings.size(); ++first) {
    Finding& finding = findings[first];
    if (gone[first] || finding.list.empty() || finding.rule == "unclassified-operator") continue;
    const std::string said = WithLists(finding.message, finding.list, "");
    std::string names = "'" + finding.list + "'";
    bool joined = false;
    for (std::size_t i = first + 1; i < findings.size(); ++i) {
      const Finding& other = findings[i];
      if (other.location != finding.location) break;
      const bool same = other.rule == finding.rule && other.op == finding.op && !said.empty() &&
                        WithLists(other.message, other.list, "") == said;
      if (!same || !IsInSource(index, finding.location)) continue;
      names += ", '" + other.list + "'";
      gone[i] = joined = true;
    }
    if (joined) finding.message = WithLists(finding.message, finding.list, "lists " + names);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) findings[kept] = std::move(findings[i]);
    ++kept;
  }
  findings.resize(kept);
}

}  // namespace opledger

// What came, what went, what moved; nothing of a name can be more than text.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/changes_text.h"

#include "checker/terminal/markdown_text.h"
#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

const char* PolicyOrNone(const std::optional<Policy>& policy) {
  return policy ? PolicyName(*policy) : "no policy";
}

std::string FirstPlace(const Operator& op) {
  return op.sites.empty() ? std::string() : ShownPlace(op.sites.front().location);
}

std::string ChangesLine(const Changes& changes) {
  return Counted(changes.added.size(), "operator") + " added, " +
         std::to_string(changes.removed.size()) + " removed; " +
         Counted(changes.policies.size(), "policy change");
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
  for (const PolicyChange& change : changes.policies) {
    text += "~ " + Printable(change.op) + "  " + Printable(change.list) + ": " +
            PolicyOrNone(change.before) + " -> " + PolicyOrNone(change.after) + '\n';
  }
  return text + ChangesLine(changes) + '\n';
}

std::string ChangesMarkdown(const Changes& changes) {
  std::string text = "**Operators and their precision**: " + ChangesLine(changes) + '\n';
  if (!changes.added.empty() || !changes.removed.empty()) {
    text += "\n| | operator | where |\n|---|---|---|\n";
    const auto rows = [&](const char* what, const std::vector<const Operator*>& operators) {
      for (const Operator* op : operators) {
        text += std::string("| ") + what + " | " + MarkdownCode(op->name) + " | " +
                MarkdownCode(FirstPlace(*op)) + " |\n";
      }
    };
    rows("added", changes.added);
    rows("removed", changes.removed);
  }
  if (!changes.policies.empty()) {
    text += "\n| list | operator | before | now |\n|---|---|---|---|\n";
    for (const PolicyChange& change : changes.policies) {
      text += "| " + MarkdownCode(change.list) + " | " + MarkdownCode(change.op) + " | " +
              PolicyOrNone(change.before) + " | " + PolicyOrNone(change.after) + " |\n";
    }
  }
  return text;
}

}  // namespace opledger

// Describes each field of a list entry in a few words.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/entry_words.h"

#include <algorithm>

#include "checker/candidates/operator_line.h"
#include "registry/json/json_write.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

void Append(const std::string& separator, const std::string& words, std::string& text) {
  if (words.empty()) return;
  text += (text.empty() ? "" : separator) + words;
}

std::string NumberText(double number) {
  std::string text;
  JsonWriter(text).Number(number);
  return text;
}

// Returns "act_type elu or selu: fp32", "axis from 1 to 3: fp32" or "axis up to 3: fp32".
std::string ClauseWords(const Clause& clause) {
  std::string text = clause.Subject();
  if (clause.is_range) {
    if (clause.minimum) text += " from " + NumberText(*clause.minimum);
    if (clause.maximum) text += (clause.minimum ? " to " : " up to ") + NumberText(*clause.maximum);
    if (!clause.minimum && !clause.maximum) text += " of any value";
  } else {
    for (std::size_t i = 0; i < clause.values.size(); ++i) {
      if (i > 0) text += i + 1 == clause.values.size() ? " or" : ",";
      text += ' ' + clause.values[i];
    }
  }
  return text + ": " + PolicyName(clause.then);
}

std::string EntryWords(const OperatorInList& status) {
  const ListEntry& entry = *status.entry;
  std::string text;
  for (const Clause& clause : entry.clauses) Append("; ", ClauseWords(clause), text);
  if (!entry.clauses.empty()) {
    Append("; ", std::string("otherwise ") + PolicyName(entry.otherwise), text);
  }
  std::string reason = entry.reason;
  Append(": ", entry.note, reason);
  Append("; ", reason, text);
  if (entry.accumulate) {
    Append("; ", std::string("accumulates in ") + DtypeName(*entry.accumulate), text);
  }
  if (entry.output) {
    Append("; ", std::string("outputs ") + DtypeName(*entry.output), text);
  }
  if (!entry.keep_fp32_inputs.empty()) {
    const char* const what = entry.keep_fp32_inputs.size() == 1 ? "input " : "inputs ";
    const char* const stay = entry.keep_fp32_inputs.size() == 1 ? " stays" : " stay";
    Append("; ", what + Join(entry.keep_fp32_inputs, ", ") + stay + " in float32", text);
  }
  if (!entry.evidence.empty()) Append("; ", "evidence: " + entry.evidence, text);
  for (const ListEntry* other : status.repeated) {
    const std::string how = other->policy == entry.policy ? "again" : "also";
    Append("; ", how + " under " + PolicyName(other->policy), text);
  }
  return text;
}

}  // namespace

std::vector<Why> WhyOf(const OperatorDocs& op) {
  std::vector<Why> all;
  for (std::size_t i = 0; i < op.lists.size(); ++i) {
    const OperatorInList& status = op.lists[i];
    std::string text;
    if (status.status == ListStatus::kClassified) text = EntryWords(status);
    if (status.status == ListStatus::kUnclassified) text = DescribeOperator(*op.op);
    if (text.empty()) continue;
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Why& why) { return why.text == text; });
    if (same != all.end()) {
      same->lists.push_back(i);
    } else {
      all.push_back({{i}, std::move(text)});
    }
  }
  return all;
}

std::string WhyLabel(const Why& why, const OperatorDocs& op, const Docs& docs) {
  std::size_t concerned = 0;
  for (const OperatorInList& status : op.lists) {
    const bool concerns =
        status.status != ListStatus::kExempt && status.status != ListStatus::kAbsent;
    if (concerns) ++concerned;
  }
  if (why.lists.size() == concerned) return {};
  std::string label;
  for (const std::size_t list : why.lists) Append(", ", docs.lists[list].index->label, label);
  return label + ": ";
}

}  // namespace opledger

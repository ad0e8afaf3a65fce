// Sorts and writes the entries of an imported list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/imported_entries.h"

#include <algorithm>
#include <tuple>

#include "registry/json/json_write.h"

namespace opledger {
namespace {

std::string JsonStrings(const std::vector<std::string>& strings) {
  std::string out = "[";
  for (const std::string& string : strings) {
    if (out.size() > 1) out += ", ";
    out += JsonQuote(string);
  }
  return out + "]";
}

// Writes a name as a string and an index (decimal text) as a number.
std::string JsonInput(const std::string& input) {
  const bool index = input.find_first_not_of("0123456789") == std::string::npos;
  return index ? input : JsonQuote(input);
}

std::string JsonInputs(const std::vector<std::string>& inputs) {
  std::string out = "[";
  for (const std::string& input : inputs) {
    if (out.size() > 1) out += ", ";
    out += JsonInput(input);
  }
  return out + "]";
}

std::string ClauseFields(const Clause& clause) {
  std::string fields = clause.input.empty() ? "\"attribute\": " + JsonQuote(clause.attribute)
                                            : "\"input\": " + JsonInput(clause.input) +
                                                  ", \"property\": " + JsonQuote(clause.property);
  const auto number = [](double value) {
    std::string text;
    JsonWriter(text).Number(value);
    return text;
  };
  if (!clause.is_range) fields += ", \"values\": " + JsonStrings(clause.values);
  if (clause.minimum) fields += ", \"at_least\": " + number(*clause.minimum);
  if (clause.maximum) fields += ", \"at_most\": " + number(*clause.maximum);
  return fields + ", \"then\": \"" + PolicyName(clause.then) + '"';
}

std::string Place(const Location& location) {
  return location.path + ":" + std::to_string(location.line);
}

// Returns whether two entries are equal except for the features that they depend on.
bool SameBelowFeatures(const ListEntry& a, const ListEntry& b) {
  return a.op == b.op && a.policy == b.policy && a.condition != b.condition &&
         !a.condition.IsAlways() && !b.condition.IsAlways() && EntryJson(a) == EntryJson(b);
}

}  // namespace

std::string EntryJson(const ListEntry& entry, bool places) {
  std::string fields;
  if (entry.clauses.size() == 1) fields += ", " + ClauseFields(entry.clauses[0]);
  if (entry.clauses.size() > 1) {
    fields += ", \"clauses\": [";
    for (const Clause& clause : entry.clauses) {
      fields += (&clause == &entry.clauses[0] ? "{" : ", {") + ClauseFields(clause) + "}";
    }
    fields += "]";
  }
  if (!entry.clauses.empty()) {
    fields += std::string(", \"otherwise\": \"") + PolicyName(entry.otherwise) + '"';
  }
  if (!entry.reason.empty()) fields += ", \"reason\": " + JsonQuote(entry.reason);
  if (!entry.note.empty()) fields += ", \"note\": " + JsonQuote(entry.note);
  if (entry.accumulate) fields += ", \"accumulate\": " + JsonQuote(DtypeName(*entry.accumulate));
  if (entry.output) fields += ", \"output\": " + JsonQuote(DtypeName(*entry.output));
  if (!entry.keep_fp32_inputs.empty()) {
    fields += ", \"keep_fp32_inputs\": " + JsonInputs(entry.keep_fp32_inputs);
  }
  if (!entry.evidence.empty()) fields += ", \"evidence\": " + JsonQuote(entry.evidence);
  if (places) fields += ", \"$comment\": " + JsonQuote(Place(entry.location));
  const std::string name = JsonQuote(entry.op);
  return fields.empty() ? name : "{\"op\": " + name + fields + "}";
}

void ImportedEntries::Settle(const SourceText& source, Diagnostics& diagnostics) {
  const auto key = [](const ListEntry& entry) {
    return std::tie(entry.op, entry.policy, entry.location);
  };
  std::sort(entries_.begin(), entries_.end(),
            [&](const ListEntry& a, const ListEntry& b) { return key(a) < key(b); });
  std::vector<ListEntry> settled;
  for (ListEntry& entry : entries_) {
    const bool united = std::any_of(settled.rbegin(), settled.rend(), [&](const ListEntry& known) {
      return SameBelowFeatures(known, entry);
    });
    if (united) continue;
    if (!settled.empty() && settled.back().op == entry.op) {
      ReportTwice(settled.back(), entry, source, diagnostics);
    }
    settled.push_back(std::move(entry));
  }
  entries_ = std::move(settled);
}

void ImportedEntries::ReportTwice(const ListEntry& first, const ListEntry& second,
                                  const SourceText& source, Diagnostics& diagnostics) const {
  std::string message = "'" + second.op + "' is listed ";
  message += first.policy == second.policy ? "twice as '" : "both as '";
  message += PolicyName(first.policy);
  if (first.policy != second.policy)
    message += std::string("' and as '") + PolicyName(second.policy);
  message += "'; the other place is " + Place(first.location);
  const bool exclusive = !first.condition.And(second.condition).CanBeTrue();
  source.Warn(second.location, std::move(message),
              exclusive ? "the source depends on a feature, which a list cannot express: keep the "
                          "entry that fits the configuration"
                        : "both are kept: remove one in the source, or in the result",
              diagnostics);
}

std::string ImportedEntries::Json(bool places) const {
  std::string out;
  for (const Policy policy : kPolicies) {
    std::string array;
    for (const ListEntry& entry : entries_) {
      if (entry.policy != policy) continue;
      array += (array.empty() ? "\n    " : ",\n    ") + EntryJson(entry, places);
    }
    if (array.empty()) continue;
    if (!out.empty()) out += ",\n";
    out += std::string("  \"") + PolicyName(policy) + "\": [" + array + "\n  ]";
  }
  return out;
}

}  // namespace opledger

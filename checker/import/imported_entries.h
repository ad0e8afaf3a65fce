// The entries of a list that is being imported, and its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/precision_list/policy.h"
#include "registry/text/diagnostics.h"
#include "registry/text/source_text.h"

namespace opledger {

struct ImportedClause {
  std::string attribute;
  std::vector<std::string> values;
};

struct ImportedEntry {
  std::string op;
  Policy policy = Policy::kEither;
  Condition feature;
  Location location;
  std::string reason;
  std::string note;
  std::vector<std::string> keep_fp32_inputs;
  std::vector<ImportedClause> clauses;
};

class ImportedEntries {
 public:
  // Clauses of one operator are gathered in one entry.
  void Add(ImportedEntry entry);
  // All entries of an operator.
  std::vector<ImportedEntry*> Find(const std::string& op);

  // Sorts; unites what stands alike under several features, and reports operators that remain
  // twice.
  void Settle(const SourceText& source, Diagnostics& diagnostics);

  // The policies' arrays, each entry on a line of its own; without braces around. `places`: each
  // entry says in a $comment where it stands in the source.
  std::string Json(bool places) const;

 private:
  void ReportTwice(const ImportedEntry& first, const ImportedEntry& second,
                   const SourceText& source, Diagnostics& diagnostics) const;

  std::vector<ImportedEntry> entries_;
};

}  // namespace opledger

// The entries of a list that is being imported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/precision_list/precision_list.h"
#include "registry/text/diagnostics.h"
#include "registry/text/source_text.h"

namespace opledger {

// Returns the item of an entry in a list: "exp", or {"op": "exp", "reason": "numeric"}. `places`
// adds a $comment with the place in the source.
std::string EntryJson(const ListEntry& entry, bool places = false);

class ImportedEntries {
 public:
  explicit ImportedEntries(std::vector<ListEntry> entries) : entries_(std::move(entries)) {}

  // Sorts the entries, merges those that differ only in their features, and reports operators that
  // remain twice.
  void Settle(const SourceText& source, Diagnostics& diagnostics);

  // Returns the arrays of the policies without the braces around them, with one entry per line.
  // `places` adds a $comment with the place in the source to each entry.
  std::string Json(bool places) const;

 private:
  void ReportTwice(const ListEntry& first, const ListEntry& second, const SourceText& source,
                   Diagnostics& diagnostics) const;

  std::vector<ListEntry> entries_;
};

}  // namespace opledger

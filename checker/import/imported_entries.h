// The entries of a list that is being imported, and its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/precision_list/precision_list.h"
#include "registry/text/diagnostics.h"
#include "registry/text/source_text.h"

namespace opledger {

// The item of an entry in a list: "exp", or {"op": "exp", "reason": "numeric"}. `places`: with a
// $comment that says where it stands in the source.
std::string EntryJson(const ListEntry& entry, bool places = false);

class ImportedEntries {
 public:
  explicit ImportedEntries(std::vector<ListEntry> entries) : entries_(std::move(entries)) {}

  // Sorts; unites what stands alike under several features, and reports operators that remain
  // twice.
  void Settle(const SourceText& source, Diagnostics& diagnostics);

  // The policies' arrays, each entry on a line of its own; without braces around. `places`: each
  // entry says in a $comment where it stands in the source.
  std::string Json(bool places) const;

 private:
  void ReportTwice(const ListEntry& first, const ListEntry& second, const SourceText& source,
                   Diagnostics& diagnostics) const;

  std::vector<ListEntry> entries_;
};

}  // namespace opledger

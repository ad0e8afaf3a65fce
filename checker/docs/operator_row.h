// An operator's row in the page of documentation, and what its script filters rows by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/docs/docs.h"

namespace opledger {

// What rows have in common.
struct RowContext {
  const Docs* docs = nullptr;
  std::vector<std::string> devices;  // of all kernels; the script refers to them by index
  std::vector<std::string> dtypes;
  bool has_kernels = false;
  // Anchors of aliases that lead to one operator only, and to none of that name.
  std::map<std::string, const Operator*> alias_anchors;
};

RowContext MakeRowContext(const Docs& docs);

// "any device" for "*".
std::string DeviceWord(const std::string& device);

// <tr>...</tr>.
std::string RenderRow(const OperatorDocs& op, const RowContext& context);

// The place as a link, or as text where there is no address for it. HTML.
std::string PlaceLink(const Location& location, const SourceLink& link);

}  // namespace opledger

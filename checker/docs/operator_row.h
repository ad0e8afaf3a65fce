// Renders the row of an operator in the HTML page, with the data that its script filters by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/docs/docs.h"

namespace opledger {

// Data that all rows share.
struct RowContext {
  const Docs* docs = nullptr;
  std::vector<std::string> devices;  // of all kernels; rows refer to them by index
  std::vector<std::string> dtypes;
  bool has_kernels = false;
  // Anchors of aliases that belong to exactly one operator and are not the name of another.
  std::map<std::string, const Operator*> alias_anchors;
};

RowContext MakeRowContext(const Docs& docs);

// Returns the device, or "any device" for "*".
std::string DeviceWord(const std::string& device);

// Returns <tr>...</tr>.
std::string RenderRow(const OperatorDocs& op, const RowContext& context);

// Returns HTML: a link, or text if there is no URL for the place.
std::string PlaceLink(const Location& location, const SourceLink& link);

}  // namespace opledger

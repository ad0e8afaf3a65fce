// Makes a plain list from one that is derived from a framework's sources, for users without the
// sources. Keeps the annotations of existing entries.
//   {"op": "exp", "reason": "numeric"} under fp32, and exp in FP32_FUNCS  ->  the same entry
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "registry/condition/configuration.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

struct SyncSource {
  std::string what;                    // source of the rows, such as "mxnet at 1f0a3b2"
  std::optional<Configuration> known;  // build; rows of other builds are left out
  std::function<std::string(const std::string&)> primary;  // gives the operator of an alias
};

struct SyncedList {
  std::string text;                  // contents of the file
  std::vector<std::string> changes;  // lines with places: changed entries and lost annotations
  bool differs = false;  // whether it differs from the existing list, apart from its source
};

// `existing` is the list in the output file, or nullptr. Its path is used in messages.
SyncedList SyncList(const PrecisionList& derived, const PrecisionList* existing,
                    const SyncSource& source);

}  // namespace opledger

// A list with all entries, made from one that is derived from its framework's own, for those who
// read no sources. What was known of its entries stays:
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
  std::string what;                    // "mxnet at 1f0a3b2": where the rows come from
  std::optional<Configuration> known;  // of the build; rows of other builds are left out
  std::function<std::string(const std::string&)> primary;  // name of the operator an alias means
};

struct SyncedList {
  std::string text;                  // of the list's file
  std::vector<std::string> changes;  // a line each, with a place: entries, and what is lost
  bool differs = false;              // from the list that is there, apart from its source
};

// `existing`: the list that is there, at the path that places show; nullptr: none.
SyncedList SyncList(const PrecisionList& derived, const PrecisionList* existing,
                    const SyncSource& source);

}  // namespace opledger

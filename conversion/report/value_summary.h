// Summarizes the range of each value for `opledger inspect --values` and `--explain`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/values/values.h"
#include "registry/json/json_write.h"

namespace opledger {

struct ValueSummary {
  ValueId value = kNone;
  std::string name;
  std::string scope;  // "" for the main graph
  Range float32;      // in the original model
  Range converted;    // as the labels allow
};

// Summarizes all values that are numeric tensors. `labels`: after hazards.
std::vector<ValueSummary> SummariseValues(const KnownModel& model,
                                          const std::vector<NodeLabel>& labels, Dtype target,
                                          bool raises);

// "in [0, 1], converted in [0, 1.001]"
std::string ValueText(const ValueSummary& value);
std::string RenderValues(const std::vector<ValueSummary>& values);
void WriteValues(const std::vector<ValueSummary>& values, JsonWriter& json);

}  // namespace opledger

// What is known of a model's inputs: --input-range says it, or --inputs-from has measured it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "conversion/label/options.h"
#include "conversion/values/values.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct InputRange {
  Range range;
  bool measured = false;  // on samples, with a margin; not promised
};

// By value, of inputs of the main graph. None, with an error: an option names no input, or is
// malformed.
std::optional<std::map<ValueId, InputRange>> GivenRanges(const Graph& graph,
                                                         const ConvertOptions& options,
                                                         Diagnostics& diagnostics);

// Puts them where the analysis finds them.
void KnowInputs(const std::map<ValueId, InputRange>& inputs, KnownModel& model);

}  // namespace opledger

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
  Range samples;          // of those that are measured: what the samples hold
};

using InputRanges = std::map<ValueId, InputRange>;  // of inputs of the main graph

// What the options give. None, with an error: an option names no input, or is malformed.
std::optional<InputRanges> GivenRanges(const Graph& graph, const ConvertOptions& options,
                                       Diagnostics& diagnostics);

// What --inputs-from has measured, a line for each input: "  --inputs-from: 'x' is in [0, 1], taken
// for in [0, 1.25]". Empty: nothing has been measured.
std::string MeasuredText(const Graph& graph, const InputRanges& inputs);

// Puts them where the analysis finds them.
void KnowInputs(const InputRanges& inputs, KnownModel& model);

}  // namespace opledger

// Ranges of a model's inputs, from --input-range or measured by --inputs-from.
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
  bool measured = false;  // on samples, extended by a margin; not guaranteed
  Range samples;          // if measured: the range of the samples
};

using InputRanges = std::map<ValueId, InputRange>;  // inputs of the main graph

// Returns the ranges from options. Returns nullopt, with an error, if an option names no input or
// is malformed.
std::optional<InputRanges> GivenRanges(const Graph& graph, const ConvertOptions& options,
                                       Diagnostics& diagnostics);

// Describes what --inputs-from measured, one line per input: "  --inputs-from: 'x' is in [0, 1],
// taken for in [0, 1.25]". Empty if nothing was measured.
std::string MeasuredText(const Graph& graph, const InputRanges& inputs);

// Adds the ranges to the known values of the model.
void KnowInputs(const InputRanges& inputs, KnownModel& model);

}  // namespace opledger

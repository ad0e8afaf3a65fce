// From labels to a plan, for an MXNet model: what a conversion and a run by the lists have in
// common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/place/place.h"
#include "conversion/values/input_ranges.h"

namespace opledger {

// Before 1.0 an operator's "weight_lr_mult" is of the variable that is its input "weight", and
// MXNet refuses a file in which that is none, but a cast. The first such attribute; nullptr: the
// node has none.
const Attribute* AttributeOfAnInput(const Node& node);

// The shapes that parameters have, and that variables say. `params` may be nullptr.
ConditionFacts MxnetFacts(const MxnetSymbol& symbol, const MxnetParams* params);

// The labels of all nodes, with those in float32 where no cast may stand before them. `params` may
// be nullptr.
std::vector<NodeLabel> LabelMxnet(const MxnetSymbol& symbol, const MxnetParams* params,
                                  const Typing& typing, const LabelOptions& options);

// Pins what the parameters' numbers and the options require, and places what is free. `params` may
// be nullptr; `inputs` are those that the options give. Inputs that must keep their type are no
// inputs of the graph after it.
Plan PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                const Settings& settings, const InputRanges& inputs, std::vector<NodeLabel>& labels,
                Diagnostics& diagnostics);

// The same with the ranges of inputs that the settings give; none, with an error: they do not fit.
std::optional<Plan> PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                               const Settings& settings, std::vector<NodeLabel>& labels,
                               Diagnostics& diagnostics);

}  // namespace opledger

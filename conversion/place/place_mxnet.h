// Turns labels of an MXNet model into a plan, for conversion and for runs by the lists.
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

// Returns the first attribute such as "weight_lr_mult", or nullptr. Before MXNet 1.0, an operator's
// "weight_lr_mult" applies to the variable that is its input "weight", and MXNet rejects a file in
// which that input is a cast.
const Attribute* AttributeOfAnInput(const Node& node);

// Collects the shapes of parameters, and those that variables state. `params` may be nullptr.
ConditionFacts MxnetFacts(const MxnetSymbol& symbol, const MxnetParams* params);

// Labels all nodes. Nodes whose inputs must not be cast are labeled float32. `params` may be
// nullptr.
std::vector<NodeLabel> LabelMxnet(const MxnetSymbol& symbol, const MxnetParams* params,
                                  const Typing& typing, const LabelOptions& options);

// Pins nodes by the elements of parameters and by options, then places the free ones. `params` may
// be nullptr. `inputs`: the ranges from options. Afterwards, inputs that must keep their type are
// no longer inputs of the graph.
Plan PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                const Settings& settings, const InputRanges& inputs, std::vector<NodeLabel>& labels,
                Diagnostics& diagnostics);

// Like PlaceMxnet above, with input ranges from the settings. Returns nullopt, with an error, if
// they do not match the model.
std::optional<Plan> PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                               const Settings& settings, std::vector<NodeLabel>& labels,
                               Diagnostics& diagnostics);

}  // namespace opledger

// The weights first: they can pin a node.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place_onnx.h"

#include "conversion/pins/option_pins.h"
#include "conversion/pins/weights.h"

namespace opledger {

bool PlaceOnnx(const OnnxModel& model, const Settings& settings, TensorData& data,
               std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics) {
  if (!PinByWeights(model, settings.target(), data, labels, diagnostics)) return false;
  PinByOptions(model.graph, settings.options(), labels);
  PlanOptions plan_options;
  plan_options.low_outputs = settings.options().io_types == "low";
  auto known = CastBytes(model, settings.options(), diagnostics);
  if (!known) return false;
  costs = std::move(*known);
  if (settings.options().cost == "bytes") plan_options.costs = &costs;
  plan = MakePlan(model.graph, labels, plan_options);
  return CheckCosts(model, plan, diagnostics);
}

}  // namespace opledger

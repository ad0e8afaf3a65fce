// Reads the parameters of fused calls.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/fused_call.h"

namespace opledger {

bool IsFused(const Call& call) { return call.parameters.Integer("fused", 0) != 0; }

FusedActivation ActivationOf(const Call& call) {
  return {call.parameters.Word("activation", ""), call.parameters.Number("activation_alpha", 0),
          call.parameters.Number("activation_beta", 0)};
}

Call PlainCall(const Call& call) {
  Call plain = call;
  plain.parameters.Set("fused", std::int64_t{0});
  plain.inputs.resize(2);
  plain.constants.resize(2);
  return plain;
}

}  // namespace opledger

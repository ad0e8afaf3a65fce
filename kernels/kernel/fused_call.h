// A contraction fused with the nodes after it: computed in float32 throughout, and rounded once.
//   activation((source * weights) * scale + bias + addend)
// Such a call has the parameter "fused" (1) and these inputs, of which only the first two are
// required. Scale and bias are float32 constants, one element for each channel; the addend has the
// result's type. The activation is a parameter, the name of a unary kernel or Clip, with
// "activation_alpha" and "activation_beta" (the bounds of Clip).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/kernel/kernel.h"

namespace opledger {

enum FusedInput : std::size_t { kFusedBias = 2, kFusedScale = 3, kFusedAddend = 4, kFusedInputs };

bool IsFused(const Call& call);

struct FusedActivation {
  std::string name;  // empty: none
  double alpha = 0;
  double beta = 0;
};
// Returns the activation that the parameters of a fused call name.
FusedActivation ActivationOf(const Call& call);

// Returns the call of the contraction alone: without scale, bias, addend and activation.
Call PlainCall(const Call& call);

}  // namespace opledger

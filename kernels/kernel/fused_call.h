// A contraction joined with what follows it: computed in float32 to the end, and rounded once.
//   activation((source * weights) * scale + bias + addend)
// Such a call has the parameter "fused" (1) and these inputs, of which only the first two need be
// there. Scale and bias are float32, one number for each channel, and constant; the addend has the
// result's type. The activation is a parameter, the name of a kernel of one input, or Clip, with
// "activation_alpha" and "activation_beta" (of Clip: its bounds).
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
FusedActivation ActivationOf(const Call& call);

// The call without what is fused to it.
Call PlainCall(const Call& call);

}  // namespace opledger

// The table of loops for the instruction set that the including file is compiled for. Each
// instruction set has one such file. It calls nothing from other headers, so that no shared
// function is compiled with that file's flags.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/integer_bodies.h"
#include "kernels/arithmetic/loops/product_bodies.h"
#include "kernels/arithmetic/loops/row_bodies.h"
#include "kernels/arithmetic/loops/unary_bodies.h"
#include "kernels/arithmetic/loops/weight_bodies.h"

namespace opledger::arithmetic {

#define OPLEDGER_LOOP_NAME(name, ulp) name##Loop,
static constexpr Loops kLoops = {{OPLEDGER_UNARY_LIST(OPLEDGER_LOOP_NAME)},
                                 kRowLoops,
                                 kProductLoops,
                                 kIntegerLoops,
                                 kWeightLoops};

}  // namespace opledger::arithmetic

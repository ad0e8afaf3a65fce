// One loop per function, and the choice among them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/unary.h"

#include "kernels/arithmetic/elementary.h"

namespace opledger::arithmetic {

void Apply(Unary function, const float* in, float* out, std::size_t n) {
  switch (function) {
#define OPLEDGER_CASE(name)                                   \
  case Unary::k##name:                                        \
    for (std::size_t i = 0; i < n; ++i) out[i] = name(in[i]); \
    return;
    OPLEDGER_UNARY_LIST(OPLEDGER_CASE)
#undef OPLEDGER_CASE
  }
}

const char* UnaryName(Unary function) {
  switch (function) {
#define OPLEDGER_CASE(name) \
  case Unary::k##name:      \
    return #name;
    OPLEDGER_UNARY_LIST(OPLEDGER_CASE)
#undef OPLEDGER_CASE
  }
  return "";
}

}  // namespace opledger::arithmetic

// Reductions of several inputs, and along axes: sum, mean, maximum, minimum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "kernels/cpu/formulas/formulas.h"

namespace opledger {

// A reduction: what each number counts, how two are reduced, of none, and what becomes of all of
// them.
struct SumReduction {
  template <typename V>
  static V Map(V x) {
    return x;
  }
  template <typename V>
  static V Reduce(V a, V b) {
    return static_cast<V>(a + b);
  }
  template <typename V>
  static V Start() {
    return V(0);
  }
  template <typename V>
  static V Finish(V all, std::size_t) {
    return all;
  }
};
struct MeanReduction : SumReduction {
  template <typename V>
  static V Finish(V all, std::size_t count) {
    return static_cast<V>(all / static_cast<V>(count));
  }
};
struct MaxReduction : SumReduction {
  template <typename V>
  static V Reduce(V a, V b) {
    return function::Maximum(a, b);
  }
  template <typename V>
  static V Start() {
    using Limits = std::numeric_limits<V>;
    return Limits::has_infinity ? static_cast<V>(-Limits::infinity()) : Limits::lowest();
  }
};
struct MinReduction : SumReduction {
  template <typename V>
  static V Reduce(V a, V b) {
    return function::Minimum(a, b);
  }
  template <typename V>
  static V Start() {
    using Limits = std::numeric_limits<V>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};

}  // namespace opledger

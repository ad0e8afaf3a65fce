// Reductions of several inputs and along axes, and softmax, as used by kernels and, with every step
// rounded, by kernels/evidence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/formulas/formulas.h"

namespace opledger {

// Integers are summed in 64 bits.
template <typename V>
using WideSum =
    std::conditional_t<std::is_integral_v<V>,
                       std::conditional_t<std::is_signed_v<V>, std::int64_t, std::uint64_t>, V>;

// A reduction has the accumulator's type Held, Map for each element, Reduce for two values, the
// Start value, and Finish for the result of `count` elements.
struct SumReduction {
  template <typename V>
  using Held = WideSum<V>;
  template <typename V>
  static V Map(V x) {
    return x;
  }
  template <typename V>
  static V Reduce(V a, V b) {
    return function::Plus(a, b);
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
    if constexpr (std::is_integral_v<V>) {
      using Wide = WideSum<V>;
      return count == 0 ? V(0) : static_cast<V>(static_cast<Wide>(all) / static_cast<Wide>(count));
    } else {
      return all / static_cast<V>(count);
    }
  }
};
struct MaxReduction : SumReduction {
  template <typename V>
  using Held = V;
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
  using Held = V;
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

template <typename V>
V Magnitude(V x) {
  if constexpr (std::is_unsigned_v<V>) {
    return x;
  } else if constexpr (std::is_integral_v<V>) {
    return x < V(0) ? function::Times(x, static_cast<V>(-1)) : x;
  } else {
    using function::Abs;
    return Abs(x);
  }
}

template <typename V>
auto AsFloat(V x) {
  return static_cast<std::conditional_t<std::is_integral_v<V>, double, V>>(x);
}

struct SumSquareReduction : SumReduction {
  template <typename V>
  static V Map(V x) {
    return function::Times(x, x);
  }
};
struct L1Reduction : SumReduction {
  template <typename V>
  static V Map(V x) {
    return Magnitude(x);
  }
};
struct L2Reduction : SumSquareReduction {
  template <typename V>
  static auto Finish(V all, std::size_t) {
    using function::Sqrt;
    return Sqrt(AsFloat(all));
  }
};
struct LogSumReduction : SumReduction {
  template <typename V>
  static auto Finish(V all, std::size_t) {
    using function::Log;
    return Log(AsFloat(all));
  }
};
struct ProdReduction : SumReduction {
  template <typename V>
  static V Reduce(V a, V b) {
    return function::Times(a, b);
  }
  template <typename V>
  static V Start() {
    return V(1);
  }
};

// Takes x, the maximum of the group, and the sum of its exponentials.
struct SoftmaxOf {
  template <typename V>
  static V Of(V x, V max, V sum) {
    using function::Exp;
    return Exp(x - max) / sum;
  }
};
struct LogSoftmaxOf {
  template <typename V>
  static V Of(V x, V max, V sum) {
    using function::Log;
    return x - max - Log(sum);
  }
};

}  // namespace opledger

// Softmax and its logarithm over rows: one read and one write if a row fits into registers.
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "kernels/cuda/module/launchers.h"
#include "kernels/cuda/module/row.h"

namespace opledger::cuda {
namespace {

constexpr float kMinPower = -150;  // e^x is 0 at and below this x

// Returns the sum of e^(x - max). NaN if an element is NaN or `max` is infinite, as on the CPU.
__device__ __forceinline__ float Checked(float sum, float max) {
  return max - max == 0 ? sum : arithmetic::kNan;
}

template <typename T, bool kLogarithm>
struct SoftmaxFunction {
  using Call = SoftmaxCall;
  using Element = T;
  using Staged = std::conditional_t<kLogarithm, T, float>;  // also holds powers
  static constexpr bool kManyRegisters = true;

  template <typename Own>
  static __device__ void Apply(const Call&, Own& row, T* out, std::int64_t) {
    const float max = row.Max();
    const auto power = [&](float x) {
      return arithmetic::ExpNotAbove0(Greater(x - max, kMinPower));
    };
    if constexpr (kLogarithm) {
      const float log = arithmetic::Log(Checked(row.Sum(power), max));
      row.Write(out, [&](float x, int) { return x - max - log; });
    } else {
      row.Replace(power);
      const float sum = Checked(row.Sum([](float x) { return x; }), max);
      const float inverse = 1.0F / sum;
      if (row.Any([](float x) { return arithmetic::IsTooSmallForQuotient(x); })) {
        row.Write(out, [&](float x, int) { return x / sum; });
      } else {
        row.Write(out, [&](float x, int) { return arithmetic::Quotient(x, sum, inverse); });
      }
    }
  }
  static __device__ void ApplyLong(const Call&, const LongRow<T>& row, T* out, std::int64_t) {
    const float max = row.Max();
    const auto power = [&](float x) {
      return arithmetic::ExpNotAbove0(Greater(x - max, kMinPower));
    };
    const float sum = Checked(row.Sum(power), max);
    if constexpr (kLogarithm) {
      const float log = arithmetic::Log(sum);
      row.Write(out, [&](float x, std::int64_t) { return x - max - log; });
    } else {
      row.Write(out, [&](float x, std::int64_t) { return power(x) / sum; });
    }
  }
};

}  // namespace

const char* LaunchSoftmax(const SoftmaxCall* call) {
  const char* problem = "rows are not float32, float16 or bfloat16";
  if (call->rows == 0 || call->size == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = call->logarithm != 0 ? LaunchRows<SoftmaxFunction<T, true>>(*call)
                                   : LaunchRows<SoftmaxFunction<T, false>>(*call);
  });
  return problem;
}

}  // namespace opledger::cuda

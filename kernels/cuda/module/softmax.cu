// Softmax and its logarithm over rows: one read, one write where a row fits into registers.
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "kernels/cuda/module/launchers.h"
#include "kernels/cuda/module/row.h"

namespace opledger::cuda {
namespace {

constexpr float kMinPower = -150;  // e^ that and less is 0

// The sum of e^(number - most); NaN where a number is NaN, or `most` infinite, as on the CPU.
__device__ __forceinline__ float Checked(float sum, float max) {
  return max - max == 0 ? sum : arithmetic::kNan;
}

template <typename T, typename Own, bool kLogarithm>
__global__ void SoftmaxRows(const SoftmaxCall call) {
  OPLEDGER_SHARED_NUMBERS(numbers);
  for (std::int64_t at = Own::First(); at < call.rows; at += Own::Step()) {
    Own row;
    row.Read(static_cast<const T*>(call.in) + at * call.size, call.size, numbers);
    const float max = row.Max();
    const auto power = [&](float x) {
      return arithmetic::ExpNotAbove0(Greater(x - max, kMinPower));
    };
    T* out = static_cast<T*>(call.out) + at * call.size;
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
}

template <typename T, bool kLogarithm>
__global__ void SoftmaxLongRows(const SoftmaxCall call) {
  for (std::int64_t at = blockIdx.x; at < call.rows; at += gridDim.x) {
    const LongRow<T> row{static_cast<const T*>(call.in) + at * call.size, call.size};
    const float max = row.Max();
    const auto power = [&](float x) {
      return arithmetic::ExpNotAbove0(Greater(x - max, kMinPower));
    };
    const float sum = Checked(row.Sum(power), max);
    T* out = static_cast<T*>(call.out) + at * call.size;
    if constexpr (kLogarithm) {
      const float log = arithmetic::Log(sum);
      row.Write(out, [&](float x, std::int64_t) { return x - max - log; });
    } else {
      row.Write(out, [&](float x, std::int64_t) { return power(x) / sum; });
    }
  }
}

template <typename T, bool kLogarithm>
struct SoftmaxLaunches {
  using Staged = std::conditional_t<kLogarithm, T, float>;  // powers are staged, too
  static constexpr bool kManyRegisters = true;
  const SoftmaxCall& call;

  template <typename Own>
  const char* In(unsigned blocks, unsigned threads, unsigned shared) const {
    return Launch(&SoftmaxRows<T, Own, kLogarithm>, blocks, threads, shared, call);
  }
  const char* Long() const {
    return Launch(&SoftmaxLongRows<T, kLogarithm>, Blocks(call.rows, 1), kThreads, 0, call);
  }
};

}  // namespace

const char* LaunchSoftmax(const SoftmaxCall* call) {
  const char* problem = "rows are of a type that is none of the three";
  if (call->rows == 0 || call->size == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = call->logarithm != 0
                  ? LaunchRows(call->rows, call->size, SoftmaxLaunches<T, true>{*call})
                  : LaunchRows(call->rows, call->size, SoftmaxLaunches<T, false>{*call});
  });
  return problem;
}

}  // namespace opledger::cuda

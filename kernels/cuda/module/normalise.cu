// Normalisation over rows: one read, one write where a row fits into registers.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/launchers.h"
#include "kernels/cuda/module/row.h"

namespace opledger::cuda {
namespace {

struct Moments {
  float mean;
  float inverse;
};

template <typename Row>
__device__ __forceinline__ Moments MomentsOf(const NormaliseCall& call, const Row& row) {
  const auto count = static_cast<float>(call.size);
  const float mean = call.subtract_mean != 0 ? row.Sum([](float x) { return x; }) / count : 0.0F;
  const float variance = row.Sum([&](float x) { return (x - mean) * (x - mean); }) / count;
  const auto epsilon = static_cast<float>(call.epsilon);
  if (call.epsilon_in_sqrt != 0) return {mean, 1.0F / arithmetic::Sqrt(variance + epsilon)};
  return {mean, 1.0F / (arithmetic::Sqrt(variance) + epsilon)};
}

template <typename Weight>
__device__ __forceinline__ float Normalised(const NormaliseCall& call, const Moments& moments,
                                            float x, std::int64_t i) {
  float value = (x - moments.mean) * moments.inverse;
  if (call.scale != nullptr) value *= Number(static_cast<const Weight*>(call.scale)[i]);
  if (call.shift != nullptr) value += Number(static_cast<const Weight*>(call.shift)[i]);
  return value;
}

__device__ __forceinline__ void PutMoments(const NormaliseCall& call, const Moments& moments,
                                           std::int64_t row) {
  if (call.means != nullptr) call.means[row] = moments.mean;
  if (call.inverses != nullptr) call.inverses[row] = moments.inverse;
}

template <typename T, typename Weight>
struct NormaliseFunction {
  using Call = NormaliseCall;
  using Element = T;
  using Staged = T;
  static constexpr bool kManyRegisters = false;

  template <typename Own>
  static __device__ void Apply(const Call& call, Own& row, T* out, std::int64_t index) {
    const Moments moments = MomentsOf(call, row);
    row.Write(out, [&](float x, int i) { return Normalised<Weight>(call, moments, x, i); });
    if (Own::Lane() == 0) PutMoments(call, moments, index);
  }
  static __device__ void ApplyLong(const Call& call, const LongRow<T>& row, T* out,
                                   std::int64_t index) {
    const Moments moments = MomentsOf(call, row);
    row.Write(out,
              [&](float x, std::int64_t i) { return Normalised<Weight>(call, moments, x, i); });
    if (threadIdx.x == 0) PutMoments(call, moments, index);
  }
};

}  // namespace

const char* LaunchNormalise(const NormaliseCall* call) {
  const char* problem = "rows are of a type that is none of the three";
  if (call->rows == 0 || call->size == 0) return nullptr;
  const bool weighs = call->scale != nullptr || call->shift != nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    if (!weighs || call->weight_type == call->type) {
      problem = LaunchRows<NormaliseFunction<T, T>>(*call);
    } else if (call->weight_type == kF32) {
      problem = LaunchRows<NormaliseFunction<T, float>>(*call);
    } else {
      problem = "a normalisation's scale and shift are of another 16-bit type";
    }
  });
  return problem;
}

}  // namespace opledger::cuda

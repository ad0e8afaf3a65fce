// Normalization over rows: one read and one write if a row fits into registers.
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

// The weights of a row; each applies to `inner` elements.
template <typename Weight>
struct RowWeights {
  const Weight* scale;
  const Weight* shift;
  std::int64_t inner;

  __device__ __forceinline__ RowWeights(const NormaliseCall& call, std::int64_t row)
      : scale(static_cast<const Weight*>(call.scale)),
        shift(static_cast<const Weight*>(call.shift)),
        inner(call.weight_inner) {
    const std::int64_t first = row * (call.size / inner) % call.weight_period;
    if (scale != nullptr) scale += first;
    if (shift != nullptr) shift += first;
  }
  template <typename Index>
  __device__ __forceinline__ float Applied(const Moments& moments, float x, Index i) const {
    if (inner != 1) i /= static_cast<Index>(inner);
    float value = (x - moments.mean) * moments.inverse;
    if (scale != nullptr) value *= Number(scale[i]);
    if (shift != nullptr) value += Number(shift[i]);
    return value;
  }
};

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
    const RowWeights<Weight> weights(call, index);
    row.Write(out, [&](float x, int i) { return weights.Applied(moments, x, i); });
    if (Own::Lane() == 0) PutMoments(call, moments, index);
  }
  static __device__ void ApplyLong(const Call& call, const LongRow<T>& row, T* out,
                                   std::int64_t index) {
    const Moments moments = MomentsOf(call, row);
    const RowWeights<Weight> weights(call, index);
    row.Write(out, [&](float x, std::int64_t i) { return weights.Applied(moments, x, i); });
    if (threadIdx.x == 0) PutMoments(call, moments, index);
  }
};

}  // namespace

const char* LaunchNormalise(const NormaliseCall* call) {
  const char* problem = "rows are not float32, float16 or bfloat16";
  if (call->rows == 0 || call->size == 0) return nullptr;
  const bool weighs = call->scale != nullptr || call->shift != nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    if (!weighs || call->weight_type == call->type) {
      problem = LaunchRows<NormaliseFunction<T, T>>(*call);
    } else if (call->weight_type == kF32) {
      problem = LaunchRows<NormaliseFunction<T, float>>(*call);
    } else {
      problem = "scale and shift have another 16-bit type than the rows";
    }
  });
  return problem;
}

}  // namespace opledger::cuda

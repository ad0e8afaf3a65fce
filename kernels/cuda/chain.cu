// Chains of element-wise steps: every operand is read once, the result written once, whatever is
// between. Eight numbers a thread, so that choosing a step costs an eighth for each.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain_codes.h"
#include "kernels/cuda/device_code.h"
#include "kernels/cuda/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kEach = 8;
struct alignas(16) Eight {
  float number[kEach];
};
struct alignas(16) EightHalves {
  std::uint16_t bits[kEach];
};
struct Four {
  float x, y, z, w;
};

// What formulas name, and what they become: functions of their own, not inlined, since a copy of
// all in every place would take the compiler minutes.
namespace formula {
using namespace arithmetic;  // NOLINT(google-build-using-namespace): they are to be readable
using T = float;
static __device__ __forceinline__ float RoundEven(float x) { return RoundHalfEven(x); }
static __device__ __forceinline__ float Gelu(float x) { return GeluErf(x); }

#define OPLEDGER_DEVICE_FUNCTION(NAME, ALPHA, BETA, VALUE)                                       \
  static __device__ __forceinline__ float NAME##Of(float x, [[maybe_unused]] float a,            \
                                                   [[maybe_unused]] float b) {                   \
    return VALUE;                                                                                \
  }                                                                                              \
  static __device__ __attribute__((noinline)) Four NAME##OfFour(Four v, float a, float b) {      \
    return {NAME##Of(v.x, a, b), NAME##Of(v.y, a, b), NAME##Of(v.z, a, b), NAME##Of(v.w, a, b)}; \
  }
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_DEVICE_FUNCTION)
#undef OPLEDGER_DEVICE_FUNCTION

#define OPLEDGER_DEVICE_PAIR(NAME, VALUE)                                               \
  static __device__ __forceinline__ float NAME##Of([[maybe_unused]] float acc, float x, \
                                                   [[maybe_unused]] float saved) {      \
    return VALUE;                                                                       \
  }
OPLEDGER_PAIR_FORMULAS(OPLEDGER_DEVICE_PAIR)
#undef OPLEDGER_DEVICE_PAIR
static __device__ __attribute__((noinline)) float PowOf(float x, float y) {
  return arithmetic::Pow(x, y);
}
}  // namespace formula

template <typename Function>
__device__ __forceinline__ void Each(Eight& acc, const Function& function) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) acc.number[i] = function(acc.number[i], i);
}

__device__ __forceinline__ void ApplyFour(Eight& acc, Four (*function)(Four, float, float),
                                          const ChainStep& step) {
#pragma unroll
  for (int i = 0; i < kEach; i += 4) {
    const Four result =
        function({acc.number[i], acc.number[i + 1], acc.number[i + 2], acc.number[i + 3]},
                 step.alpha, step.beta);
    acc.number[i] = result.x;
    acc.number[i + 1] = result.y;
    acc.number[i + 2] = result.z;
    acc.number[i + 3] = result.w;
  }
}

// A NaN stays one.
__device__ __forceinline__ float ClipOf(float x, float least, float most) {
  const float raised = x < least ? least : x;
  return most < raised ? most : raised;
}

// One step on all eight; `saved` is what kSave put aside.
__device__ __forceinline__ void Apply(const ChainStep& step, const Eight& other, Eight& saved,
                                      Eight& acc) {
  switch (step.code) {
    case kSave:
      saved = acc;
      break;
    case kAddNumber:
      Each(acc, [&](float x, int) { return x + step.alpha; });
      break;
    case kMulNumber:
      Each(acc, [&](float x, int) { return x * step.alpha; });
      break;
    case kClip:
      Each(acc, [&](float x, int) { return ClipOf(x, step.alpha, step.beta); });
      break;
#define OPLEDGER_CASE(NAME, VALUE)                                                                \
  case k##NAME:                                                                                   \
    Each(acc,                                                                                     \
         [&](float x, int i) { return formula::NAME##Of(x, other.number[i], saved.number[i]); }); \
    break;
      OPLEDGER_PAIR_FORMULAS(OPLEDGER_CASE)
#undef OPLEDGER_CASE
    case kPow:
      Each(acc, [&](float x, int i) { return formula::PowOf(x, other.number[i]); });
      break;
#define OPLEDGER_CASE(NAME, ...)                 \
  case kUnary##NAME:                             \
    ApplyFour(acc, formula::NAME##OfFour, step); \
    break;
      OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_CASE)
#undef OPLEDGER_CASE
    default:
      break;
  }
}

// Eight that stand together, by 16 bytes where they may be.
__device__ __forceinline__ void ReadTogether(std::int32_t type, const void* data, std::int64_t at,
                                             int count, Eight& to) {
  const bool whole = count == kEach && at % kEach == 0 &&
                     reinterpret_cast<std::uintptr_t>(data) % sizeof(float4) == 0;
  if (whole && type == kF32) {
    to = *reinterpret_cast<const Eight*>(static_cast<const float*>(data) + at);
  } else if (whole && (type == kF16 || type == kBf16)) {
    const auto halves =
        *reinterpret_cast<const EightHalves*>(static_cast<const std::uint16_t*>(data) + at);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      to.number[i] = type == kF16 ? FromFloat16(halves.bits[i]) : FromBfloat16(halves.bits[i]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kEach; ++i) to.number[i] = i < count ? NumberAt(type, data, at + i) : 0;
  }
}

__device__ __forceinline__ std::int64_t StridedPlace(const Chain& chain,
                                                     const ChainOperand& operand, std::int64_t at) {
  std::int64_t place = 0;
  for (int d = chain.rank - 1; d >= 0; --d) {
    // Small numbers divide many times faster.
    if (at <= 0x7fffffff) {
      const auto small = static_cast<std::uint32_t>(at);
      const auto size = static_cast<std::uint32_t>(chain.size[d]);
      place += static_cast<std::int64_t>(small % size) * operand.stride[d];
      at = small / size;
    } else {
      place += at % chain.size[d] * operand.stride[d];
      at /= chain.size[d];
    }
  }
  return place;
}

__device__ __forceinline__ void ReadPeriodic(const ChainOperand& operand, std::int64_t at,
                                             int count, Eight& to) {
  const std::int64_t block = at / operand.inner;
  std::int64_t rest = at - block * operand.inner;
  std::int64_t place = block % operand.period;
  if (operand.inner == 1 && operand.period % kEach == 0) {
    return ReadTogether(operand.type, operand.data, place, count, to);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    to.number[i] = i < count ? NumberAt(operand.type, operand.data, place) : 0;
    if (++rest == operand.inner) {
      rest = 0;
      if (++place == operand.period) place = 0;
    }
  }
}

__device__ __forceinline__ void Read(const Chain& chain, std::uint8_t which, std::int64_t at,
                                     int count, Eight& to) {
  const ChainOperand& operand = chain.operand[which];
  if (operand.place == kSamePlace) {
    ReadTogether(operand.type, operand.data, at, count, to);
  } else if (operand.place == kPeriodic) {
    ReadPeriodic(operand, at, count, to);
  } else {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      to.number[i] =
          i < count ? NumberAt(operand.type, operand.data, StridedPlace(chain, operand, at + i))
                    : 0;
    }
  }
}

__device__ __forceinline__ void Write(const Chain& chain, std::int64_t at, int count,
                                      const Eight& from) {
  const bool whole =
      count == kEach && reinterpret_cast<std::uintptr_t>(chain.out) % sizeof(float4) == 0;
  if (chain.out_type == kU8) {
    auto* out = static_cast<std::uint8_t*>(chain.out) + at;
    for (int i = 0; i < kEach; ++i) {
      if (i < count) out[i] = from.number[i] != 0 ? 1 : 0;
    }
  } else if (chain.out_type == kF32) {
    float* out = static_cast<float*>(chain.out) + at;
    if (whole) {
      *reinterpret_cast<Eight*>(out) = from;
      return;
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (i < count) out[i] = from.number[i];
    }
  } else {
    EightHalves halves;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      halves.bits[i] =
          chain.out_type == kF16 ? ToFloat16(from.number[i]) : ToBfloat16(from.number[i]);
    }
    auto* out = static_cast<std::uint16_t*>(chain.out) + at;
    if (whole) {
      *reinterpret_cast<EightHalves*>(out) = halves;
      return;
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (i < count) out[i] = halves.bits[i];
    }
  }
}

__global__ void RunChain(const Chain chain) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * kEach;
  std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kEach;
  for (; at < chain.count; at += stride) {
    const int count = chain.count - at < kEach ? static_cast<int>(chain.count - at) : kEach;
    Eight acc;
    Eight saved = {};
    Eight other = {};
    Read(chain, 0, at, count, acc);
    for (int i = 0; i < chain.steps; ++i) {
      const ChainStep& step = chain.step[i];
      if (ReadsOperand(step.code)) {
        if (step.operand == kSaved) {
          other = saved;
        } else {
          Read(chain, step.operand, at, count, other);
        }
      }
      Apply(step, other, saved, acc);
    }
    Write(chain, at, count, acc);
  }
}

const char* WrongChain(const Chain& chain) {
  if (chain.steps > kMostSteps || chain.operands > kMostOperands || chain.operands < 1 ||
      chain.rank > kMostDimensions) {
    return "a chain is longer than the module takes";
  }
  for (int i = 0; i < chain.steps; ++i) {
    const ChainStep& step = chain.step[i];
    if (step.code >= kChainCodes) return "a chain has a step that the module does not know";
    if (ReadsOperand(step.code) && step.operand != kSaved && step.operand >= chain.operands) {
      return "a chain's step reads an operand that there is not";
    }
  }
  return nullptr;
}

}  // namespace

const char* LaunchChain(const Chain* call) {
  if (const char* why = WrongChain(*call)) return Refusal(why);
  if (call->count == 0) return nullptr;
  return Launch(&RunChain, Blocks(call->count, kThreads * kEach), kThreads, 0, *call);
}

}  // namespace opledger::cuda

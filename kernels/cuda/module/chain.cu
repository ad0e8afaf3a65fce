// Chains of element-wise steps: each operand is read once and the result is written once. A thread
// computes 32 bytes of the result, so that the cost of dispatching a step is shared by several
// elements.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/chain_codes.h"
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

template <int kEach>
struct Numbers {
  float number[kEach];
};
struct alignas(16) FourFloats {
  float number[4];
};
template <typename H>
struct alignas(16) EightHalves {
  H number[8];
};
struct Four {
  float x, y, z, w;
};

// The names that formulas use, and device functions made of the formulas. These are not inlined,
// since inlining all of them everywhere would take the compiler minutes.
namespace formula {
using namespace arithmetic;  // NOLINT(google-build-using-namespace): they are to be readable
using T = float;
static __device__ __forceinline__ float RoundEven(float x) { return RoundHalfEven(x); }
static __device__ __forceinline__ float Gelu(float x) { return GeluErf(x); }

#define OPLEDGER_DEVICE_FUNCTION(NAME, BOUND, COUNT, ALPHA, BETA, VALUE)                         \
  static __device__ __forceinline__ float NAME##Of(float x, [[maybe_unused]] float a,            \
                                                   [[maybe_unused]] float b) {                   \
    return VALUE;                                                                                \
  }                                                                                              \
  static __device__ __attribute__((noinline)) Four NAME##OfFour(Four v, float a, float b) {      \
    return {NAME##Of(v.x, a, b), NAME##Of(v.y, a, b), NAME##Of(v.z, a, b), NAME##Of(v.w, a, b)}; \
  }
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_DEVICE_FUNCTION)
#undef OPLEDGER_DEVICE_FUNCTION

// Comparisons give 1 or 0.
#define OPLEDGER_DEVICE_PAIR(NAME, BOUND, VALUE)                                      \
  static __device__ __forceinline__ float NAME##Of([[maybe_unused]] float a, float b, \
                                                   [[maybe_unused]] float saved) {    \
    return static_cast<float>(VALUE);                                                 \
  }
OPLEDGER_PAIR_FORMULAS(OPLEDGER_DEVICE_PAIR)
#undef OPLEDGER_DEVICE_PAIR
static __device__ __attribute__((noinline)) float PowOf(float x, float y) {
  return arithmetic::Pow(x, y);
}
}  // namespace formula

template <int kEach, typename Function>
__device__ __forceinline__ void Each(Numbers<kEach>& acc, const Function& function) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) acc.number[i] = function(acc.number[i], i);
}

template <int kEach>
__device__ __forceinline__ void ApplyFour(Numbers<kEach>& acc, Four (*function)(Four, float, float),
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

// A NaN stays NaN.
__device__ __forceinline__ float ClipOf(float x, float min, float max) {
  const float raised = x < min ? min : x;
  return max < raised ? max : raised;
}

template <typename H>
__device__ __forceinline__ float Stored(float x) {
  H stored;
  Put(stored, x);
  return Number(stored);
}

// Applies a step without an operand to all elements.
template <int kEach>
__device__ __forceinline__ void ApplyAlone(const ChainStep& step, Numbers<kEach>& acc) {
  if (step.code == kAddNumber) {
    Each(acc, [&](float x, int) { return x + step.alpha; });
    return;
  }
  if (step.code == kMulNumber) {
    Each(acc, [&](float x, int) { return x * step.alpha; });
    return;
  }
  switch (step.code) {
    case kClip:
      Each(acc, [&](float x, int) { return ClipOf(x, step.alpha, step.beta); });
      break;
    case kRoundFloat16:
      Each(acc, [](float x, int) { return Stored<Half>(x); });
      break;
    case kRoundBfloat16:
      Each(acc, [](float x, int) { return Stored<BFloat16>(x); });
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

// Applies a step with an operand; `saved` is the value that kSave saved.
template <int kEach>
__device__ __forceinline__ void ApplyPair(const ChainStep& step, const Numbers<kEach>& other,
                                          const Numbers<kEach>& saved, Numbers<kEach>& acc) {
  switch (step.code) {
#define OPLEDGER_CASE(NAME, BOUND, VALUE)                                                         \
  case k##NAME:                                                                                   \
    Each(acc,                                                                                     \
         [&](float x, int i) { return formula::NAME##Of(x, other.number[i], saved.number[i]); }); \
    break;
    OPLEDGER_PAIR_FORMULAS(OPLEDGER_CASE)
#undef OPLEDGER_CASE
    case kPow:
      Each(acc, [&](float x, int i) { return formula::PowOf(x, other.number[i]); });
      break;
    default:
      break;
  }
}

template <typename H, int kEach>
__device__ __forceinline__ void UpcastTogether(const void* data, std::int64_t at,
                                               Numbers<kEach>& to) {
  const auto* from = reinterpret_cast<const EightHalves<H>*>(static_cast<const H*>(data) + at);
#pragma unroll
  for (int k = 0; k < kEach; k += 8) {
    const EightHalves<H> halves = from[k / 8];
#pragma unroll
    for (int i = 0; i < 8; ++i) to.number[k + i] = Number(halves.number[i]);
  }
}

// Reads contiguous elements, by 16 bytes if possible.
template <int kEach>
__device__ __forceinline__ void ReadTogether(std::int32_t type, const void* data, std::int64_t at,
                                             int count, Numbers<kEach>& to) {
  const bool whole = count == kEach && at % kEach == 0 &&
                     reinterpret_cast<std::uintptr_t>(data) % sizeof(FourFloats) == 0;
  if (whole && type == kF32) {
    const auto* from = reinterpret_cast<const FourFloats*>(static_cast<const float*>(data) + at);
#pragma unroll
    for (int k = 0; k < kEach; k += 4) {
      const FourFloats four = from[k / 4];
#pragma unroll
      for (int i = 0; i < 4; ++i) to.number[k + i] = four.number[i];
    }
  } else if (whole && type == kF16) {
    UpcastTogether<Half>(data, at, to);
  } else if (whole && type == kBf16) {
    UpcastTogether<BFloat16>(data, at, to);
  } else {
#pragma unroll
    for (int i = 0; i < kEach; ++i) to.number[i] = i < count ? NumberAt(type, data, at + i) : 0;
  }
}

__device__ __forceinline__ std::int64_t StridedPlace(const Chain& chain,
                                                     const ChainOperand& operand, std::int64_t at) {
  std::int64_t place = 0;
  for (int d = chain.rank - 1; d >= 0; --d) {
    // Division of 32 bits is many times faster.
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

template <int kEach>
__device__ __forceinline__ void ReadPeriodic(const ChainOperand& operand, std::int64_t at,
                                             int count, Numbers<kEach>& to) {
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

template <int kEach>
__device__ __forceinline__ void Read(const Chain& chain, std::uint8_t which, std::int64_t at,
                                     int count, Numbers<kEach>& to) {
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

template <typename H, int kEach>
__device__ __forceinline__ void WriteHalves(H* out, int count, bool whole,
                                            const Numbers<kEach>& from) {
#pragma unroll
  for (int k = 0; k < kEach; k += 8) {
    EightHalves<H> halves;
#pragma unroll
    for (int i = 0; i < 8; ++i) Put(halves.number[i], from.number[k + i]);
    if (whole) {
      reinterpret_cast<EightHalves<H>*>(out)[k / 8] = halves;
      continue;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (k + i < count) out[k + i] = halves.number[i];
    }
  }
}

template <int kEach>
__device__ __forceinline__ void Write(const Chain& chain, std::int64_t at, int count,
                                      const Numbers<kEach>& from) {
  const bool whole =
      count == kEach && reinterpret_cast<std::uintptr_t>(chain.out) % sizeof(FourFloats) == 0;
  if (chain.out_type == kF16) {
    WriteHalves(static_cast<Half*>(chain.out) + at, count, whole, from);
  } else if (chain.out_type == kBf16) {
    WriteHalves(static_cast<BFloat16*>(chain.out) + at, count, whole, from);
  } else if (chain.out_type == kU8) {
    auto* out = static_cast<std::uint8_t*>(chain.out) + at;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (i < count) out[i] = from.number[i] != 0 ? 1 : 0;
    }
  } else if (whole) {
    auto* out = reinterpret_cast<FourFloats*>(static_cast<float*>(chain.out) + at);
#pragma unroll
    for (int k = 0; k < kEach; k += 4) {
      out[k / 4] = {from.number[k], from.number[k + 1], from.number[k + 2], from.number[k + 3]};
    }
  } else {
    float* out = static_cast<float*>(chain.out) + at;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (i < count) out[i] = from.number[i];
    }
  }
}

// What a chain uses besides steps without operands. Operands and saved values cost registers, and
// moves among them in every step.
enum class Holds : std::uint8_t { kNothing, kOperands, kSavedToo };

template <int kEach, Holds kHolds>
__global__ void RunChain(const Chain chain) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * kEach;
  std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kEach;
  for (; at < chain.count; at += stride) {
    const int count = chain.count - at < kEach ? static_cast<int>(chain.count - at) : kEach;
    Numbers<kEach> acc;
    Numbers<kEach> saved = {};
    Read(chain, 0, at, count, acc);
    for (int i = 0; i < chain.steps; ++i) {
      const ChainStep& step = chain.step[i];
      if (kHolds == Holds::kNothing || !ReadsOperand(step.code)) {
        if (kHolds == Holds::kSavedToo && step.code == kSave) saved = acc;
        ApplyAlone(step, acc);
      } else {
        Numbers<kEach> other;
        if (kHolds == Holds::kSavedToo && step.operand == kSaved) {
          other = saved;
        } else {
          Read(chain, step.operand, at, count, other);
        }
        ApplyPair(step, other, saved, acc);
      }
    }
    Write(chain, at, count, acc);
  }
}

Holds WhatItHolds(const Chain& chain) {
  Holds holds = Holds::kNothing;
  for (int i = 0; i < chain.steps; ++i) {
    if (chain.step[i].code == kSave) return Holds::kSavedToo;
    if (ReadsOperand(chain.step[i].code)) holds = Holds::kOperands;
  }
  return holds;
}

template <int kEach>
const char* LaunchEach(const Chain& chain) {
  const Holds holds = WhatItHolds(chain);
  const auto kernel = holds == Holds::kNothing    ? &RunChain<kEach, Holds::kNothing>
                      : holds == Holds::kOperands ? &RunChain<kEach, Holds::kOperands>
                                                  : &RunChain<kEach, Holds::kSavedToo>;
  return Launch(kernel, Blocks(chain.count, std::int64_t{kThreads} * kEach), kThreads, 0, chain);
}

const char* WrongChain(const Chain& chain) {
  if (chain.steps > kMaxSteps || chain.operands > kMaxOperands || chain.operands < 1 ||
      chain.rank > kMaxDimensions) {
    return "a chain has too many steps";
  }
  for (int i = 0; i < chain.steps; ++i) {
    const ChainStep& step = chain.step[i];
    if (step.code >= kChainCodes) return "a chain has an unknown step";
    if (ReadsOperand(step.code) && step.operand != kSaved && step.operand >= chain.operands) {
      return "a step of a chain reads an operand that does not exist";
    }
  }
  return nullptr;
}

}  // namespace

const char* LaunchChain(const Chain* call) {
  if (const char* why = WrongChain(*call)) return Refusal(why);
  if (call->count == 0) return nullptr;
  const bool halves = call->out_type == kF16 || call->out_type == kBf16;
  return halves ? LaunchEach<16>(*call) : LaunchEach<8>(*call);
}

}  // namespace opledger::cuda

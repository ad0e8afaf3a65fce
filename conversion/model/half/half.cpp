// Uses AVX2 and F16C if the processor has them, otherwise scalar casts with the same results. Does
// not use AVX512_BF16, whose cast flushes subnormals to zero. AVX-512's cast to float16 was
// measured to be slower than F16C's.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/half/half.h"

#include <cstring>

#include "conversion/model/half/half_vectors.h"
#include "conversion/model/half/vector_instructions.h"

namespace opledger {
namespace {

template <std::uint16_t (*Cast)(float)>
void ConvertPortably(const char* in, std::size_t count, char* out) {
  for (std::size_t i = 0; i < count; ++i) {
    float value = 0;
    std::memcpy(&value, in + 4 * i, 4);
    const std::uint16_t half = Cast(value);
    std::memcpy(out + 2 * i, &half, 2);
  }
}

template <float (*Cast)(std::uint16_t)>
void UpcastPortably(const char* in, std::size_t count, char* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, in + 2 * i, 2);
    const float value = Cast(half);
    std::memcpy(out + 4 * i, &value, 4);
  }
}

}  // namespace

void ConvertFloats(const char* in, std::size_t count, Dtype target, char* out) {
  std::size_t done = 0;
  if (WidestVectorInstructions() >= VectorInstructions::kAvx2) {
    done = ConvertByAvx2(in, count, target, out);
  }
  const auto rest =
      target == Dtype::kFloat16 ? ConvertPortably<ToFloat16> : ConvertPortably<ToBfloat16>;
  rest(in + 4 * done, count - done, out + 2 * done);
}

std::size_t ConvertRaised(const char* in, std::size_t count, Dtype target, char* out) {
  ConvertFloats(in, count, target, out);
  std::size_t raised = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::uint16_t half = 0;
    std::memcpy(&bits, in + 4 * i, 4);
    std::memcpy(&half, out + 2 * i, 2);
    if ((half & 0x7fffU) != 0 || (bits & 0x7fffffffU) == 0) continue;
    half |= 1U;
    std::memcpy(out + 2 * i, &half, 2);
    ++raised;
  }
  return raised;
}

void ConvertParameter(const char* in, std::size_t count, Dtype target, bool raises, char* out) {
  if (raises) {
    ConvertRaised(in, count, target, out);
  } else {
    ConvertFloats(in, count, target, out);
  }
}

double SmallestOf(Dtype target) { return target == Dtype::kFloat16 ? 0x1p-24 : 0x1p-133; }

double LargestFlushed(Dtype target) { return SmallestOf(target) / 2; }

void UpcastFloats(const char* in, std::size_t count, Dtype from, char* out) {
  std::size_t done = 0;
  if (WidestVectorInstructions() >= VectorInstructions::kAvx2) {
    done = UpcastByAvx2(in, count, from, out);
  }
  const auto rest =
      from == Dtype::kFloat16 ? UpcastPortably<FromFloat16> : UpcastPortably<FromBfloat16>;
  rest(in + 2 * done, count - done, out + 4 * done);
}

void ExchangeHalves(const char* in, std::size_t count, Dtype from, char* out) {
  std::size_t i = 0;
  if (WidestVectorInstructions() >= VectorInstructions::kAvx2) {
    i = ExchangeByAvx2(in, count, from, out);
  }
  for (; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, in + 2 * i, 2);
    half = from == Dtype::kFloat16 ? ToBfloat16(FromFloat16(half)) : ToFloat16(FromBfloat16(half));
    std::memcpy(out + 2 * i, &half, 2);
  }
}

}  // namespace opledger

// Memory, random data and comparisons for the self-test.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/selftest/selftest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace opledger::cuda::selftest {

std::uint32_t Session::Random() {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return static_cast<std::uint32_t>(random >> 32);
}

float Session::RandomNormal() {
  // The sum of twelve uniform values has deviation 1.
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += Random() * 0x1p-32;
  return static_cast<float>(sum);
}

void Session::Must(const char* problem) const {
  if (problem == nullptr) return;
  std::fprintf(stderr, "opledger-cuda-selftest: the module says: %s\n", problem);
  std::exit(1);
}

Buffer::Buffer(const Session& session, std::size_t bytes) : session_(session) {
  session.Must(session.module->allocate(bytes, &memory_));
}

Buffer::~Buffer() { session_.Must(session_.module->release(memory_)); }

std::size_t SizeOf(ElementType type) { return type == kF32 ? 4 : 2; }

const char* NameOf(ElementType type) {
  if (type == kF16) return "float16";
  return type == kBf16 ? "bfloat16" : "float32";
}

std::vector<std::byte> Stored(ElementType type, const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * SizeOf(type));
  if (type == kF32) {
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint16_t half = type == kF16 ? ToFloat16(numbers[i]) : ToBfloat16(numbers[i]);
    std::memcpy(bytes.data() + 2 * i, &half, sizeof(half));
  }
  return bytes;
}

std::vector<float> Loaded(ElementType type, const std::vector<std::byte>& bytes) {
  std::vector<float> numbers(bytes.size() / SizeOf(type));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(type == kF32 ? static_cast<void*>(&numbers[i]) : &half,
                bytes.data() + i * SizeOf(type), SizeOf(type));
    if (type != kF32) numbers[i] = type == kF16 ? FromFloat16(half) : FromBfloat16(half);
  }
  return numbers;
}

float Rounded(ElementType type, float number) {
  if (type == kF16) return FromFloat16(ToFloat16(number));
  return type == kBf16 ? FromBfloat16(ToBfloat16(number)) : number;
}

double HalfUnit(ElementType type, double value) {
  const int bits = type == kF32 ? 24 : type == kF16 ? 11 : 8;
  const int min = type == kF16 ? -24 : -149;  // of the smallest subnormal
  const int exponent = value == 0 ? min : std::ilogb(value) + 1 - bits;
  return std::ldexp(0.5, std::max(exponent, min));
}

bool Same(float a, float b) {
  const auto bits = [](float x) { return __builtin_bit_cast(std::uint32_t, x); };
  return bits(a) == bits(b) || (a != a && b != b);
}

void InParts(std::size_t count, const std::function<void(std::size_t, std::size_t)>& part) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back(part, count * i / threads, count * (i + 1) / threads);
  }
  for (std::thread& thread : running) thread.join();
}

void CompareBits(Session& session, const std::string& name, const std::vector<float>& given,
                 const std::vector<float>& expected) {
  Check check{name, expected.size(), ""};
  std::uint64_t wrong = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size() && i < given.size(); ++i) {
    if (Same(given[i], expected[i])) continue;
    if (wrong++ != 0) continue;
    char text[160];
    std::snprintf(text, sizeof(text), "element %zu is %.9g (%a), not %.9g (%a)", i,
                  static_cast<double>(given[i]), static_cast<double>(given[i]),
                  static_cast<double>(expected[i]), static_cast<double>(expected[i]));
    check.problem = text;
  }
  if (wrong != 0) check.problem += "; " + std::to_string(wrong) + " differ";
  session.checks.push_back(check);
}

}  // namespace opledger::cuda::selftest

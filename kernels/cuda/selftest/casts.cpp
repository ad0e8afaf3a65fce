// Checks casts bit by bit: all 2^32 float32 and all 16-bit values, including payloads of NaN.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

void Cast(Session& session, ElementType from, const Buffer& in, ElementType to, const Buffer& out,
          std::size_t count) {
  const CastCall call{from, to, in.data(), out.data(), static_cast<std::int64_t>(count)};
  session.Must(session.module->cast(&call));
}

std::uint16_t Narrowed(ElementType to, float number) {
  return to == kF16 ? ToFloat16(number) : ToBfloat16(number);
}

// Returns the index of the first of `count` float32 with bits first, first + 1, ... that is not
// rounded as on the host.
std::size_t FirstWrong(ElementType to, std::uint64_t first,
                       const std::vector<std::uint16_t>& given) {
  std::atomic<std::size_t> wrong = given.size();
  InParts(given.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto bits = static_cast<std::uint32_t>(first + i);
      if (given[i] == Narrowed(to, __builtin_bit_cast(float, bits))) continue;
      if (i < wrong) wrong = i;
      return;
    }
  });
  return wrong;
}

void CheckNarrowing(Session& session, ElementType to) {
  const std::uint64_t all = std::uint64_t{1} << 32;
  const std::uint64_t piece = session.quick ? 1 << 12 : 1 << 26;
  const std::uint64_t step = session.quick ? all / 16 : piece;
  Check check{std::string("cast float32 to ") + NameOf(to), 0, ""};
  std::vector<std::uint32_t> bits(piece);
  const Buffer out(session, piece * 2);
  for (std::uint64_t first = 0; first < all && check.problem.empty(); first += step) {
    InParts(piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) bits[i] = static_cast<std::uint32_t>(first + i);
    });
    const Buffer in(session, bits);
    Cast(session, kF32, in, to, out, piece);
    const auto given = out.Read<std::uint16_t>(piece);
    const std::size_t wrong = FirstWrong(to, first, given);
    if (wrong < piece) {
      check.problem = "bits " + std::to_string(bits[wrong]) + " give " +
                      std::to_string(given[wrong]) + ", not " +
                      std::to_string(Narrowed(to, __builtin_bit_cast(float, bits[wrong])));
    }
    check.numbers += piece;
  }
  session.checks.push_back(check);
}

void CheckHalves(Session& session, ElementType from, ElementType to) {
  constexpr std::size_t kAll = 65536;
  std::vector<std::uint16_t> halves(kAll);
  for (std::size_t i = 0; i < kAll; ++i) halves[i] = static_cast<std::uint16_t>(i);
  const Buffer in(session, halves);
  const Buffer out(session, kAll * SizeOf(to));
  Cast(session, from, in, to, out, kAll);
  const auto given = out.Read<std::byte>(kAll * SizeOf(to));
  std::vector<float> wide(kAll);
  for (std::size_t i = 0; i < kAll; ++i) {
    wide[i] = from == kF16 ? FromFloat16(halves[i]) : FromBfloat16(halves[i]);
  }
  const auto expected = Stored(to, wide);
  Check check{std::string("cast ") + NameOf(from) + " to " + NameOf(to), kAll, ""};
  for (std::size_t i = 0; i < kAll && check.problem.empty(); ++i) {
    const std::size_t at = i * SizeOf(to);
    if (std::memcmp(given.data() + at, expected.data() + at, SizeOf(to)) == 0) continue;
    check.problem = "bits " + std::to_string(i) + " give a different result";
  }
  session.checks.push_back(check);
}

// Casts a count that is not a multiple of a thread's elements: all must be written, and nothing
// beyond them.
void CheckEnds(Session& session, ElementType from, ElementType to) {
  constexpr std::uint8_t kUntouched = 0xa5;
  constexpr std::size_t kRoom = 32;  // bytes after the result
  std::vector<float> numbers(1003);
  for (float& number : numbers) number = session.RandomNormal();
  const auto stored = Stored(from, numbers);
  const Buffer in(session, stored);
  auto expected = Stored(to, Loaded(from, stored));
  const std::size_t bytes = expected.size();
  expected.resize(bytes + kRoom, std::byte{kUntouched});
  const Buffer out(session, std::vector<std::byte>(bytes + kRoom, std::byte{kUntouched}));
  Cast(session, from, in, to, out, numbers.size());
  Check check{std::string("ends of a cast ") + NameOf(from) + " to " + NameOf(to), 1003, ""};
  if (out.Read<std::byte>(bytes + kRoom) != expected)
    check.problem = "bytes in or after the result differ";
  session.checks.push_back(check);
}

}  // namespace

void CheckCasts(Session& session) {
  CheckNarrowing(session, kF16);
  CheckNarrowing(session, kBf16);
  CheckHalves(session, kF16, kF32);
  CheckHalves(session, kBf16, kF32);
  CheckHalves(session, kF16, kBf16);
  CheckHalves(session, kBf16, kF16);
  for (const ElementType from : kTypes) {
    for (const ElementType to : kTypes) CheckEnds(session, from, to);
  }
}

}  // namespace opledger::cuda::selftest

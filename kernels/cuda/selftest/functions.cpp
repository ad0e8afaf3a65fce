// Checks every step of chains, and chains of several steps, against the same formulas on the CPU.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>

#include "kernels/cuda/module/chain_codes.h"
#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

namespace formula {
using namespace arithmetic;  // NOLINT(google-build-using-namespace): as the kernel has them
using T = float;
inline float RoundEven(float x) { return RoundHalfEven(x); }
inline float Gelu(float x) { return GeluErf(x); }

#define OPLEDGER_HOST_FUNCTION(NAME, BOUND, COUNT, ALPHA, BETA, VALUE) \
  float NAME##Of(float x, [[maybe_unused]] float a, [[maybe_unused]] float b) { return VALUE; }
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_HOST_FUNCTION)
#undef OPLEDGER_HOST_FUNCTION
#define OPLEDGER_HOST_PAIR(NAME, BOUND, VALUE)                                      \
  float NAME##Of([[maybe_unused]] float a, float b, [[maybe_unused]] float saved) { \
    return static_cast<float>(VALUE);                                               \
  }
OPLEDGER_PAIR_FORMULAS(OPLEDGER_HOST_PAIR)
#undef OPLEDGER_HOST_PAIR
float PowOf(float acc, float x, float) { return Pow(acc, x); }
}  // namespace formula

// Random bits, which cover all magnitudes; ordinary values; and special values.
std::vector<float> Samples(Session& session, std::size_t count) {
  std::vector<float> numbers = {0.0F,     -0.0F,     1.0F,      -1.0F,      INFINITY, -INFINITY,
                                NAN,      0x1p-149F, 0x1p-126F, -0x1p-140F, 88.7F,    -103.9F,
                                65504.0F, 65520.0F,  0.5F,      1e30F,      -1e-30F,  3.0e38F};
  while (numbers.size() < count) {
    numbers.push_back(__builtin_bit_cast(float, session.Random()));
    numbers.push_back(session.RandomNormal() * 8);
  }
  return numbers;
}

struct Operand {
  const std::vector<float>* numbers;
  OperandPlace place = kSamePlace;
  std::int64_t inner = 1;
  std::int64_t period = 1;
};

std::vector<float> RunChain(Session& session, ElementType type, std::int64_t count,
                            const std::vector<Operand>& operands,
                            const std::vector<ChainStep>& steps) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  Chain chain = {};
  chain.count = count;
  chain.out_type = type;
  chain.operands = static_cast<std::int32_t>(operands.size());
  chain.steps = static_cast<std::int32_t>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) chain.step[i] = steps[i];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    buffers.push_back(std::make_unique<Buffer>(session, Stored(type, *operands[i].numbers)));
    chain.operand[i].data = buffers.back()->data();
    chain.operand[i].type = type;
    chain.operand[i].place = operands[i].place;
    chain.operand[i].inner = operands[i].inner;
    chain.operand[i].period = operands[i].period;
  }
  const std::size_t bytes = static_cast<std::size_t>(count) * SizeOf(type);
  const Buffer out(session, bytes);
  chain.out = out.data();
  session.Must(session.module->chain(&chain));
  return Loaded(type, out.Read<std::byte>(bytes));
}

void CheckUnary(Session& session, ElementType type, const std::vector<float>& numbers,
                const char* name, ChainCode code, float alpha, float beta,
                float (*function)(float, float, float)) {
  std::vector<float> expected;
  for (const float number : numbers) {
    expected.push_back(Rounded(type, function(Rounded(type, number), alpha, beta)));
  }
  CompareBits(session, std::string(name) + " " + NameOf(type),
              RunChain(session, type, static_cast<std::int64_t>(numbers.size()), {{&numbers}},
                       {{code, 0, alpha, beta}}),
              expected);
}

// Checks all 2^32 float32, in pieces.
void CheckEveryNumber(Session& session, const char* name, ChainCode code, float alpha, float beta,
                      float (*function)(float, float, float)) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 26;
  Check check{std::string(name) + " of every float32", 0, ""};
  std::vector<float> numbers(kPiece);
  for (std::uint64_t first = 0; first >> 32 == 0 && check.problem.empty(); first += kPiece) {
    InParts(kPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        numbers[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first + i));
      }
    });
    const auto given = RunChain(session, kF32, kPiece, {{&numbers}}, {{code, 0, alpha, beta}});
    std::atomic<std::size_t> wrong = kPiece;
    InParts(kPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (Same(given[i], function(numbers[i], alpha, beta))) continue;
        wrong = i;
        return;
      }
    });
    check.numbers += kPiece;
    if (wrong == kPiece) continue;
    char text[120];
    const float x = numbers[wrong];
    std::snprintf(text, sizeof(text), "at %a it is %a, not %a", static_cast<double>(x),
                  static_cast<double>(given[wrong]), static_cast<double>(function(x, alpha, beta)));
    check.problem = text;
  }
  session.checks.push_back(check);
}

void CheckPair(Session& session, ElementType type, const char* name, ChainCode code,
               float (*function)(float, float, float)) {
  const std::size_t count = session.quick ? 1003 : 200003;
  const auto a = Samples(session, count);
  const auto own = static_cast<std::int64_t>(a.size());
  // Operands: as large as the first; periodic; periodic with one value for each block.
  for (const auto& [inner, period] :
       {std::pair<std::int64_t, std::int64_t>{0, 0}, {1, 24}, {7, 5}}) {
    const bool same = inner == 0;
    const auto b = Samples(session, same ? a.size() : static_cast<std::size_t>(period));
    std::vector<float> expected;
    for (std::int64_t i = 0; i < own; ++i) {
      const std::int64_t at = same ? i : i / inner % period;
      expected.push_back(
          Rounded(type, function(Rounded(type, a[static_cast<std::size_t>(i)]),
                                 Rounded(type, b[static_cast<std::size_t>(at)]), 0)));
    }
    const Operand second{&b, same ? kSamePlace : kPeriodic, same ? 1 : inner, same ? 1 : period};
    CompareBits(session, std::string(name) + " " + NameOf(type) + (same ? "" : " broadcast"),
                RunChain(session, type, own, {{&a}, second}, {{code, 1, 0, 0}}), expected);
  }
}

// activation(x * scale + bias + addend), the epilogue of contractions.
void CheckFused(Session& session, ElementType type) {
  const auto x = Samples(session, session.quick ? 999 : 99999);
  const auto addend = Samples(session, x.size());
  const auto scale = Samples(session, 40);
  const auto bias = Samples(session, 40);
  std::vector<float> expected;
  for (std::size_t i = 0; i < x.size(); ++i) {
    float value = Rounded(type, x[i]) * Rounded(type, scale[i % 40]);
    value += Rounded(type, bias[i % 40]);
    value += Rounded(type, addend[i]);
    expected.push_back(Rounded(type, formula::GeluOf(value, 0, 0)));
  }
  CompareBits(session, std::string("scale, bias, addend, Gelu ") + NameOf(type),
              RunChain(session, type, static_cast<std::int64_t>(x.size()),
                       {{&x}, {&scale, kPeriodic, 1, 40}, {&bias, kPeriodic, 1, 40}, {&addend}},
                       {{kMul, 1, 0, 0}, {kAdd, 2, 0, 0}, {kAdd, 3, 0, 0}, {kUnaryGelu, 0, 0, 0}}),
              expected);
}

}  // namespace

void CheckFunctions(Session& session) {
  for (const ElementType type : kTypes) {
    const auto numbers = Samples(session, session.quick ? 2000 : type == kF32 ? 4000000 : 400000);
#define OPLEDGER_CHECK(NAME, BOUND, COUNT, ALPHA, BETA, VALUE)                       \
  CheckUnary(session, type, numbers, #NAME, kUnary##NAME, static_cast<float>(ALPHA), \
             static_cast<float>(BETA), &formula::NAME##Of);
    OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_CHECK)
#undef OPLEDGER_CHECK
#define OPLEDGER_CHECK(NAME, BOUND, COUNT, ALPHA, BETA, VALUE)              \
  CheckEveryNumber(session, #NAME, kUnary##NAME, static_cast<float>(ALPHA), \
                   static_cast<float>(BETA), &formula::NAME##Of);
    if (session.exhaustive && type == kF32) {
      OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_CHECK)
    }
#undef OPLEDGER_CHECK
#define OPLEDGER_CHECK(NAME, ...) CheckPair(session, type, #NAME, k##NAME, &formula::NAME##Of);
    OPLEDGER_PAIR_FORMULAS(OPLEDGER_CHECK)
    OPLEDGER_CHECK(Pow, )
#undef OPLEDGER_CHECK
    CheckFused(session, type);
  }
}

}  // namespace opledger::cuda::selftest

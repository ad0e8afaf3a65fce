// Work on many tensors at once: all finite, unscale, axpby, the sum of squares.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "kernels/cuda/selftest/session.h"

namespace opledger::cuda::selftest {
namespace {

constexpr int kTensors = 300;

// Three hundred tensors of uneven sizes, some of them empty.
struct TensorSet {
  std::vector<std::vector<float>> numbers;
  std::vector<std::unique_ptr<Buffer>> in;
  std::vector<std::unique_ptr<Buffer>> out;
  std::vector<TensorSpan> spans;
};

TensorSet MakeSet(Session& session, ElementType type, ElementType out_type, float bad) {
  TensorSet set;
  const int bad_tensor = static_cast<int>(session.Random() % kTensors);
  for (int i = 0; i < kTensors; ++i) {
    const std::size_t count =
        i == bad_tensor ? 77 : session.Random() % (session.quick ? 300 : 40000);
    std::vector<float> own(count);
    for (float& number : own) number = Rounded(type, session.RandomNormal());
    if (i == bad_tensor && bad != 0) own[session.Random() % count] = bad;
    set.in.push_back(std::make_unique<Buffer>(session, Stored(type, own)));
    set.out.push_back(std::make_unique<Buffer>(session, count * SizeOf(out_type)));
    set.spans.push_back({set.in.back()->data(), set.in.back()->data(), set.out.back()->data(),
                         static_cast<std::int64_t>(count)});
    set.numbers.push_back(std::move(own));
  }
  return set;
}

void CheckWork(Session& session, ElementType type, ElementType out_type, TensorsWork work,
               float bad) {
  const TensorSet set = MakeSet(session, type, out_type, bad);
  const Buffer flag(session, sizeof(std::int32_t));
  const Buffer sum(session, sizeof(float));
  constexpr float kAlpha = 0.37F;
  constexpr float kBeta = -1.5F;
  const TensorsCall call{work,
                         type,
                         out_type,
                         set.spans.data(),
                         kTensors,
                         kAlpha,
                         kBeta,
                         static_cast<std::int32_t*>(flag.data()),
                         static_cast<float*>(sum.data())};
  session.Must(session.module->tensors(&call));
  const std::string name = std::string(work == kAllFinite ? "all finite "
                                       : work == kScale   ? "scale "
                                       : work == kAxpby   ? "axpby "
                                                          : "sum of squares ") +
                           NameOf(type) + " to " + NameOf(out_type);
  if (work == kSumSquares) {
    double expected = 0;
    for (const auto& own : set.numbers) {
      for (const float number : own) expected += double{number} * double{number};
    }
    const double given = sum.Read<float>(1)[0];
    Check check{name, kTensors, ""};
    if (!(std::fabs(given - expected) <= 1e-4 * expected)) check.problem = "it is wrong";
    session.checks.push_back(check);
    return;
  }
  Check check{name + (bad != 0 ? ", flag of one that is not" : ", flag"), kTensors, ""};
  if (flag.Read<std::int32_t>(1)[0] != (bad != 0 ? 0 : 1)) check.problem = "it is wrong";
  session.checks.push_back(check);
  if (work == kAllFinite) return;
  std::vector<float> given;
  std::vector<float> expected;
  for (int i = 0; i < kTensors; ++i) {
    const auto& own = set.numbers[static_cast<std::size_t>(i)];
    for (const float number : own) {
      float result = number * kAlpha;
      if (work == kAxpby) result += kBeta * number;
      expected.push_back(Rounded(out_type, result));
    }
    const auto read = Loaded(out_type, set.out[static_cast<std::size_t>(i)]->Read<std::byte>(
                                           own.size() * SizeOf(out_type)));
    given.insert(given.end(), read.begin(), read.end());
  }
  CompareBits(session, name, given, expected);
}

}  // namespace

void CheckTensors(Session& session) {
  for (const ElementType type : kTypes) {
    CheckWork(session, type, type, kAllFinite, 0);
    CheckWork(session, type, type, kAllFinite, INFINITY);
    CheckWork(session, type, type, kAllFinite, NAN);
    CheckWork(session, type, kF32, kScale, 0);
    CheckWork(session, type, type, kScale, NAN);
    CheckWork(session, kF32, type, kScale, 0);
    CheckWork(session, type, type, kAxpby, 0);
    CheckWork(session, type, type, kSumSquares, 0);
  }
}

}  // namespace opledger::cuda::selftest

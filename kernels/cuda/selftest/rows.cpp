// Checks reductions, softmax and normalization against the CPU's sums by the same tree.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

std::vector<float> Normal(Session& session, ElementType type, std::int64_t count) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(Rounded(type, session.RandomNormal()));
  }
  return numbers;
}

float Reduced(std::int32_t work, const std::vector<float>& numbers, std::int64_t from,
              std::int64_t step, std::int64_t count) {
  const auto value = [&](std::size_t i) {
    const float x = numbers[static_cast<std::size_t>(from + static_cast<std::int64_t>(i) * step)];
    if (work == kReduceL1) return arithmetic::Abs(x);
    return work == kReduceSumSquare || work == kReduceL2 ? x * x : x;
  };
  const auto reduce = [&](float a, float b) {
    if (work == kReduceMax) return arithmetic::Maximum(a, b);
    if (work == kReduceMin) return arithmetic::Minimum(a, b);
    return work == kReduceProd ? a * b : a + b;
  };
  const float all = ReduceByTree(static_cast<std::size_t>(count), 0.0F, value, reduce);
  if (work == kReduceMean) return all / static_cast<float>(count);
  return work == kReduceL2 ? arithmetic::Sqrt(all) : all;
}

// Reduces `count` elements that are `inner` apart, in `outer` times `inner` groups.
void CheckReduction(Session& session, ElementType type, std::int32_t work, std::int64_t outer,
                    std::int64_t count, std::int64_t inner) {
  const auto numbers = Normal(session, type, outer * count * inner);
  const Buffer in(session, Stored(type, numbers));
  const auto results = static_cast<std::size_t>(outer * inner);
  const Buffer out(session, results * SizeOf(type));
  ReduceCall call = {};
  call.work = work;
  call.type = type;
  call.in = in.data();
  call.out = out.data();
  call.groups = {2, {outer, inner}, {count * inner, 1}};
  call.members = {1, {count}, {inner}};
  session.Must(session.module->reduce(&call));
  std::vector<float> expected;
  for (std::int64_t i = 0; i < outer * inner; ++i) {
    const std::int64_t from = i / inner * count * inner + i % inner;
    expected.push_back(Rounded(type, Reduced(work, numbers, from, inner, count)));
  }
  CompareBits(session,
              "reduction " + std::to_string(work) + " of " + std::to_string(count) + " by " +
                  std::to_string(inner) + " " + NameOf(type),
              Loaded(type, out.Read<std::byte>(results * SizeOf(type))), expected);
}

// Cycles through ordinary rows, wide ones with mostly tiny powers, masked ones, and ones with a NaN
// or an infinity.
std::vector<float> RowsOfAllKinds(Session& session, ElementType type, std::int64_t rows,
                                  std::int64_t size) {
  auto numbers = Normal(session, type, rows * size);
  for (std::int64_t row = 0; row < rows; ++row) {
    float* own = numbers.data() + row * size;
    for (std::int64_t i = 0; i < size; ++i) {
      if (row % 6 == 1) own[i] = Rounded(type, own[i] * 30);
      if (row % 6 == 2 && session.Random() % 3 == 0) own[i] = -arithmetic::kInfinity;
    }
    float& one = own[session.Random() % size];
    if (row % 6 == 3) one = arithmetic::kNan;
    if (row % 6 == 4) one = arithmetic::kInfinity;
    if (row % 6 == 5) one = Rounded(type, -10000);
  }
  return numbers;
}

void CheckSoftmax(Session& session, ElementType type, std::int64_t rows, std::int64_t size,
                  bool logarithm) {
  const auto numbers = RowsOfAllKinds(session, type, rows, size);
  const Buffer in(session, Stored(type, numbers));
  const Buffer out(session, numbers.size() * SizeOf(type));
  const SoftmaxCall call{type, logarithm ? 1 : 0, in.data(), out.data(), rows, size};
  session.Must(session.module->softmax(&call));
  std::vector<float> expected;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* own = numbers.data() + row * size;
    float max = own[0];
    for (std::int64_t i = 0; i < size; ++i) max = arithmetic::Maximum(max, own[i]);
    const auto sum = SumByTree<float>(static_cast<std::size_t>(size),
                                      [&](std::size_t i) { return arithmetic::Exp(own[i] - max); });
    for (std::int64_t i = 0; i < size; ++i) {
      const float result =
          logarithm ? own[i] - max - arithmetic::Log(sum) : arithmetic::Exp(own[i] - max) / sum;
      expected.push_back(Rounded(type, result));
    }
  }
  CompareBits(session,
              std::string(logarithm ? "log softmax of " : "softmax of ") + std::to_string(size) +
                  " " + NameOf(type),
              Loaded(type, out.Read<std::byte>(numbers.size() * SizeOf(type))), expected);
}

// A row of a layer norm has `size` weights; one of a group norm has one weight for each `inner`
// elements, and `period` weights in total.
void CheckNormalise(Session& session, ElementType type, std::int64_t rows, std::int64_t size,
                    std::int64_t inner, std::int64_t period) {
  const auto numbers = Normal(session, type, rows * size);
  const auto scale = Normal(session, type, period);
  const auto shift = Normal(session, type, period);
  const Buffer in(session, Stored(type, numbers));
  const Buffer scales(session, Stored(type, scale));
  const Buffer shifts(session, Stored(type, shift));
  const Buffer out(session, numbers.size() * SizeOf(type));
  const Buffer means(session, static_cast<std::size_t>(rows) * sizeof(float));
  const Buffer inverses(session, static_cast<std::size_t>(rows) * sizeof(float));
  const NormaliseCall call{type,
                           type,
                           1,
                           1,
                           1e-5,
                           in.data(),
                           scales.data(),
                           shifts.data(),
                           out.data(),
                           static_cast<float*>(means.data()),
                           static_cast<float*>(inverses.data()),
                           rows,
                           size,
                           inner,
                           period};
  session.Must(session.module->normalise(&call));
  std::vector<float> expected;
  std::vector<float> expected_means;
  const auto n = static_cast<std::size_t>(size);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* own = numbers.data() + row * size;
    const float mean =
        SumByTree<float>(n, [&](std::size_t i) { return own[i]; }) / static_cast<float>(size);
    const float variance =
        SumByTree<float>(n, [&](std::size_t i) { return (own[i] - mean) * (own[i] - mean); }) /
        static_cast<float>(size);
    const float inverse = 1 / arithmetic::Sqrt(variance + 1e-5F);
    for (std::int64_t i = 0; i < size; ++i) {
      const auto weight = static_cast<std::size_t>((row * size + i) / inner % period);
      const float scaled = (own[i] - mean) * inverse * scale[weight];
      expected.push_back(Rounded(type, scaled + shift[weight]));
    }
    expected_means.push_back(mean);
  }
  const std::string name = (inner == 1 ? "layer norm of " : "group norm of ") +
                           std::to_string(size) + " " + NameOf(type);
  CompareBits(session, name, Loaded(type, out.Read<std::byte>(numbers.size() * SizeOf(type))),
              expected);
  CompareBits(session, name + ", means", means.Read<float>(expected_means.size()), expected_means);
}

}  // namespace

void CheckReductions(Session& session) {
  for (const ElementType type : kTypes) {
    for (std::int32_t work = kReduceSum; work <= kReduceProd; ++work) {
      for (const std::int64_t count : {1, 5, 32, 33, 100, 1000}) {
        CheckReduction(session, type, work, 3, count, 1);
        CheckReduction(session, type, work, 2, count, session.quick ? 33 : 300);
      }
    }
    CheckReduction(session, type, kReduceSum, 2, session.quick ? 5000 : 1000003, 1);
  }
}

void CheckRows(Session& session) {
  for (const ElementType type : kTypes) {
    for (const std::int64_t size :
         {1, 3, 31, 32, 77, 256, 257, 768, 1024, 1025, 3000, 12288, 13001, 20001}) {
      const std::int64_t rows = session.quick ? 6 : 48;
      CheckSoftmax(session, type, rows, size, false);
      CheckSoftmax(session, type, rows, size, true);
      CheckNormalise(session, type, rows, size, 1, size);
    }
    // Group norms: 4 channels of 30 pixels, 2 of 6000, and one weight for each group.
    CheckNormalise(session, type, 6, 120, 30, 12);
    CheckNormalise(session, type, 6, 12000, 6000, 6);
    CheckNormalise(session, type, 6, 400, 400, 3);
  }
}

}  // namespace opledger::cuda::selftest

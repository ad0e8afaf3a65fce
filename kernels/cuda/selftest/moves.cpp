// Checks transposes and other strided copies, and gathers; results must be exact.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

std::vector<float> Numbered(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

// Reads `shape` with the strides `from` and writes it densely.
void CheckCopy(Session& session, const char* name, std::vector<std::int64_t> shape,
               std::vector<std::int64_t> from) {
  std::int64_t count = 1;
  std::int64_t end = 1;
  StridedLayout read = {};
  StridedLayout write = {};
  read.rank = write.rank = static_cast<std::int32_t>(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    read.size[d] = write.size[d] = shape[d];
    read.stride[d] = from[d];
    write.stride[d] = count;
    count *= shape[d];
    end += (shape[d] - 1) * from[d];
  }
  const auto numbers = Numbered(static_cast<std::size_t>(end));
  const Buffer in(session, numbers);
  const Buffer out(session, static_cast<std::size_t>(count) * sizeof(float));
  const CopyCall call{4, in.data(), out.data(), read, write};
  session.Must(session.module->copy(&call));
  std::vector<float> expected;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t place = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += rest % shape[d] * from[d];
      rest /= shape[d];
    }
    expected.push_back(numbers[static_cast<std::size_t>(place)]);
  }
  CompareBits(session, name, out.Read<float>(expected.size()), expected);
}

void CheckGather(Session& session) {
  const std::int64_t outer = 3;
  const std::int64_t size = 50;
  const std::int64_t inner = 20;
  const auto numbers = Numbered(static_cast<std::size_t>(outer * size * inner));
  const std::vector<std::int64_t> indices = {0, 49, -1, 7, -50, 50, 12};  // 50 is outside
  const Buffer in(session, numbers);
  const Buffer at(session, indices);
  std::vector<float> expected;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t index : indices) {
      const std::int64_t own = index < 0 ? index + size : index;
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto place = static_cast<std::size_t>((o * size + own) * inner + i);
        expected.push_back(own < size ? numbers[place] : 0);
      }
    }
  }
  const Buffer out(session, expected.size() * sizeof(float));
  const GatherCall call{4,         kI64,       in.data(),
                        at.data(), out.data(), outer,
                        size,      inner,      static_cast<std::int64_t>(indices.size())};
  session.Must(session.module->gather(&call));
  CompareBits(session, "gather", out.Read<float>(expected.size()), expected);
}

}  // namespace

void CheckMoves(Session& session) {
  CheckCopy(session, "transposition", {70, 45}, {1, 70});
  CheckCopy(session, "transpositions", {5, 33, 64}, {33 * 64, 1, 33});
  CheckCopy(session, "permutation", {3, 4, 5, 6}, {30, 1, 6, 90});
  CheckCopy(session, "steps of three", {7, 11}, {40, 3});
  CheckCopy(session, "repetition", {4, 9, 8}, {8, 0, 1});
  CheckGather(session);
}

}  // namespace opledger::cuda::selftest

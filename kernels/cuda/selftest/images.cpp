// Checks pads of every mode and resized dimensions, bit by bit.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

// The source index of each element of a dimension of 5 with 3 pads before and 4 after; -1: the
// constant.
constexpr std::int64_t kConstant[] = {-1, -1, -1, 0, 1, 2, 3, 4, -1, -1, -1, -1};
constexpr std::int64_t kEdge[] = {0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4};
constexpr std::int64_t kReflect[] = {3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0};
constexpr std::int64_t kWrap[] = {2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3};

// Pads the second dimension of a 2 x 5 x 3 tensor; in the last one, cuts an element off at the
// start and adds one at the end.
template <typename T>
void CheckPad(Session& session, PadMode mode, const std::int64_t (&places)[12], bool given) {
  std::vector<T> numbers;
  for (int i = 0; i < 30; ++i) numbers.push_back(static_cast<T>(i + 1));
  const T constant = 77;
  const Buffer in(session, numbers);
  const Buffer value(session, std::vector<T>{constant});
  const Buffer out(session, std::size_t{2 * 12 * 3} * sizeof(T));
  const PadCall call{sizeof(T),  mode,      3,          in.data(), given ? value.data() : nullptr,
                     out.data(), constant,  {2, 12, 3}, {0, 3, 0}, {0, 0, 1},
                     {2, 5, 2},  {15, 3, 1}};
  session.Must(session.module->pad(&call));
  constexpr std::int64_t kLast[4][3] = {{0, 1, -1}, {0, 1, 1}, {0, 1, 0}, {0, 1, 0}};
  std::vector<float> expected;
  for (std::int64_t i = 0; i < 2 * 12 * 3; ++i) {
    const std::int64_t row = places[i / 3 % 12];
    const std::int64_t last = kLast[mode][i % 3];
    const bool inside = row >= 0 && last >= 0;
    const auto at = static_cast<std::size_t>(i / 36 * 15 + row * 3 + last + 1);
    expected.push_back(static_cast<float>(inside ? numbers[at] : constant));
  }
  const auto got = out.Read<T>(expected.size());
  CompareBits(session,
              "pad " + std::to_string(mode) + " of " + std::to_string(sizeof(T)) + " bytes",
              std::vector<float>(got.begin(), got.end()), expected);
}

void CheckResize(Session& session, ElementType from, ElementType to) {
  constexpr std::int64_t kOuter = 3;
  constexpr std::int64_t kIn = 10;
  constexpr std::int64_t kOut = 17;
  constexpr std::int64_t kInner = 6;
  constexpr std::int64_t kTaps = 4;
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < kOuter * kIn * kInner; ++i) {
    numbers.push_back(Rounded(from, session.RandomNormal()));
  }
  std::vector<std::int32_t> index;
  std::vector<float> weight;
  for (std::int64_t i = 0; i < kOut * kTaps; ++i) {
    index.push_back(static_cast<std::int32_t>(session.Random() % kIn));
    weight.push_back(session.RandomNormal());
  }
  const Buffer in(session, Stored(from, numbers));
  const Buffer at(session, index);
  const Buffer by(session, weight);
  const std::size_t bytes = std::size_t{kOuter * kOut * kInner} * SizeOf(to);
  const Buffer out(session, bytes);
  const ResizeCall call{from,
                        to,
                        in.data(),
                        out.data(),
                        static_cast<std::int32_t*>(at.data()),
                        static_cast<float*>(by.data()),
                        kOuter,
                        kIn,
                        kOut,
                        kInner,
                        kTaps};
  session.Must(session.module->resize(&call));
  std::vector<float> expected;
  for (std::int64_t i = 0; i < kOuter * kOut * kInner; ++i) {
    float sum = 0;
    for (std::int64_t tap = 0; tap < kTaps; ++tap) {
      const auto k = static_cast<std::size_t>(i / kInner % kOut * kTaps + tap);
      const std::int64_t place = (i / kInner / kOut * kIn + index[k]) * kInner + i % kInner;
      sum += weight[k] * numbers[static_cast<std::size_t>(place)];
    }
    expected.push_back(Rounded(to, sum));
  }
  CompareBits(session, std::string("resize ") + NameOf(from) + " to " + NameOf(to),
              Loaded(to, out.Read<std::byte>(bytes)), expected);
}

template <typename T>
void CheckPads(Session& session) {
  CheckPad<T>(session, kPadConstant, kConstant, false);
  CheckPad<T>(session, kPadConstant, kConstant, true);
  CheckPad<T>(session, kPadEdge, kEdge, false);
  CheckPad<T>(session, kPadReflect, kReflect, false);
  CheckPad<T>(session, kPadWrap, kWrap, false);
}

}  // namespace

void CheckImages(Session& session) {
  CheckPads<std::uint8_t>(session);
  CheckPads<std::uint16_t>(session);
  CheckPads<std::uint32_t>(session);
  CheckPads<std::uint64_t>(session);
  for (const ElementType type : kTypes) {
    CheckResize(session, type, kF32);
    CheckResize(session, kF32, type);
    CheckResize(session, type, type);
  }
}

}  // namespace opledger::cuda::selftest

// The fastest of some runs counts: others wait for memory or for other programs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/probe.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "kernels/onednn/primitive.h"

namespace opledger::onednn {
namespace {

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of a product; a negative number: there is none in that type.
double Measure(Dtype dtype) {
  constexpr std::int64_t kRows = 256;
  constexpr std::int64_t kInner = 512;
  Matmul matmul;
  matmul.rows = kRows;
  matmul.inner = kInner;
  matmul.columns = kInner;
  matmul.dtype = dtype;
  matmul.packs = true;
  const auto primitive = MakeMatmul(matmul);
  if (primitive == nullptr) return -1;
  // Numbers near one, in either type: a zero or a subnormal might be faster or slower.
  std::vector<std::uint32_t> numbers(kInner * kInner, 0x3F803F80U);
  std::vector<std::uint32_t> result(kRows * kInner);
  std::vector<std::byte> scratchpad(primitive->scratchpad() + 1);
  primitive->Fix(kWeights, numbers.data());
  const void* arguments[kArguments] = {};
  arguments[kSource] = numbers.data();
  arguments[kResult] = result.data();
  arguments[kScratchpad] = scratchpad.data();
  double best = 1e9;
  for (int run = 0; run < 8; ++run) {
    const double start = ThreadSeconds();
    primitive->Run(arguments);
    if (run > 0) best = std::min(best, ThreadSeconds() - start);
  }
  return best;
}

bool MeasureAll() {
  const char* said = std::getenv("OPLEDGER_BFLOAT16");
  const double narrow = Measure(Dtype::kBfloat16);
  if (narrow < 0) return false;
  if (said != nullptr && std::string_view(said) == "native") return true;
  if (said != nullptr && std::string_view(said) == "widened") return false;
  return narrow < Measure(Dtype::kFloat32);
}

}  // namespace

bool Bfloat16Pays() {
  static const bool kPays = MeasureAll();
  return kPays;
}

}  // namespace opledger::onednn

// Measures the speed of casts and element-wise functions in CPU time of one thread. Not a test.
//     arithmetic-benchmark [casts | functions]
// Casts of 64 MB of float32: bytes read and written per second, compared with a memcpy of the same
// number of bytes in the same run (the bar is 0.8). Functions: elements per second in cache, for
// each instruction set.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/machine/cpu_time.h"

namespace opledger::arithmetic {
namespace {

// Returns the shortest of many runs of `work`, in seconds.
template <typename Work>
double Best(int repeats, Work work) {
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) {
    const double begin = ThreadSeconds();
    work();
    best = std::min(best, ThreadSeconds() - begin);
  }
  return best;
}

void BenchmarkCasts() {
  const std::size_t n = std::size_t{16} << 20;
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = std::sin(static_cast<float>(i)) * 100;
  std::vector<float> other(n);
  std::vector<char> halves(2 * n);
  std::vector<char> other_halves(2 * n);
  // `bytes` counts reads and writes, so the memcpy copies half as many. The two are interleaved,
  // since other processes share the memory bandwidth.
  const auto row = [&](const std::string& name, std::size_t bytes, auto work) {
    double cast = 1e9;
    double copy = 1e9;
    for (int i = 0; i < 25; ++i) {
      cast = std::min(cast, Best(1, work));
      copy = std::min(copy, Best(1, [&] { std::memcpy(other.data(), numbers.data(), bytes / 2); }));
    }
    const auto total = static_cast<double>(bytes) * 1e-9;
    std::printf("%-22s %7.2f GB/s  memcpy of the same bytes %7.2f GB/s  ratio %.2f\n", name.c_str(),
                total / cast, total / copy, copy / cast);
  };
  const auto require = [](bool finite) {
    if (!finite) std::printf("not finite\n");
  };
  for (const Dtype half : {Dtype::kFloat16, Dtype::kBfloat16}) {
    const std::string name = DtypeName(half);
    const Dtype twin = half == Dtype::kFloat16 ? Dtype::kBfloat16 : Dtype::kFloat16;
    row("float32 to " + name, 6 * n, [&] { Downcast(numbers.data(), half, halves.data(), n); });
    row(name + " to float32", 6 * n, [&] { Upcast(half, halves.data(), other.data(), n); });
    row(name + " to " + DtypeName(twin), 4 * n,
        [&] { Cast(half, halves.data(), twin, other_halves.data(), n); });
    row(name + " all finite", 2 * n, [&] { require(AllFinite(half, halves.data(), n)); });
  }
  row("float32 all finite", 4 * n, [&] { require(AllFinite(Dtype::kFloat32, numbers.data(), n)); });
}

void BenchmarkFunctions() {
  std::vector<float> in(16384);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i % 2000) * 0.005F + (i % 3 == 0 ? -5.0F : 0.01F);
  }
  std::printf("%-14s", "Gelements/s");
  for (const auto set :
       {VectorInstructions::kPortable, VectorInstructions::kAvx2, VectorInstructions::kAvx512}) {
    std::printf(" %9s", Runs(set) ? VectorInstructionsName(set) : "-");
  }
  std::printf("\n");
  for (int f = 0; f <= static_cast<int>(Unary::kGeluTanh); ++f) {
    const auto function = static_cast<Unary>(f);
    std::printf("%-14s", UnaryName(function));
    for (const auto set :
         {VectorInstructions::kPortable, VectorInstructions::kAvx2, VectorInstructions::kAvx512}) {
      if (!Runs(set)) continue;
      const UnaryLoop loop = LoopsOf(set).unary[static_cast<std::size_t>(function)];
      const double seconds = Best(30, [&] { loop(in.data(), out.data(), in.size()); });
      std::printf(" %9.3f", static_cast<double>(in.size()) / seconds * 1e-9);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace opledger::arithmetic

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what.empty() || what == "casts") opledger::arithmetic::BenchmarkCasts();
  if (what.empty() || what == "functions") opledger::arithmetic::BenchmarkFunctions();
  return 0;
}

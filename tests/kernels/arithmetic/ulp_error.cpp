// Measures the largest error of each elementary function over all float32 arguments, for the bounds
// in kernels/arithmetic/loops/unary_list.h. All of them take an hour on one core. Not a test.
//   arithmetic-ulp-error [--stride N] [Exp Tanh ...]
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kernels/arithmetic/loops/loops.h"
#include "tests/kernels/arithmetic/exact_functions.h"

namespace opledger::arithmetic {
namespace {

struct Worst {
  long double error = 0;
  float x = 0;
  float got = 0;
};

// Measures every `stride`-th of the arguments whose top 8 bits are `top`.
void Measure(Unary function, std::uint64_t top, std::uint64_t stride, Worst* worst) {
  std::vector<float> in;
  std::vector<float> out(8192);
  std::uint64_t bits = top << 24;
  bits = (bits + stride - 1) / stride * stride;
  while (bits < (top + 1) << 24) {
    in.clear();
    for (; in.size() < out.size() && bits < (top + 1) << 24; bits += stride) {
      in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    Apply(function, in.data(), out.data(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double x = in[i];
      if (UlpError<double>(out[i], Exact<double>(function, x)) < worst->error - 1e-6L) continue;
      const auto error = UlpError<long double>(out[i], Exact<long double>(function, x));
      if (error > worst->error) *worst = {error, in[i], out[i]};
    }
  }
}

Worst MeasureAll(Unary function, std::uint64_t stride) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Worst> worst(threads);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&worst, function, stride, threads, t] {
      for (unsigned top = t; top < 256; top += threads) Measure(function, top, stride, &worst[t]);
    });
  }
  for (std::thread& thread : running) thread.join();
  Worst largest;
  for (const Worst& one : worst) {
    if (one.error > largest.error) largest = one;
  }
  return largest;
}

int Main(int argc, char** argv) {
  std::uint64_t stride = 1;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--stride" && i + 1 < argc) {
      stride = std::strtoull(argv[++i], nullptr, 10);
    } else {
      names.emplace_back(argv[i]);
    }
  }
  int status = 0;
  for (int f = 0; f <= static_cast<int>(Unary::kGeluTanh); ++f) {
    const auto function = static_cast<Unary>(f);
    const std::string name = UnaryName(function);
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    const Worst worst = MeasureAll(function, stride == 0 ? 1 : stride);
    const double bound = UlpBound(function);
    if (worst.error > bound) status = 1;
    std::printf("%-14s %7.4Lf ulp at %-15a got %-15a bound %.4g%s\n", name.c_str(), worst.error,
                static_cast<double>(worst.x), static_cast<double>(worst.got), bound,
                worst.error > bound ? "  EXCEEDED" : "");
    std::fflush(stdout);
  }
  return status;
}

}  // namespace
}  // namespace opledger::arithmetic

int main(int argc, char** argv) { return opledger::arithmetic::Main(argc, argv); }

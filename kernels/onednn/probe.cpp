// Measures 16-bit products. The fastest of many runs counts, and types are interleaved, since runs
// may wait for memory or other programs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/probe.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "kernels/kernel/narrow_products.h"
#include "kernels/machine/cpu_time.h"
#include "kernels/machine/machine.h"
#include "kernels/machine/parallel.h"
#include "kernels/onednn/primitive.h"
#include "registry/files/files.h"
#include "registry/project/cache_folder.h"

namespace opledger::onednn {
namespace {

// A product, ready to run.
class Product {
 public:
  explicit Product(Dtype dtype) {
    Matmul matmul;
    matmul.rows = kRows;
    matmul.inner = kInner;
    matmul.columns = kInner;
    matmul.dtype = dtype;
    matmul.result_dtype = dtype;
    matmul.packs = true;
    primitive_ = MakeMatmul(matmul);
    if (primitive_ == nullptr) return;
    scratchpad_.resize(primitive_->scratchpad() + 1);
    primitive_->Fix(kWeights, numbers_.data());
    Seconds();  // warms the caches
  }

  bool IsThere() const { return primitive_ != nullptr; }
  double Seconds() {
    const void* arguments[kArguments] = {};
    arguments[kSource] = numbers_.data();
    arguments[kResult] = result_.data();
    arguments[kScratchpad] = scratchpad_.data();
    const double start = ThreadSeconds();
    primitive_->Run(arguments);
    return ThreadSeconds() - start;
  }

 private:
  static constexpr std::int64_t kRows = 256;
  static constexpr std::int64_t kInner = 512;

  std::shared_ptr<Primitive> primitive_;
  // Values near one in both types: zeros or subnormals might be faster or slower.
  std::vector<std::uint32_t> numbers_ = std::vector<std::uint32_t>(kInner * kInner, 0x3F803F80U);
  std::vector<std::uint32_t> result_ = std::vector<std::uint32_t>(kRows * kInner);
  std::vector<std::byte> scratchpad_;
};

bool Measure(Dtype dtype) {
  const auto threads = static_cast<int>(Threads());
  SetThreads(1);
  Product narrow(dtype);
  bool pays = narrow.IsThere();
  Product wide(Dtype::kFloat32);
  if (pays && wide.IsThere()) {
    double best_narrow = narrow.Seconds();
    double best_wide = wide.Seconds();
    for (int run = 0; run < 20; ++run) {
      best_narrow = std::min(best_narrow, narrow.Seconds());
      best_wide = std::min(best_wide, wide.Seconds());
    }
    pays = best_narrow < best_wide;
  }
  SetThreads(threads);
  return pays;
}

// Returns the "model name" line of /proc/cpuinfo; empty if there is none.
std::string ProcessorName() {
  Diagnostics ignored;
  const auto text = ReadFile("/proc/cpuinfo", std::size_t{16} << 20, ignored).value_or("");
  const std::size_t begin = text.find("model name");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// Returns the cached answer, or measures and caches it. If the cache cannot be read or written, the
// measurement is repeated.
bool AskCache(Dtype dtype) {
  const char* max = std::getenv("ONEDNN_MAX_CPU_ISA");
  const std::string key = ProcessorName() + "\n" + InstructionSets() + "\n" + Version() + "\n" +
                          (max == nullptr ? "" : max) + "\n";
  const std::string folder = CacheFolderOf(kKernelsCache);
  const std::string path = folder + "/" + std::string(DtypeName(dtype)) + "-products";
  Diagnostics ignored;
  const std::string kept = ReadFile(path, std::size_t{1} << 20, ignored).value_or("");
  if (kept == key + "native\n" || kept == key + "widened\n") return kept == key + "native\n";
  const bool pays = Measure(dtype);
  std::error_code error;
  if (!folder.empty()) {
    std::filesystem::create_directories(folder, error);
    WriteFile(path, key + (pays ? "native\n" : "widened\n"), ignored);
  }
  return pays;
}

// kRequested: a plan or the environment requests float32 products.
enum class Choice { kNative, kRequested, kWidened };

// A recorded plan takes precedence over the environment, and that over the measurement.
Choice Decide(Dtype dtype) {
  NarrowProducts said = ChosenNarrowProducts(dtype);
  const char* variable =
      std::getenv(dtype == Dtype::kFloat16 ? "OPLEDGER_FLOAT16" : "OPLEDGER_BFLOAT16");
  if (said == NarrowProducts::kOpen && variable != nullptr) said = ParseNarrowProducts(variable);
  const bool pays = said == NarrowProducts::kOpen     ? AskCache(dtype)
                    : said == NarrowProducts::kNative ? Product(dtype).IsThere()
                                                      : false;
  SetNarrowProducts(dtype, pays ? NarrowProducts::kNative : NarrowProducts::kWidened);
  if (pays) return Choice::kNative;
  return said == NarrowProducts::kWidened ? Choice::kRequested : Choice::kWidened;
}

Choice ChoiceFor(Dtype dtype) {
  if (dtype == Dtype::kFloat16) {
    static const Choice kChoice = Decide(Dtype::kFloat16);
    return kChoice;
  }
  static const Choice kChoice = Decide(Dtype::kBfloat16);
  return kChoice;
}

const char* WhyNot(Dtype dtype) {
  if (ChoiceFor(dtype) == Choice::kRequested) {
    return "the plan or the environment requests float32 products";
  }
  if (!Product(dtype).IsThere()) return "oneDNN has no such products for this processor";
  return "float32 products were measured to be faster on this processor";
}

// Runs before main.
[[maybe_unused]] const bool kDecides = (DecideNarrowProductsBy(&NarrowPays, &WhyNot), true);

}  // namespace

bool NarrowPays(Dtype dtype) { return ChoiceFor(dtype) == Choice::kNative; }

}  // namespace opledger::onednn

// The fastest of many runs counts, the types in turn: others wait for memory or other programs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/probe.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "kernels/kernel/bfloat16_products.h"
#include "kernels/machine/cpu_time.h"
#include "kernels/machine/machine.h"
#include "kernels/machine/parallel.h"
#include "kernels/onednn/primitive.h"
#include "registry/platform/files.h"
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
    Seconds();  // the first run finds cold caches
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
  // Numbers near one, in either type: a zero or a subnormal might be faster or slower.
  std::vector<std::uint32_t> numbers_ = std::vector<std::uint32_t>(kInner * kInner, 0x3F803F80U);
  std::vector<std::uint32_t> result_ = std::vector<std::uint32_t>(kRows * kInner);
  std::vector<std::byte> scratchpad_;
};

bool Measure() {
  const auto threads = static_cast<int>(Threads());
  SetThreads(1);
  Product downcast(Dtype::kBfloat16);
  Product wide(Dtype::kFloat32);
  bool pays = downcast.IsThere();
  if (downcast.IsThere() && wide.IsThere()) {
    double best_narrow = downcast.Seconds();
    double best_wide = wide.Seconds();
    for (int run = 0; run < 20; ++run) {
      best_narrow = std::min(best_narrow, downcast.Seconds());
      best_wide = std::min(best_wide, wide.Seconds());
    }
    pays = best_narrow < best_wide;
  }
  SetThreads(threads);
  return pays;
}

// "model name" of the processor.
std::string ProcessorName() {
  Diagnostics ignored;
  const auto text = ReadFile("/proc/cpuinfo", std::size_t{16} << 20, ignored).value_or("");
  const std::size_t begin = text.find("model name");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// What the cache says, or what is measured and then kept there. A cache that cannot be read or
// written costs the measurement.
bool AskCache() {
  const char* max = std::getenv("ONEDNN_MAX_CPU_ISA");
  const std::string key = ProcessorName() + "\n" + InstructionSets() + "\n" + Version() + "\n" +
                          (max == nullptr ? "" : max) + "\n";
  const CacheFolder folder = FindCacheFolder();
  const std::string path = folder.path + "/bfloat16-products";
  Diagnostics ignored;
  const std::string kept = ReadFile(path, std::size_t{1} << 20, ignored).value_or("");
  if (kept == key + "native\n" || kept == key + "widened\n") return kept == key + "native\n";
  const bool pays = Measure();
  std::error_code error;
  if (!folder.path.empty()) {
    std::filesystem::create_directories(folder.path, error);
    WriteFile(path, key + (pays ? "native\n" : "widened\n"), ignored);
  }
  return pays;
}

// A recorded plan stands above the environment, and that above what was measured.
bool Decide() {
  Bfloat16Products said = ChosenBfloat16Products();
  const char* variable = std::getenv("OPLEDGER_BFLOAT16");
  if (said == Bfloat16Products::kOpen && variable != nullptr) {
    said = ParseBfloat16Products(variable);
  }
  const bool pays = said == Bfloat16Products::kOpen     ? AskCache()
                    : said == Bfloat16Products::kNative ? Product(Dtype::kBfloat16).IsThere()
                                                        : false;
  SetBfloat16Products(pays ? Bfloat16Products::kNative : Bfloat16Products::kWidened);
  return pays;
}

// Before main; the variable is of no use.
[[maybe_unused]] const bool kDecides = (DecideBfloat16ProductsBy(&Bfloat16Pays), true);

}  // namespace

bool Bfloat16Pays() {
  static const bool kPays = Decide();
  return kPays;
}

}  // namespace opledger::onednn

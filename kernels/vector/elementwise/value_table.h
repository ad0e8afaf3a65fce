// A function of one 16-bit element as a table of all 65,536 results (128 KB). A lookup costs as
// much as a few steps and gives the same bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace opledger {

class ValueTable {
 public:
  static constexpr std::size_t kSize = 65536;

  // `fill` replaces each of the kSize elements, whose bits are 0, 1, 2, ..., by its result.
  explicit ValueTable(std::function<void(std::uint16_t* numbers)> fill) : fill_(std::move(fill)) {}

  // The table. Threads wait for the first one to fill it.
  const std::uint16_t* Results();

 private:
  std::function<void(std::uint16_t* numbers)> fill_;
  std::once_flag is_filled_;
  std::unique_ptr<std::uint16_t[]> results_;
};

// `in` and `out` are the same array or do not overlap.
void LookUp(const std::uint16_t* results, const std::uint16_t* in, std::uint16_t* out,
            std::size_t n);

}  // namespace opledger

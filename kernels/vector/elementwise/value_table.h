// A function of one 16-bit number, as the table of its results for all 65,536 of them (128 KB): a
// chain of a few steps costs what looking up one number does, and gives the same bits.
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

  // `fill`: puts into each of the kSize numbers, which are 0, 1, 2 ... in their bits, its result.
  explicit ValueTable(std::function<void(std::uint16_t* numbers)> fill) : fill_(std::move(fill)) {}

  // The table, which the first that asks has to wait for.
  const std::uint16_t* Results();

 private:
  std::function<void(std::uint16_t* numbers)> fill_;
  std::once_flag is_filled_;
  std::unique_ptr<std::uint16_t[]> results_;
};

// `in` and `out` are the same numbers or do not overlap.
void LookUp(const std::uint16_t* results, const std::uint16_t* in, std::uint16_t* out,
            std::size_t n);

}  // namespace opledger

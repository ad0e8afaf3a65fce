// A set of 32-bit hashes that is cheap to fill: most identifiers of a file repeat.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opledger::scan {

class HashSet {
 public:
  void Insert(std::uint32_t hash) {
    if (2 * used_ >= slots_.size()) Grow();
    Place(hash == 0 ? 1 : hash);
  }
  // Ascending; 1 stands for 0, too.
  std::vector<std::uint32_t> Sorted() const;

 private:
  void Place(std::uint32_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (hash * 2654435769U >> 7) & mask;
    while (slots_[i] != 0 && slots_[i] != hash) i = (i + 1) & mask;
    used_ += slots_[i] == 0;
    slots_[i] = hash;
  }
  void Grow();

  std::vector<std::uint32_t> slots_;  // 0: free
  std::size_t used_ = 0;
};

}  // namespace opledger::scan

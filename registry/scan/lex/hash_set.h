// A set of the 32-bit hashes of identifiers. Made for fast insertion of hashes that it already
// contains, since most identifiers of a file are repeated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace opledger::scan {

// Deterministic 32-bit hash. A collision only makes the scanner read a file unnecessarily.
inline std::uint32_t HashIdentifier(std::string_view identifier) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  const char* at = identifier.data();
  std::size_t rest = identifier.size();
  std::uint64_t hash = rest * kFactor;
  std::uint64_t word = 0;
  for (; rest > 8; rest -= 8, at += 8) {
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  }
  if (rest >= 4) {  // two words that may overlap
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + rest - 4, 4);
    word = std::uint64_t{high} << 32 | low;
  } else {
    word = 0;
    for (std::size_t i = 0; i < rest; ++i) word = word << 8 | static_cast<unsigned char>(at[i]);
  }
  hash = (hash ^ word) * kFactor;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

class HashSet {
 public:
  void Insert(std::uint32_t hash) {
    if (2 * used_ >= slots_.size()) Grow();
    Place(hash == 0 ? 1 : hash);
  }
  // Returns the hashes in ascending order. 1 also represents 0.
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

  std::vector<std::uint32_t> slots_;  // 0 if free
  std::size_t used_ = 0;
};

}  // namespace opledger::scan

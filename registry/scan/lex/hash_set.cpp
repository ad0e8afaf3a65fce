// Uses a radix sort, since comparing random numbers would mispredict every second branch.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/lex/hash_set.h"

#include <algorithm>
#include <array>
#include <utility>

namespace opledger::scan {

std::vector<std::uint32_t> HashSet::Sorted() const {
  std::vector<std::uint32_t> all;
  all.reserve(used_);
  for (std::uint32_t slot : slots_) {
    if (slot != 0) all.push_back(slot);
  }
  std::vector<std::uint32_t> other(all.size());
  for (int shift = 0; shift < 32; shift += 8) {
    std::array<std::uint32_t, 256> begins{};  // for each value of the byte
    for (std::uint32_t hash : all) ++begins[hash >> shift & 0xff];
    std::uint32_t begin = 0;
    for (std::uint32_t& count : begins) begin += std::exchange(count, begin);
    for (std::uint32_t hash : all) other[begins[hash >> shift & 0xff]++] = hash;
    all.swap(other);
  }
  return all;
}

void HashSet::Grow() {
  std::vector<std::uint32_t> old = std::move(slots_);
  slots_.assign(std::max<std::size_t>(512, 2 * old.size()), 0);
  used_ = 0;
  for (std::uint32_t hash : old) {
    if (hash != 0) Place(hash);
  }
}

}  // namespace opledger::scan

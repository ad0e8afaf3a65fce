// Looks up results of 16-bit elements. Tensors hold few different values, whose results stay in the
// first-level caches.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/value_table.h"

#include <numeric>

namespace opledger {

const std::uint16_t* ValueTable::Results() {
  std::call_once(is_filled_, [this] {
    results_ = std::make_unique<std::uint16_t[]>(kSize);
    std::iota(results_.get(), results_.get() + kSize, std::uint16_t{0});
    fill_(results_.get());
  });
  return results_.get();
}

void LookUp(const std::uint16_t* results, const std::uint16_t* in, std::uint16_t* out,
            std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = results[in[i]];
}

}  // namespace opledger

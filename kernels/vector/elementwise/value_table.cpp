// The entries that the values of a tensor use stay in the first-level cache, even of a table of
// 65,536 entries.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/value_table.h"

#include <cstdint>
#include <numeric>
#include <vector>

namespace opledger {
namespace {

template <typename In, typename Out>
void LookUpRow(const void* results, const void* in, void* out, std::size_t begin, std::size_t end) {
  const auto* from = static_cast<const In*>(in);
  auto* to = static_cast<Out*>(out);
  for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<const Out*>(results)[from[i]];
}

template <typename In>
void FillAs(const ValueTable::Fill& fill, std::size_t size, void* results) {
  std::vector<In> values(size);
  std::iota(values.begin(), values.end(), In{0});
  fill(values.data(), results);
}

}  // namespace

void ValueTable::FillOnce() {
  std::call_once(is_filled_, [this] {
    const std::size_t size = std::size_t{1} << (8 * in_);
    results_ = std::make_unique<std::byte[]>(size * out_);
    const auto fill = in_ == 1 ? &FillAs<std::uint8_t> : &FillAs<std::uint16_t>;
    fill(fill_, size, results_.get());
  });
}

void ValueTable::LookUp(const void* in, void* out, std::size_t begin, std::size_t end) {
  FillOnce();
  const auto row = in_ == 2    ? &LookUpRow<std::uint16_t, std::uint16_t>
                   : out_ == 1 ? &LookUpRow<std::uint8_t, std::uint8_t>
                   : out_ == 2 ? &LookUpRow<std::uint8_t, std::uint16_t>
                               : &LookUpRow<std::uint8_t, std::uint32_t>;
  row(results_.get(), in, out, begin, end);
}

}  // namespace opledger

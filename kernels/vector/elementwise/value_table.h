// Tables of functions of one value of 8 or 16 bits: the results for all 256 or 65,536 values. A
// chain of several steps then costs one lookup per element and gives the same bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace opledger {

class ValueTable {
 public:
  // Computes the results of `values`, which are all values of the input's type in the order of
  // their bits as unsigned integers.
  using Fill = std::function<void(const void* values, void* results)>;

  // Sizes of one element in bytes: `in` is 1 and `out` is 1, 2 or 4, or both are 2.
  ValueTable(std::size_t in, std::size_t out, Fill fill)
      : in_(in), out_(out), fill_(std::move(fill)) {}

  // Writes the results of elements `begin` to `end`. Fills the table first if this is the first
  // call; other threads wait until it is filled. `in` and `out` are the same memory or do not
  // overlap.
  void LookUp(const void* in, void* out, std::size_t begin, std::size_t end);

 private:
  void FillOnce();

  std::size_t in_;
  std::size_t out_;
  Fill fill_;
  std::once_flag is_filled_;
  std::unique_ptr<std::byte[]> results_;
};

}  // namespace opledger

// Poisoned memory with guards on both sides, aligned as tensors are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

inline constexpr std::size_t kGuard = 64;
inline constexpr auto kGuardByte = std::byte{0xA5};
inline constexpr auto kPoison = std::byte{0xFF};  // a NaN in every type

class Guarded {
 public:
  explicit Guarded(std::size_t size) : size_(size), memory_(AllocateAligned(size + 2 * kGuard)) {
    std::fill_n(memory_.get(), size + 2 * kGuard, kGuardByte);
    std::fill_n(data(), size, kPoison);
  }
  std::byte* data() const { return memory_.get() + kGuard; }
  bool Holds() const {
    const auto guards = [](std::byte byte) { return byte == kGuardByte; };
    return std::all_of(memory_.get(), data(), guards) &&
           std::all_of(data() + size_, data() + size_ + kGuard, guards);
  }

 private:
  std::size_t size_;
  AlignedBytes memory_;
};

}  // namespace opledger

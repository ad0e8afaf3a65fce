// A tensor that owns its numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "kernels/machine/memory_limit.h"
#include "kernels/tensor/shared_bytes.h"
#include "kernels/tensor/tensor.h"

namespace opledger {

inline constexpr std::size_t kTensorAlignment = 64;  // bytes: a cache line, an AVX-512 register

// `bytes`, or as many more as what follows needs to be aligned.
inline std::size_t AlignedSize(std::size_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

struct AlignedDelete {
  std::size_t bytes = 0;

  void operator()(std::byte* memory) const {
    CountMemory(-static_cast<std::ptrdiff_t>(bytes));
    ::operator delete[](memory, std::align_val_t{kTensorAlignment});
  }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

// Zeros. At least one byte, so that there is a pointer.
inline AlignedBytes AllocateAligned(std::size_t bytes) {
  AlignedBytes memory(new (std::align_val_t{kTensorAlignment}) std::byte[bytes == 0 ? 1 : bytes],
                      AlignedDelete{bytes});
  CountMemory(static_cast<std::ptrdiff_t>(bytes));
  std::memset(memory.get(), 0, bytes == 0 ? 1 : bytes);
  return memory;
}

struct ConstantTensor {
  TensorType type;
  std::shared_ptr<std::byte> data;  // as long as Bytes(type)

  ConstantTensor() = default;
  explicit ConstantTensor(TensorType of)
      : type(std::move(of)),
        data(AllocateAligned(Bytes(type)).release(), AlignedDelete{Bytes(type)}) {}

  // Nobody writes to it any more: it may be the same memory as others of its contents.
  void Share() { data = SharedBytes(std::move(data), Bytes(type)); }

  template <typename T>
  T* As() const {
    return reinterpret_cast<T*>(data.get());
  }
};

}  // namespace opledger

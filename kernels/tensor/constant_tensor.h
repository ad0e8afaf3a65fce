// A tensor that owns its numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

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
  void* whole = nullptr;  // what calloc gave, in which the memory lies; nullptr: operator new

  void operator()(std::byte* memory) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

// Zeros. At least one byte, so that there is a pointer. Of what is large the system gives pages
// when they are written: an arena costs what a run uses of it.
AlignedBytes AllocateAligned(std::size_t bytes);

struct ConstantTensor {
  TensorType type;
  std::shared_ptr<std::byte> data;  // as long as Bytes(type)

  ConstantTensor() = default;
  explicit ConstantTensor(TensorType of) : type(std::move(of)) {
    AlignedBytes memory = AllocateAligned(Bytes(type));
    const AlignedDelete free = memory.get_deleter();
    data = std::shared_ptr<std::byte>(memory.release(), free);
  }

  // Nobody writes to it any more: it may be the same memory as others of its contents.
  void Share() { data = SharedBytes(std::move(data), Bytes(type)); }

  template <typename T>
  T* As() const {
    return reinterpret_cast<T*>(data.get());
  }
};

}  // namespace opledger

// A tensor that owns its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/tensor/shared_bytes.h"
#include "kernels/tensor/tensor.h"

namespace opledger {

inline constexpr std::size_t kTensorAlignment = 64;  // bytes: a cache line, an AVX-512 register

// Rounds `bytes` up to a multiple of kTensorAlignment.
inline std::size_t AlignedSize(std::size_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

struct AlignedDelete {
  std::size_t bytes = 0;
  void* whole = nullptr;  // the block from calloc; nullptr if operator new allocated the memory

  void operator()(std::byte* memory) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

// Allocates zeroed memory, at least one byte. The system maps the pages of large blocks when they
// are first written, so an arena costs only what a run uses of it.
AlignedBytes AllocateAligned(std::size_t bytes);

struct ConstantTensor {
  TensorType type;
  std::shared_ptr<std::byte> data;  // Bytes(type) bytes

  ConstantTensor() = default;
  explicit ConstantTensor(TensorType of) : type(std::move(of)) {
    AlignedBytes memory = AllocateAligned(Bytes(type));
    const AlignedDelete free = memory.get_deleter();
    data = std::shared_ptr<std::byte>(memory.release(), free);
  }

  // Replaces `data` by memory with equal contents if there is any. `data` must not be written
  // afterwards.
  void Share() { data = SharedBytes(std::move(data), Bytes(type)); }

  template <typename T>
  T* As() const {
    return reinterpret_cast<T*>(data.get());
  }
};

}  // namespace opledger

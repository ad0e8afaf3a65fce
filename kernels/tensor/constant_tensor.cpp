// Allocates memory of tensors: small blocks from the heap, which are cleared; large ones by calloc,
// which does not touch pages that are fresh from the system.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/constant_tensor.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/machine/memory_limit.h"

namespace opledger {
namespace {

constexpr std::size_t kLarge = 128 * 1024;  // from this size on, malloc uses mmap

}  // namespace

void AlignedDelete::operator()(std::byte* memory) const {
  CountMemory(-static_cast<std::ptrdiff_t>(bytes));
  if (whole != nullptr) {
    std::free(whole);
  } else {
    ::operator delete[](memory, std::align_val_t{kTensorAlignment});
  }
}

AlignedBytes AllocateAligned(std::size_t bytes) {
  CountMemory(static_cast<std::ptrdiff_t>(bytes));
  if (bytes >= kLarge && bytes <= SIZE_MAX - kTensorAlignment) {
    void* whole = std::calloc(bytes + kTensorAlignment, 1);
    if (whole == nullptr) throw std::bad_alloc();
    const auto at = AlignedSize(reinterpret_cast<std::uintptr_t>(whole));
    return AlignedBytes(reinterpret_cast<std::byte*>(at), AlignedDelete{bytes, whole});
  }
  const std::size_t size = bytes == 0 ? 1 : bytes;
  auto* memory = new (std::align_val_t{kTensorAlignment}) std::byte[size];
  std::memset(memory, 0, size);
  return AlignedBytes(memory, AlignedDelete{bytes});
}

}  // namespace opledger

// Maps the whole file with mmap.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/commands/shared_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/tensor/constant_tensor.h"
#include "registry/platform/mapped_files.h"

namespace opledger {

SharedMemory::~SharedMemory() {
  if (data_ == nullptr) return;
  UnwatchMapping(data_);
  munmap(data_, size_);
}

bool SharedMemory::Map() {
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0 || status.st_size < 0) return false;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == size_) return true;
  if (data_ != nullptr) {
    UnwatchMapping(data_);
    munmap(data_, size_);
  }
  data_ = nullptr;
  size_ = 0;
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (data == MAP_FAILED) return false;
  WatchMapping(data, size, "the memory file");
  data_ = static_cast<std::byte*>(data);
  size_ = size;
  return true;
}

std::optional<std::size_t> SharedMemory::Grow(std::size_t bytes) {
  const std::size_t begin = AlignedSize(size_);
  if (ftruncate(descriptor_, static_cast<off_t>(begin + bytes)) != 0 || !Map()) return std::nullopt;
  return begin;
}

}  // namespace opledger

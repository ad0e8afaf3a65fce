// A memory file mapped by two processes, so that tensors need not be written to a pipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace opledger {

class SharedMemory {
 public:
  explicit SharedMemory(int descriptor) : descriptor_(descriptor) {}
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Maps the whole file, if it has grown since. Returns false on failure.
  bool Map();
  // Grows and maps the file. Returns the offset of the new bytes, or nullopt if it cannot grow.
  std::optional<std::size_t> Grow(std::size_t bytes);
  std::size_t size() const { return size_; }
  // Valid until it is mapped again. `offset`: at most size().
  std::byte* At(std::size_t offset) const { return data_ + offset; }
  bool Holds(std::int64_t offset, std::size_t bytes) const {
    return offset >= 0 && static_cast<std::size_t>(offset) <= size_ &&
           bytes <= size_ - static_cast<std::size_t>(offset);
  }

 private:
  int descriptor_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace opledger

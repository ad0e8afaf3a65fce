// held_ is set to zero before sent_ grows. In between, the parent has received more bytes than
// sent_ says, and takes nothing twice.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/answer_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "registry/files/files.h"

namespace opledger::scan {

AnswerBuffer* AnswerBuffer::Make() {
  void* memory = mmap(nullptr, sizeof(AnswerBuffer), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) AnswerBuffer;
}

void AnswerBuffer::Free(AnswerBuffer* buffer) {
  if (buffer != nullptr) munmap(buffer, sizeof(AnswerBuffer));
}

bool AnswerBuffer::Add(std::string_view head, std::string_view answer, int file) {
  const std::size_t size = head.size() + answer.size();
  if (held_ + size > bytes_.size() && !Send(file)) return false;
  if (size > bytes_.size()) {
    if (!WriteAll(file, head) || !WriteAll(file, answer)) return false;
    sent_ += size;
  } else {
    std::memcpy(bytes_.data() + held_, head.data(), head.size());
    std::memcpy(bytes_.data() + held_ + head.size(), answer.data(), answer.size());
    held_ += static_cast<std::uint32_t>(size);
  }
  made_.fetch_add(1, std::memory_order_release);
  return true;
}

bool AnswerBuffer::Send(int file) {
  const std::uint32_t held = held_;
  if (!WriteAll(file, {bytes_.data(), held})) return false;
  held_ = 0;
  sent_ += held;
  return true;
}

std::string_view AnswerBuffer::Unsent(std::uint64_t received) const {
  const std::uint64_t known = received - sent_;  // very large if it received less
  const std::uint64_t held = held_;
  if (known >= held || held > bytes_.size()) return {};
  return {bytes_.data() + known, held - known};
}

}  // namespace opledger::scan

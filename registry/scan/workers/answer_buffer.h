// Holds the answers that a worker has not sent yet, in memory shared with its parent. The worker
// sends many answers at a time, and answers are not lost if it dies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opledger::scan {

class AnswerBuffer {
 public:
  // Allocates memory that processes forked later share. Returns nullptr, with errno set, on
  // failure.
  static AnswerBuffer* Make();
  static void Free(AnswerBuffer* buffer);

  // Called in the worker. Adds an answer: the head of its frame and its bytes. Sends what it holds
  // to the pipe `file` if it does not fit. Returns false if the pipe is broken.
  bool Add(std::string_view head, std::string_view answer, int file);
  bool Send(int file);

  // Called in the parent: number of answers that were added.
  std::uint32_t made() const { return made_.load(std::memory_order_acquire); }
  // Returns what a worker that has ended did not send. `received`: the number of bytes it did send.
  std::string_view Unsent(std::uint64_t received) const;

 private:
  static constexpr std::size_t kBytes = 60 << 10;  // less than a pipe's capacity

  // The worker may be killed between any two of these stores.
  std::atomic<std::uint64_t> sent_ = 0;  // bytes before those in the buffer
  std::atomic<std::uint32_t> held_ = 0;  // bytes in the buffer
  std::atomic<std::uint32_t> made_ = 0;
  std::array<char, kBytes> bytes_;
};

}  // namespace opledger::scan

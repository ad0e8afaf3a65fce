// The answers that a worker has made and not sent yet, in memory that it shares with its parent: it
// sends many at a time, and those it made before it died are not lost with it.
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
  // In memory that a process forked later shares; nullptr, with errno: there is none.
  static AnswerBuffer* Make();
  static void Free(AnswerBuffer* buffer);

  // In the worker: one answer more, its frame's head and the rest of it. What it has is sent to the
  // pipe `file` when it is too much. False: the pipe is broken.
  bool Add(std::string_view head, std::string_view answer, int file);
  bool Send(int file);

  // In the parent: how many answers were added.
  std::uint32_t made() const { return made_.load(std::memory_order_acquire); }
  // What the worker did not send, given how much it sent so far; of a worker that has ended.
  std::string_view Unsent(std::uint64_t received) const;

 private:
  static constexpr std::size_t kBytes = 60 << 10;  // less than a pipe holds

  // A worker may be killed between any two of these stores.
  std::atomic<std::uint64_t> sent_ = 0;  // bytes, before those held
  std::atomic<std::uint32_t> held_ = 0;  // bytes
  std::atomic<std::uint32_t> made_ = 0;
  std::array<char, kBytes> bytes_;
};

}  // namespace opledger::scan

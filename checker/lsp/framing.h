// The base protocol: each message comes behind a header, "Content-Length: N\r\n\r\n".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace opledger {

inline constexpr std::size_t kLargestMessage = std::size_t{64} << 20;  // bytes

// A message, or what is wrong with the header of one.
struct FramedMessage {
  std::string text;
  std::string problem;  // empty: there is none
};

// Takes what a client writes, in whatever pieces. After a header that cannot be understood, what
// comes up to the next "Content-Length:" is skipped, and told once.
class MessageReader {
 public:
  void Feed(std::string_view bytes) { bytes_.append(bytes); }
  // None: more has to come first.
  std::optional<FramedMessage> Next();

 private:
  std::optional<FramedMessage> Lose(std::string problem);
  bool FindHeader();
  void Drop(std::size_t count);

  std::string bytes_;
  std::size_t done_ = 0;               // of bytes_
  std::size_t looked_ = 0;             // from done_ on: where no header's end can begin
  std::optional<std::size_t> length_;  // of the message whose header was read
  bool lost_ = false;
};

// The message behind its header.
std::string Frame(std::string_view message);

}  // namespace opledger

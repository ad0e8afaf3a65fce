// The base protocol: each message follows a header, "Content-Length: N\r\n\r\n".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opledger {

inline constexpr std::size_t kLargestMessage = std::size_t{64} << 20;  // bytes

// A message, or what is wrong with its header.
struct FramedMessage {
  std::string text;
  std::string problem;  // empty if the message is well-formed
};

// Splits what a client sends into messages. After an invalid header, skips everything up to the
// next "Content-Length:" and reports it once.
class MessageReader {
 public:
  void Feed(std::string_view bytes) { bytes_.append(bytes); }
  // Returns nullopt if more bytes are needed.
  std::optional<FramedMessage> Next();

 private:
  std::optional<FramedMessage> Lose(std::string problem);
  bool FindHeader();
  void Drop(std::size_t count);

  std::string bytes_;
  std::size_t done_ = 0;               // consumed bytes of bytes_
  std::size_t looked_ = 0;             // bytes after done_ without a header's end
  std::optional<std::size_t> length_;  // of the message whose header was read
  bool lost_ = false;
};

// Returns the message with its header.
std::string Frame(std::string_view message);

}  // namespace opledger

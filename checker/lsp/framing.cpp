// Splits a stream of arbitrary bytes into messages.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/framing.h"

#include <algorithm>
#include <cctype>

#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestHeader = 8192;
constexpr std::string_view kLengthField = "content-length";
constexpr std::string_view kHeaderEnd = "\r\n\r\n";

std::string HeaderWord(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Returns nullopt if this is not a valid length of a message.
std::optional<std::size_t> ParseLength(std::string_view digits) {
  std::size_t length = 0;
  if (digits.empty()) return std::nullopt;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    length = 10 * length + static_cast<std::size_t>(c - '0');
    if (length > kLargestMessage) return std::nullopt;
  }
  return length;
}

struct Header {
  std::optional<std::size_t> length;
  std::string problem;
};

Header ParseHeader(std::string_view text) {
  Header header;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {{}, "a line of the header has no colon"};
    const std::string name = HeaderWord(line.substr(0, colon));
    const std::string_view value = Trimmed(line.substr(colon + 1));
    if (name == "content-type") {
      const std::string type = HeaderWord(value);
      const std::size_t charset = type.find("charset=");
      const bool known = charset == std::string::npos ||
                         type.find("utf-8", charset) != std::string::npos ||
                         type.find("utf8", charset) != std::string::npos;
      if (!known) return {{}, "the header names a charset that is not utf-8"};
    }
    if (name != kLengthField) continue;
    const std::optional<std::size_t> length = ParseLength(value);
    if (!length) {
      return {{},
              "Content-Length is not a number of bytes up to " + std::to_string(kLargestMessage)};
    }
    if (header.length && header.length != length) return {{}, "Content-Length twice"};
    header.length = length;
  }
  if (!header.length) header.problem = "the header has no Content-Length";
  return header;
}

}  // namespace

// Erases consumed bytes only if few bytes have to be moved.
void MessageReader::Drop(std::size_t count) {
  done_ += count;
  looked_ = 0;
  if (done_ < bytes_.size() / 2) return;
  bytes_.erase(0, done_);
  done_ = 0;
}

std::optional<FramedMessage> MessageReader::Lose(std::string problem) {
  lost_ = true;
  return FramedMessage{{}, std::move(problem)};
}

// After an invalid header, advances to the next one. Returns false if it has not been received yet.
bool MessageReader::FindHeader() {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const std::string_view field = "content-length:";
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(done_);
  const auto found = std::search(begin, bytes_.end(), field.begin(), field.end(), same);
  const auto left = static_cast<std::size_t>(bytes_.end() - begin);
  lost_ = found == bytes_.end();
  Drop(lost_ ? left - std::min(left, field.size() - 1) : static_cast<std::size_t>(found - begin));
  return !lost_;
}

std::optional<FramedMessage> MessageReader::Next() {
  if (lost_ && !FindHeader()) return std::nullopt;
  if (!length_) {
    const std::size_t end = bytes_.find(kHeaderEnd, done_ + looked_);
    const std::size_t size = std::min(end, bytes_.size()) - done_;
    if (size > kLongestHeader) {
      // Skip the first byte, so that the same header is not found again.
      Drop(std::min<std::size_t>(size, 1));
      return Lose("the header is longer than " + std::to_string(kLongestHeader) + " bytes");
    }
    if (end == std::string::npos) {
      looked_ = size - std::min(size, kHeaderEnd.size() - 1);
      return std::nullopt;
    }
    Header header = ParseHeader(std::string_view(bytes_).substr(done_, size));
    Drop(size + kHeaderEnd.size());
    if (!header.problem.empty()) return Lose(std::move(header.problem));
    length_ = header.length;
  }
  if (bytes_.size() - done_ < *length_) return std::nullopt;
  FramedMessage message = {bytes_.substr(done_, *length_), {}};
  Drop(*length_);
  length_.reset();
  return message;
}

std::string Frame(std::string_view message) {
  std::string text = "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n";
  return text.append(message);
}

}  // namespace opledger

// Serializes records as bytes, for the cache and between processes. Reading checks every length.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace opledger {

class ByteWriter {
 public:
  void Number(std::uint64_t value) {  // variable length, 7 bits a byte
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_.append(text);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// After a failed read, all further reads return zero or empty values, and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return Fail();
      auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }
  std::string_view Text() { return Bytes(Number()); }
  std::string_view Bytes(std::uint64_t size) {
    if (size > rest_.size()) {
      Fail();
      return {};
    }
    std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  // Reads a count of items that take at least one byte each. Fails if they cannot fit.
  std::uint64_t Count() {
    std::uint64_t count = Number();
    return count <= rest_.size() ? count : Fail();
  }
  // Reads a number from -1 on. Fails if it does not fit an int.
  int Signed() {
    const std::uint64_t number = Number();
    constexpr auto kMost = std::uint64_t{std::numeric_limits<int>::max()} + 1;
    return static_cast<int>(static_cast<std::int64_t>(number <= kMost ? number : Fail()) - 1);
  }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  std::uint64_t Fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace opledger

// Reads Protocol Buffers' wire format as spans of fields, without interpreting them.
// https://protobuf.dev/programming-guides/encoding
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "registry/text/location.h"

namespace opledger {

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kGroupEnd = 4,
  kFixed32 = 5
};

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  Span whole;               // including its tag
  Span length;              // for kBytes: the varint with the size of the body
  Span body;                // after tag and length; for a group: without its end
  std::uint64_t value = 0;  // for kVarint

  bool IsBytes(std::uint32_t wanted) const { return number == wanted && type == WireType::kBytes; }
  bool IsVarint(std::uint32_t wanted) const {
    return number == wanted && type == WireType::kVarint;
  }
};

// Iterates over the fields of a message in file order. Unknown fields are not treated specially.
class WireReader {
 public:
  WireReader(std::string_view file, Span message)
      : file_(file), at_(message.begin), end_(message.end) {}

  // Reads the next field. Returns false at the end, or if the bytes are malformed (then ok() is
  // false).
  bool Next(WireField& field);
  bool ok() const { return ok_; }
  std::size_t at() const { return at_; }  // the current position; that of the error if not ok()

 private:
  bool Varint(std::uint64_t& value);
  bool SkipGroup(std::uint32_t number, Span& body);
  bool Fail() { return ok_ = false; }

  std::string_view file_;
  std::size_t at_;
  std::size_t end_;
  bool ok_ = true;
};

// The fields of a message for range-based loops. Ends at the first malformed field.
class WireFields {
 public:
  class Iterator {
   public:
    explicit Iterator(WireReader& reader) : reader_(reader) { ++*this; }
    const WireField& operator*() const { return field_; }
    Iterator& operator++() {
      there_ = reader_.Next(field_);
      return *this;
    }
    bool operator!=(std::default_sentinel_t) const { return there_; }

   private:
    WireReader& reader_;
    WireField field_;
    bool there_ = false;
  };

  WireFields(std::string_view file, Span message) : reader_(file, message) {}
  Iterator begin() { return Iterator(reader_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  WireReader reader_;
};

// Reads a varint at `at` and advances it. Returns false past `end` or beyond 64 bits.
bool ReadVarint(std::string_view file, std::size_t& at, std::size_t end, std::uint64_t& value);

void AppendVarint(std::string& out, std::uint64_t value);
// Append the tag and value of a field.
void AppendVarintField(std::string& out, std::uint32_t number, std::uint64_t value);
void AppendBytesField(std::string& out, std::uint32_t number, std::string_view bytes);

}  // namespace opledger

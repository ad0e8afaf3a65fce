// Checks every length before use. Skips groups up to a fixed depth.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/wire.h"

#include <vector>

namespace opledger {
namespace {

constexpr std::size_t kMaxGroupDepth = 64;
constexpr std::uint64_t kMaxTag = 0xffffffff;

}  // namespace

bool ReadVarint(std::string_view file, std::size_t& at, std::size_t end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at >= end) return false;
    const auto byte = static_cast<unsigned char>(file[at++]);
    if (shift == 63 && (byte & 0x7e) != 0) return false;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool WireReader::Varint(std::uint64_t& value) { return ReadVarint(file_, at_, end_, value); }

bool WireReader::Next(WireField& field) {
  if (!ok_ || at_ >= end_) return false;
  const std::size_t begin = at_;
  std::uint64_t tag = 0;
  if (!Varint(tag) || tag > kMaxTag || tag >> 3 == 0) return Fail();
  field = {};
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  std::uint64_t size = 0;
  switch (field.type) {
    case WireType::kVarint:
      field.body.begin = at_;
      if (!Varint(field.value)) return Fail();
      field.body.end = at_;
      break;
    case WireType::kFixed64:
    case WireType::kFixed32:
      size = field.type == WireType::kFixed64 ? 8 : 4;
      if (size > end_ - at_) return Fail();
      field.body = {at_, at_ + size};
      at_ = field.body.end;
      break;
    case WireType::kBytes:
      field.length.begin = at_;
      if (!Varint(size) || size > end_ - at_) return Fail();
      field.length.end = at_;
      field.body = {at_, at_ + size};
      at_ = field.body.end;
      break;
    case WireType::kGroup:
      if (!SkipGroup(field.number, field.body)) return Fail();
      break;
    default:
      return Fail();
  }
  field.whole = {begin, at_};
  return true;
}

// Skips a group and advances at_ past its end.
bool WireReader::SkipGroup(std::uint32_t number, Span& body) {
  body.begin = at_;
  std::vector<std::uint32_t> open = {number};
  while (!open.empty()) {
    const std::size_t here = at_;
    std::uint64_t tag = 0;
    std::uint64_t size = 0;
    if (!Varint(tag) || tag > kMaxTag || tag >> 3 == 0) return false;
    const auto type = static_cast<WireType>(tag & 7);
    if (type == WireType::kGroup) {
      if (open.size() >= kMaxGroupDepth) return false;
      open.push_back(static_cast<std::uint32_t>(tag >> 3));
    } else if (type == WireType::kGroupEnd) {
      if (open.back() != tag >> 3) return false;
      open.pop_back();
      body.end = here;
    } else if (type == WireType::kVarint) {
      if (!Varint(size)) return false;
    } else {
      if (type == WireType::kFixed64) size = 8;
      if (type == WireType::kFixed32) size = 4;
      if (type == WireType::kBytes && !Varint(size)) return false;
      if (static_cast<int>(type) > 5 || size > end_ - at_) return false;
      at_ += size;
    }
  }
  return true;
}

void AppendVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void AppendVarintField(std::string& out, std::uint32_t number, std::uint64_t value) {
  AppendVarint(out, std::uint64_t{number} << 3);
  AppendVarint(out, value);
}

void AppendBytesField(std::string& out, std::uint32_t number, std::string_view bytes) {
  AppendVarint(out, std::uint64_t{number} << 3 | static_cast<unsigned>(WireType::kBytes));
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

}  // namespace opledger

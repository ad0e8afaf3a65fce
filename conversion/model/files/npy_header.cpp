// Parses a Python literal: a dictionary with exactly these three keys.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/npy_header.h"

#include <charconv>

namespace opledger {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxNpyDimensions = 64;

struct NpyType {
  std::string_view code;  // without the byte order
  Dtype dtype;
};

constexpr NpyType kNpyTypes[] = {
    {"f4", Dtype::kFloat32},  {"f8", Dtype::kFloat64}, {"f2", Dtype::kFloat16},
    {"b2", Dtype::kBfloat16}, {"b1", Dtype::kBool},    {"i1", Dtype::kInt8},
    {"i2", Dtype::kInt16},    {"i4", Dtype::kInt32},   {"i8", Dtype::kInt64},
    {"u1", Dtype::kUint8},    {"u2", Dtype::kUint16},  {"u4", Dtype::kUint32},
    {"u8", Dtype::kUint64},
};

class NpyLiteral {
 public:
  NpyLiteral(std::string_view text, std::size_t at, NpyHeader& header)
      : text_(text), at_(at), header_(header) {}

  bool Read() {
    if (!Take("{")) return false;
    bool descr = false;
    bool order = false;
    bool shape = false;
    while (!Take("}")) {
      if (Key("descr", descr)) {
        if (!Descr()) return false;
      } else if (Key("fortran_order", order)) {
        header_.fortran_order = Take("True");
        if (!header_.fortran_order && !Take("False")) return false;
      } else if (!Key("shape", shape) || !Shape()) {
        return false;
      }
      if (!Take(",")) {
        if (!Take("}")) return false;
        break;
      }
    }
    Blanks();
    return at_ == text_.size() && descr && order && shape;
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool Take(std::string_view what) {
    Blanks();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  // Reads a key that has not occurred yet, and its colon.
  bool Key(const std::string& name, bool& taken) {
    if (taken || (!Take("'" + name + "'") && !Take('"' + name + '"'))) return false;
    taken = true;
    return Take(":");
  }

  // The descr of records is a list that contains strings; it is skipped.
  bool Descr() {
    Blanks();
    header_.descr.begin = at_;
    int depth = 0;
    do {
      if (at_ >= text_.size()) return false;
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        const std::size_t end = text_.find(c, at_ + 1);
        if (end == std::string_view::npos) return false;
        at_ = end;
      } else if (c == '[' || c == '(') {
        ++depth;
      } else if (c == ']' || c == ')') {
        --depth;
      } else if (depth == 0) {
        return false;
      }
      ++at_;
    } while (depth > 0);
    header_.descr.end = at_;
    const std::string_view inner = text_.substr(
        header_.descr.begin + 1, header_.descr.size() > 2 ? header_.descr.size() - 2 : 0);
    if (depth < 0 || inner.empty()) return false;
    const bool ordered = inner.front() == '<' || inner.front() == '|' || inner.front() == '=' ||
                         inner.front() == '>';
    if (!ordered) return true;
    for (const NpyType& type : kNpyTypes) {
      if (inner.substr(1) == type.code) header_.dtype = type.dtype;
    }
    header_.big_endian =
        inner.front() == '>' && header_.dtype.has_value() && DtypeBits(*header_.dtype) > 8;
    return true;
  }

  bool Shape() {
    if (!Take("(")) return false;
    header_.elements = 1;
    while (!Take(")")) {
      Blanks();
      std::int64_t dimension = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), dimension);
      if (error != std::errc() || dimension < 0) return false;
      at_ += static_cast<std::size_t>(end - begin);
      Take("L");  // Python 2
      header_.dimensions.push_back(dimension);
      if (header_.dimensions.size() > kMaxNpyDimensions) return false;
      if (!Take(",")) {
        if (!Take(")")) return false;
        break;
      }
    }
    return Count();
  }

  // Multiplies the dimensions. Zero if any of them is zero, even if the product would overflow.
  bool Count() {
    for (const std::int64_t dimension : header_.dimensions) {
      if (dimension == 0) header_.elements = 0;
    }
    if (header_.elements == 0) return true;
    for (const std::int64_t dimension : header_.dimensions) {
      if (__builtin_mul_overflow(header_.elements, static_cast<std::uint64_t>(dimension),
                                 &header_.elements)) {
        return false;
      }
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  NpyHeader& header_;
};

}  // namespace

std::optional<NpyHeader> ReadNpyHeader(std::string_view bytes) {
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < 12) return std::nullopt;
  const auto byte = [&](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(bytes[at])};
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return std::nullopt;
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t size = byte(8) | byte(9) << 8;
  if (version > 1) size |= byte(10) << 16 | byte(11) << 24;
  if (size > kMaxNpyHeader - begin || size > bytes.size() - begin) return std::nullopt;
  NpyHeader header;
  header.text = bytes.substr(0, begin + size);
  if (!NpyLiteral(header.text, begin, header).Read()) return std::nullopt;
  return header;
}

std::string WithNpyType(const NpyHeader& header, Dtype dtype) {
  std::string text = header.text;
  for (const NpyType& type : kNpyTypes) {
    if (type.dtype != dtype) continue;
    // Every code has two characters, so the length does not change.
    text.replace(header.descr.begin + 1, header.descr.size() - 2, "<" + std::string(type.code));
    break;
  }
  return text;
}

}  // namespace opledger

// Uses BLAKE3 from LLVM, which the scanner links anyway.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/cache/digest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

namespace opledger::scan {

std::string Digest::Hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::optional<Digest> Digest::FromHex(std::string_view hex) {
  Digest digest;
  if (hex.size() != 2 * digest.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const char c = hex[i];
    const bool letter = c >= 'a' && c <= 'f';
    if (!letter && !(c >= '0' && c <= '9')) return std::nullopt;
    const int value = letter ? c - 'a' + 10 : c - '0';
    digest.bytes[i / 2] = static_cast<std::uint8_t>(digest.bytes[i / 2] << 4 | value);
  }
  return digest;
}

Digest DigestOf(std::string_view bytes) {
  Digest digest;
  auto hash = llvm::BLAKE3::hash<16>(llvm::ArrayRef<std::uint8_t>(
      reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  std::memcpy(digest.bytes.data(), hash.data(), digest.bytes.size());
  return digest;
}

DigestBuilder& DigestBuilder::Add(std::string_view part) {
  std::uint64_t size = part.size();
  parts_.append(reinterpret_cast<const char*>(&size), sizeof size);
  parts_.append(part);
  return *this;
}

}  // namespace opledger::scan

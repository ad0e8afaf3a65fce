// SHA-256 by libmd.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sha256.h"

#include <sha2.h>

#include <array>
#include <cstdint>

namespace opledger {

namespace {

using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

Digest DigestOf(std::string_view bytes) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  Digest digest;
  SHA256Final(digest.data(), &context);
  return digest;
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  const Digest digest = DigestOf(bytes);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof digest);
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string Sha256Base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : DigestOf(bytes)) {
    bits = bits << 8U | byte;
    for (count += 8; count >= 6;) {
      count -= 6;
      out += kLetters[bits >> count & 63U];
    }
  }
  if (count > 0) out += kLetters[bits << (6 - count) & 63U];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

}  // namespace opledger

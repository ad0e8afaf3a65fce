// SHA-256, implemented with libmd.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/sha256.h"

#include <sha2.h>

#include <array>
#include <cstdint>

namespace opledger {

namespace {

using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

void Update(SHA2_CTX& context, std::string_view bytes) {
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

Digest Finish(SHA2_CTX& context) {
  Digest digest;
  SHA256Final(digest.data(), &context);
  return digest;
}

Digest DigestOf(std::string_view bytes) {
  SHA2_CTX context;
  SHA256Init(&context);
  Update(context, bytes);
  return Finish(context);
}

std::string HexOf(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof digest);
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace

struct Sha256::State {
  SHA2_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { SHA256Init(&state_->context); }
Sha256::~Sha256() = default;

void Sha256::Add(std::string_view bytes) { Update(state_->context, bytes); }

std::string Sha256::Hex() { return HexOf(Finish(state_->context)); }

std::string Sha256Hex(std::string_view bytes) { return HexOf(DigestOf(bytes)); }

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

// SHA-256 by libmd.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sha256.h"

#include <sha2.h>

namespace opledger {

std::string Sha256Hex(std::string_view bytes) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256Final(digest, &context);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof digest);
  for (const uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace opledger

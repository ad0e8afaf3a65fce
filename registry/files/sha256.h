// SHA-256, for cache keys, checksums and the digests in reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace opledger {

// Computes the digest of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(std::string_view bytes);
  // Returns 64 lowercase hexadecimal digits. Call it once, after all Add() calls.
  std::string Hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the digest of `bytes` as 64 lowercase hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
// Returns the digest in Base64, as in the content security policy of a page.
std::string Sha256Base64(std::string_view bytes);

}  // namespace opledger

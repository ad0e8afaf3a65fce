// SHA-256, for cache keys, checksums and the digests in reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace opledger {

// Of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(std::string_view bytes);
  // 64 lower-case hexadecimal digits, once all is added.
  std::string Hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
// As a page's security policy names a script.
std::string Sha256Base64(std::string_view bytes);

}  // namespace opledger

// 128-bit digests, used as cache keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "registry/text/packing.h"

namespace opledger::scan {

struct Digest {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Digest&) const = default;
  std::string_view View() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string Hex() const;
  // Parses what Hex() returns. Returns nullopt if `hex` is not a digest.
  static std::optional<Digest> FromHex(std::string_view hex);
};

struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t hash;
    std::memcpy(&hash, digest.bytes.data(), sizeof hash);
    return hash;
  }
};

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Digest>& digest) {
  pack.Raw(digest.bytes);
}

// Returns the truncated BLAKE3 hash of the bytes.
Digest DigestOf(std::string_view bytes);

// BLAKE3 of several parts. Each is hashed with its length, so that different splits differ.
class DigestBuilder {
 public:
  DigestBuilder& Add(std::string_view part);
  DigestBuilder& Add(const Digest& digest) { return Add(digest.View()); }
  Digest Finish() const { return DigestOf(parts_); }

 private:
  std::string parts_;
};

}  // namespace opledger::scan

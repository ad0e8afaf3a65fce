// 128-bit digests: what cache keys are made of.
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
  // The digest that Hex() writes so; none: no digest is written so.
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

// BLAKE3 of the bytes, truncated.
Digest DigestOf(std::string_view bytes);

// BLAKE3 over several parts, each with its length, so that parts cannot run into each other.
class DigestBuilder {
 public:
  DigestBuilder& Add(std::string_view part);
  DigestBuilder& Add(const Digest& digest) { return Add(digest.View()); }
  Digest Finish() const { return DigestOf(parts_); }

 private:
  std::string parts_;
};

}  // namespace opledger::scan

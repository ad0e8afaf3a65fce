// Format of the cache's files. A pack is a magic number followed by entries, each with a checksum.
// A pack that is truncated, or still being written, is read up to its last complete entry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "registry/scan/cache/digest.h"

namespace opledger::scan {

inline constexpr std::string_view kPackMagic = "OPLPACK2";

// Appends an entry with its checksum.
void AppendEntry(std::string& pack, const Digest& key, std::string_view payload);

// Calls `found` with the key and the sealed payload (see Seal) of every complete entry, without
// verifying checksums.
void ReadPack(std::string_view pack,
              const std::function<void(const Digest& key, std::string_view sealed)>& found);

// Returns the payload of an entry, or of a sealed file (whose key is all zero), or nullopt if its
// checksum is wrong.
std::optional<std::string_view> Unseal(const Digest& key, std::string_view sealed);
// Returns a checksum of key and payload, followed by the payload.
std::string Seal(const Digest& key, std::string_view payload);

// Removes files that killed runs left partly written, and indexes that were last written 90 days
// ago.
void RemoveStaleFiles(const std::string& folder);

}  // namespace opledger::scan

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

void AppendEntry(std::string& pack, const Digest& key, std::string_view payload);

// Calls `found` with the key and the sealed payload of every complete entry. Checksums are not
// verified.
void ReadPack(std::string_view pack,
              const std::function<void(const Digest& key, std::string_view sealed)>& found);

// Returns the payload of an entry, or of a sealed file (key: all zero), if its checksum is right.
std::optional<std::string_view> Unseal(const Digest& key, std::string_view sealed);
std::string Seal(const Digest& key, std::string_view payload);

// Removes partly written files of killed runs, and indexes that no run has written for 90 days.
void RemoveStaleFiles(const std::string& folder);

}  // namespace opledger::scan

// The form of the cache's files. A pack is magic and then entries, each with a checksum over all of
// it; a pack that was cut short, or is still being written, is read up to there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "registry/scan/cache/digest.h"

namespace opledger::scan {

inline constexpr std::string_view kPackMagic = "OPLPACK2";

// Appends an entry to `pack`.
void AppendEntry(std::string& pack, const Digest& key, std::string_view payload);

// Calls `found` with the key and the sealed payload of every whole entry, unchecked.
void ReadPack(std::string_view pack,
              const std::function<void(const Digest& key, std::string_view sealed)>& found);

// The payload of an entry, or of a sealed file (key: all zero), if its checksum is right.
std::optional<std::string_view> Unseal(const Digest& key, std::string_view sealed);
std::string Seal(const Digest& key, std::string_view payload);

// Removes what killed runs left half written in the folder, and indexes that no run wrote for three
// months.
void RemoveStaleFiles(const std::string& folder);

}  // namespace opledger::scan

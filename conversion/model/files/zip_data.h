// Reads the contents of a zip archive's members piece by piece, deflated or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "conversion/model/files/zip_file.h"

namespace opledger {

// Calls `take` with a member's content in pieces of kZipPiece bytes (the last one may be shorter)
// until it returns false. Returns false if it did or if the data does not match the member.
bool ForEachZipPiece(const SourceFile& file, const ZipMember& member,
                     const std::function<bool(std::string_view)>& take);
inline constexpr std::size_t kZipPiece = std::size_t{1} << 20;

// Checks the size and CRC-32 of every member's content against the directory. Reports an error that
// names the first mismatch.
bool CheckZipData(const SourceFile& file, const ZipFile& zip, Diagnostics& diagnostics);

// Continues a CRC-32 `crc` with `bytes`. The CRC of no bytes is 0.
std::uint32_t ZipCrc(std::uint32_t crc, std::string_view bytes);

}  // namespace opledger

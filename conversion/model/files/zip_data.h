// The contents of a zip archive's members, piece by piece, deflated or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "conversion/model/files/zip_file.h"

namespace opledger {

// Calls `take` with a member's content in pieces of kZipPiece bytes (the last one is shorter) until
// it gives false. False: it did, or the data is not what the member says.
bool ForEachZipPiece(const SourceFile& file, const ZipMember& member,
                     const std::function<bool(std::string_view)>& take);
inline constexpr std::size_t kZipPiece = std::size_t{1} << 20;

// Whether every member's content has the size and the CRC-32 that the directory says; an error
// names the one that has not.
bool CheckZipData(const SourceFile& file, const ZipFile& zip, Diagnostics& diagnostics);

// The CRC-32 of what `crc` is of, and of `bytes` after it. Of nothing it is 0.
std::uint32_t ZipCrc(std::uint32_t crc, std::string_view bytes);

}  // namespace opledger

// Zip archives: where each member stands. PKWARE's APPNOTE.TXT is the source of the layout; 64-bit
// sizes and descriptors after the data are read, archives in parts and encrypted members are not.
//   member: header, name, extra fields, data, descriptor; ...; directory of all members; its end
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "conversion/model/files/files.h"

namespace opledger {

struct ZipMember {
  enum class Method : std::uint8_t { kStored, kDeflated };
  std::string_view name;
  Method method = Method::kStored;
  std::uint32_t crc = 0;   // of the content
  std::uint64_t size = 0;  // of the content, in bytes
  Span whole;              // from its header to the end of its descriptor
  Span header_extra;       // extra fields of its header
  Span data;               // as stored, deflated or not
  Span entry;              // of the directory
  Span entry_extra;
};

struct ZipFile {
  std::vector<ZipMember> members;  // in the order of the directory
  Span directory;
  Span end;               // the records after the directory, but for the comment
  bool wide_end = false;  // a zip64 record is among them
};

// Reads the structure; members do not overlap and have distinct names. An error says what is wrong
// and at which byte.
std::optional<ZipFile> ReadZip(const SourceFile& file, Diagnostics& diagnostics);

// Whether the bytes begin as a zip archive does.
bool IsZip(std::string_view bytes);

inline constexpr std::size_t kZipHeader = 30;           // the fixed part of a member's header
inline constexpr std::size_t kZipEntry = 46;            // of the directory
inline constexpr std::uint16_t kZip64 = 1;              // id of the extra field
inline constexpr std::uint32_t kZipLarge = 0xffffffff;  // the field is in the zip64 extra

// Little-endian, `bytes` of them.
std::uint64_t ZipNumber(std::string_view bytes, std::size_t at, std::size_t size);

// Calls `take` with the id and content of each extra field; false: they do not fit into the bytes.
bool ForEachZipExtra(std::string_view extra,
                     const std::function<void(std::uint16_t, std::string_view)>& take);

}  // namespace opledger

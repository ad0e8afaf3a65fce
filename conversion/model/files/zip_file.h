// Locates the members of a zip archive, as described by PKWARE's APPNOTE.TXT. Supports 64-bit sizes
// and data descriptors, but not multi-part archives and encryption.
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
  Span entry;              // in the directory
  Span entry_extra;
};

struct ZipFile {
  std::vector<ZipMember> members;  // in the order of the directory
  Span directory;
  Span end;               // the records after the directory, without the comment
  bool wide_end = false;  // includes a zip64 record
};

// Reads the structure. Members must not overlap and must have distinct names. Errors say what is
// wrong and at which byte.
std::optional<ZipFile> ReadZip(const SourceFile& file, Diagnostics& diagnostics);

// Returns whether the bytes start like a zip archive.
bool IsZip(std::string_view bytes);

inline constexpr std::size_t kZipHeader = 30;           // the fixed part of a member's header
inline constexpr std::size_t kZipEntry = 46;            // the fixed part of a directory entry
inline constexpr std::uint16_t kZip64 = 1;              // id of the extra field
inline constexpr std::uint32_t kZipLarge = 0xffffffff;  // the value is in the zip64 extra field

// Reads a little-endian number of `size` bytes at `at`.
std::uint64_t ZipNumber(std::string_view bytes, std::size_t at, std::size_t size);

// Calls `take` with the id and content of each extra field. Returns false if they exceed the bytes.
bool ForEachZipExtra(std::string_view extra,
                     const std::function<void(std::uint16_t, std::string_view)>& take);

}  // namespace opledger

// Inflates with zlib in pieces, so that memory use does not depend on the compression ratio.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/zip_data.h"

#include <zlib.h>

#include <algorithm>
#include <string>

namespace opledger {
namespace {

using TakeZip = std::function<bool(std::string_view)>;

bool ForEachStored(const SourceFile& file, Span data, const TakeZip& take) {
  while (data.size() > 0) {
    const Span piece = {data.begin, std::min(data.end, data.begin + kZipPiece)};
    if (!take(file.Text(piece))) return false;
    if (piece.size() == kZipPiece) file.Release(piece);
    data.begin = piece.end;
  }
  return true;
}

class Inflater {
 public:
  Inflater(const SourceFile& file, const ZipMember& member) : file_(file), rest_(member.data) {
    ok_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;  // raw: the archive has its own checksum
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // Fills `piece`. Returns false if the data ends early or is corrupt.
  bool Fill(std::string& piece) {
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    while (ok_ && stream_.avail_out > 0 && !ended_) Step();
    return ok_ && stream_.avail_out == 0;
  }

  // Returns whether the compressed and the inflated data both end here.
  bool AtEnd() {
    stream_.next_out = &more_;
    stream_.avail_out = 1;
    while (ok_ && stream_.avail_out > 0 && !ended_) Step();
    return ok_ && ended_ && stream_.avail_out == 1 && stream_.avail_in == 0 && rest_.size() == 0;
  }

 private:
  void Step() {
    // After the last input byte, zlib may still have output pending.
    if (stream_.avail_in == 0 && rest_.size() > 0) {
      const std::size_t count = std::min(kZipPiece, rest_.size());
      // zlib only reads from next_in, but its older headers lack the const.
      stream_.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(file_.bytes().data())) + rest_.begin;
      stream_.avail_in = static_cast<uInt>(count);
      if (rest_.begin > kZipPiece) file_.Release({rest_.begin - kZipPiece, rest_.begin});
      rest_.begin += count;
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    const bool needs_more = result == Z_BUF_ERROR && stream_.avail_in == 0 && rest_.size() > 0;
    ok_ = ended_ || result == Z_OK || needs_more;
  }

  const SourceFile& file_;
  Span rest_;
  z_stream stream_ = {};
  Bytef more_ = 0;  // receives a byte beyond the expected end
  bool ok_ = true;
  bool ended_ = false;
};

bool ForEachInflated(const SourceFile& file, const ZipMember& member, const TakeZip& take) {
  Inflater inflater(file, member);
  std::string piece;
  for (std::uint64_t left = member.size; left > 0; left -= piece.size()) {
    piece.resize(std::min<std::uint64_t>(left, kZipPiece));
    if (!inflater.Fill(piece) || !take(piece)) return false;
  }
  return inflater.AtEnd();
}

}  // namespace

bool ForEachZipPiece(const SourceFile& file, const ZipMember& member, const TakeZip& take) {
  const bool stored = member.method == ZipMember::Method::kStored;
  return stored ? ForEachStored(file, member.data, take) : ForEachInflated(file, member, take);
}

namespace {

// Parameters hardly compress. A higher ratio with this much data suggests a zip bomb.
constexpr std::uint64_t kLikelyRatio = 100;
constexpr std::uint64_t kLikelyBytes = std::uint64_t{2} << 30;

bool CheckInflatedSize(const SourceFile& file, const ZipFile& zip, Diagnostics& diagnostics) {
  std::uint64_t inflated = 0;
  std::uint64_t stored = 0;
  for (const ZipMember& member : zip.members) {
    if (member.method == ZipMember::Method::kStored) continue;
    if (__builtin_add_overflow(inflated, member.size, &inflated)) inflated = UINT64_MAX;
    stored += member.data.size();
  }
  if (inflated <= kLikelyBytes || inflated / kLikelyRatio <= stored) return true;
  return diagnostics.Error(
      {.path = file.path()},
      "would inflate from " + std::to_string(stored >> 20) + " MB to " +
          std::to_string(inflated >> 20) + " MB, more than " + std::to_string(kLikelyRatio) +
          " times as much",
      "is this a zip bomb? If not, write the archive without compression (numpy.savez)");
}

}  // namespace

bool CheckZipData(const SourceFile& file, const ZipFile& zip, Diagnostics& diagnostics) {
  if (!CheckInflatedSize(file, zip, diagnostics)) return false;
  for (const ZipMember& member : zip.members) {
    std::uint32_t crc = 0;
    const bool whole = ForEachZipPiece(file, member, [&](std::string_view piece) {
      crc = ZipCrc(crc, piece);
      return true;
    });
    if (whole && crc == member.crc) continue;
    return diagnostics.Error({.path = file.path()},
                             "a broken zip archive: '" + Printable(member.name) + "' " +
                                 (whole ? "does not have the checksum that the archive states"
                                        : "cannot be inflated to the size that the archive states"),
                             "the file is damaged: export the parameters again");
  }
  return true;
}

std::uint32_t ZipCrc(std::uint32_t crc, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kZipPiece);
    crc = static_cast<std::uint32_t>(
        crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size())));
    bytes.remove_prefix(piece.size());
  }
  return crc;
}

}  // namespace opledger

// Checks the directory against the members' own headers, and every position against the file,
// before use.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/zip_file.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "registry/project/contained_path.h"

namespace opledger {
namespace {

constexpr std::string_view kHeaderMagic("PK\3\4", 4);
constexpr std::string_view kEntryMagic("PK\1\2", 4);
constexpr std::string_view kEndMagic("PK\5\6", 4);
constexpr std::string_view kWideEndMagic("PK\6\6", 4);
constexpr std::string_view kLocatorMagic("PK\6\7", 4);
constexpr std::string_view kDescriptorMagic("PK\7\10", 4);
constexpr std::size_t kEnd = 22;
constexpr std::size_t kLocator = 20;
constexpr std::size_t kWideEnd = 56;
constexpr std::size_t kLongestComment = 0xffff;

constexpr std::uint64_t kEncrypted = 1 << 0;
constexpr std::uint64_t kDescribed = 1 << 3;  // a descriptor follows the data
constexpr std::uint64_t kStrongEncryption = 1 << 6;
constexpr std::uint64_t kMaskedHeader = 1 << 13;

class ZipReader {
 public:
  ZipReader(const SourceFile& file, ZipFile& zip, Diagnostics& diagnostics)
      : file_(file), bytes_(file.bytes()), zip_(zip), diagnostics_(diagnostics) {}

  bool Read() {
    if (!FindEnd()) return false;
    if (count_ > zip_.directory.size() / kZipEntry) {
      return Malformed("its directory is too small for its members", zip_.directory.begin);
    }
    std::size_t at = zip_.directory.begin;
    std::unordered_set<std::string_view> names;
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (!ReadEntry(at)) return false;
      const ZipMember& member = zip_.members.back();
      if (!names.insert(member.name).second) {
        return Malformed("two members are called '" + Printable(member.name) + "'", at);
      }
      at = member.entry.end;
    }
    if (at != zip_.directory.end) return Malformed("its directory has extra data", at);
    return CheckApart();
  }

 private:
  bool Malformed(const std::string& what, std::size_t at) {
    return diagnostics_.Error({.path = file_.path()},
                              "a broken zip archive: " + what + ", at byte " + std::to_string(at),
                              "check that the file is complete");
  }

  std::uint64_t At(std::size_t at, std::size_t size) const { return ZipNumber(bytes_, at, size); }

  bool IsAt(std::size_t at, std::string_view magic) const {
    return at <= bytes_.size() && bytes_.substr(at).starts_with(magic);
  }

  // Finds the end record, which is followed only by a comment whose length it states.
  bool FindEnd() {
    const std::size_t size = bytes_.size();
    for (std::size_t back = kEnd; back <= std::min(size, kEnd + kLongestComment); ++back) {
      const std::size_t at = size - back;
      if (!IsAt(at, kEndMagic) || At(at + 20, 2) != back - kEnd) continue;
      return ReadEnd(at);
    }
    return Malformed("its directory has no end", size);
  }

  bool ReadEnd(std::size_t at) {
    zip_.end = {at, at + kEnd};
    const bool parts = At(at + 4, 2) != 0 || At(at + 6, 2) != 0;
    count_ = At(at + 10, 2);
    std::uint64_t size = At(at + 12, 4);
    std::uint64_t begin = At(at + 16, 4);
    if (at >= kLocator && IsAt(at - kLocator, kLocatorMagic)) {
      zip_.wide_end = true;
      const std::size_t locator = at - kLocator;
      const std::uint64_t wide = At(locator + 8, 8);
      if (locator < kWideEnd || wide > locator - kWideEnd || !IsAt(wide, kWideEndMagic) ||
          At(wide + 4, 8) != locator - wide - 12) {
        return Malformed("the 64-bit end of its directory is not where it should be", locator);
      }
      zip_.end.begin = wide;
      count_ = At(wide + 32, 8);
      size = At(wide + 40, 8);
      begin = At(wide + 48, 8);
    }
    if (parts) return Malformed("it is one part of a multi-part archive", at);
    std::uint64_t end = 0;
    if (__builtin_add_overflow(begin, size, &end) || end != zip_.end.begin) {
      return Malformed("its directory is not where it should be", at);
    }
    zip_.directory = {begin, end};
    return true;
  }

  // Replaces fields that an entry or header leaves to its 64-bit field, which holds them in this
  // order.
  static bool Widen(std::string_view extra, const std::vector<std::uint64_t*>& fields) {
    bool fits = true;
    std::vector<std::uint64_t*> large;
    for (std::uint64_t* field : fields) {
      if (*field == kZipLarge) large.push_back(field);
    }
    bool found = large.empty();
    const bool whole = ForEachZipExtra(extra, [&](std::uint16_t id, std::string_view content) {
      if (id != kZip64 || found) return;
      found = true;
      fits = content.size() >= 8 * large.size();
      for (std::size_t i = 0; fits && i < large.size(); ++i) {
        *large[i] = ZipNumber(content, 8 * i, 8);
      }
    });
    return whole && fits;
  }

  bool ReadEntry(std::size_t at) {
    const std::size_t end = zip_.directory.end;
    if (end - at < kZipEntry || !IsAt(at, kEntryMagic)) {
      return Malformed("no member's entry in its directory", at);
    }
    const std::uint64_t name = At(at + 28, 2);
    const std::uint64_t extra = At(at + 30, 2);
    const std::uint64_t comment = At(at + 32, 2);
    if (name + extra + comment > end - at - kZipEntry) {
      return Malformed("an entry reaches beyond its directory", at);
    }
    ZipMember& member = zip_.members.emplace_back();
    member.name = bytes_.substr(at + kZipEntry, name);
    member.entry_extra = {at + kZipEntry + name, at + kZipEntry + name + extra};
    member.entry = {at, at + kZipEntry + name + extra + comment};
    member.crc = static_cast<std::uint32_t>(At(at + 16, 4));
    std::uint64_t stored = At(at + 20, 4);
    member.size = At(at + 24, 4);
    std::uint64_t header = At(at + 42, 4);
    if (!Widen(file_.Text(member.entry_extra), {&member.size, &stored, &header})) {
      return Malformed("an entry's extra fields are broken", at);
    }
    if (At(at + 34, 2) != 0) return Malformed("a member is in another part", at);
    const std::uint64_t flags = At(at + 8, 2);
    if (!CheckKind(member, flags, At(at + 10, 2), at)) return false;
    return ReadHeader(member, header, stored, flags);
  }

  bool CheckKind(ZipMember& member, std::uint64_t flags, std::uint64_t method, std::size_t at) {
    const std::string name = "'" + Printable(member.name) + "'";
    if ((flags & (kEncrypted | kStrongEncryption | kMaskedHeader)) != 0) {
      return Malformed(name + " is encrypted", at);
    }
    if (method != 0 && method != 8) {
      return Malformed(
          name + " is compressed by method " + std::to_string(method) + "; 0 and 8 are known", at);
    }
    if (!StaysBelow(std::string(member.name))) {
      return Malformed("the name " + name + " points outside the folder", at);
    }
    member.method = method == 0 ? ZipMember::Method::kStored : ZipMember::Method::kDeflated;
    return true;
  }

  bool ReadHeader(ZipMember& member, std::uint64_t at, std::uint64_t stored, std::uint64_t flags) {
    const std::size_t end = zip_.directory.begin;
    if (at > end || end - at < kZipHeader || !IsAt(at, kHeaderMagic)) {
      return Malformed("no member begins where its directory says", at);
    }
    const std::uint64_t name = At(at + 26, 2);
    const std::uint64_t extra = At(at + 28, 2);
    const std::size_t begin = at + kZipHeader + name + extra;
    if (begin > end || stored > end - begin) {
      return Malformed("a member reaches into its directory", at);
    }
    member.header_extra = {begin - extra, begin};
    member.data = {begin, begin + stored};
    member.whole = {at, member.data.end};
    const bool described = (flags & kDescribed) != 0;
    std::uint64_t size = At(at + 22, 4);
    std::uint64_t stored_here = At(at + 18, 4);
    if (!Widen(file_.Text(member.header_extra), {&size, &stored_here})) {
      return Malformed("a member's extra fields are broken", at);
    }
    const bool nowhere = described && At(at + 14, 4) == 0 && size == 0 && stored_here == 0;
    const bool numbers =
        nowhere || (At(at + 14, 4) == member.crc && size == member.size && stored_here == stored);
    const bool same = At(at + 6, 2) == flags && numbers &&
                      At(at + 8, 2) == At(member.entry.begin + 10, 2) &&
                      bytes_.substr(at + kZipHeader, name) == member.name;
    if (!same) return Malformed("a member's header does not match the directory", at);
    if (member.method == ZipMember::Method::kStored && stored != member.size) {
      return Malformed("a member that is not compressed has two sizes", at);
    }
    return !described || ReadDescriptor(member, stored);
  }

  // Its magic and the width of its sizes may vary; the values must match.
  bool ReadDescriptor(ZipMember& member, std::uint64_t stored) {
    const std::size_t end = zip_.directory.begin;
    for (const std::size_t magic : {4, 0}) {
      for (const std::size_t width : {4, 8}) {
        const std::size_t at = member.data.end + magic;
        if (at > end || end - at < 4 + 2 * width) continue;
        if (magic != 0 && !IsAt(member.data.end, kDescriptorMagic)) continue;
        if (At(at, 4) != member.crc || At(at + 4, width) != stored ||
            At(at + 4 + width, width) != member.size) {
          continue;
        }
        member.whole.end = at + 4 + 2 * width;
        return true;
      }
    }
    return Malformed("the data descriptor of a member is invalid", member.data.end);
  }

  bool CheckApart() {
    std::vector<Span> spans;
    for (const ZipMember& member : zip_.members) spans.push_back(member.whole);
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].begin < spans[i - 1].end) {
        return Malformed("two members share bytes", spans[i].begin);
      }
    }
    return true;
  }

  const SourceFile& file_;
  std::string_view bytes_;
  ZipFile& zip_;
  Diagnostics& diagnostics_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t ZipNumber(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  }
  return value;
}

bool ForEachZipExtra(std::string_view extra,
                     const std::function<void(std::uint16_t, std::string_view)>& take) {
  while (!extra.empty()) {
    if (extra.size() < 4) return false;
    const auto id = static_cast<std::uint16_t>(ZipNumber(extra, 0, 2));
    const std::size_t size = ZipNumber(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    take(id, extra.substr(4, size));
    extra.remove_prefix(4 + size);
  }
  return true;
}

bool IsZip(std::string_view bytes) {
  return bytes.starts_with(kHeaderMagic) || bytes.starts_with(kEndMagic);
}

std::optional<ZipFile> ReadZip(const SourceFile& file, Diagnostics& diagnostics) {
  ZipFile zip;
  if (!ZipReader(file, zip, diagnostics).Read()) return std::nullopt;
  return zip;
}

}  // namespace opledger

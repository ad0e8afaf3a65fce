// Computes checksums on first use, by producing the content once without writing it: a member has
// its checksum before the data, and the directory repeats it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/zip_edits.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "conversion/model/files/zip_data.h"

namespace opledger {
namespace {

constexpr std::uint16_t kWideVersion = 45;  // needed to read 64-bit sizes
constexpr std::uint16_t kDescribedFlag = 1 << 3;

std::string ZipText(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

bool Produce(const NewBytes& bytes, OutputSink& sink) {
  return bytes.produce ? bytes.produce(sink) : sink.Write(bytes.bytes);
}

// A new or changed member.
struct NewMember {
  std::string name;
  NewBytes content;
  std::optional<std::uint32_t> crc;

  std::uint32_t Crc() {
    if (!crc) {
      std::uint32_t sum = 0;
      OutputSink counter([&](std::string_view piece) {
        sum = ZipCrc(sum, piece);
        return true;
      });
      Produce(content, counter);
      crc = sum;
    }
    return *crc;
  }
};

// Returns the extra fields with the 64-bit one replaced by `sizes`, or removed if there are none.
std::string Extra(std::string_view old, const std::vector<std::uint64_t>& sizes) {
  std::string text;
  if (!sizes.empty()) text = ZipText(kZip64, 2) + ZipText(8 * sizes.size(), 2);
  for (const std::uint64_t size : sizes) text += ZipText(size, 8);
  ForEachZipExtra(old, [&](std::uint16_t id, std::string_view content) {
    if (id != kZip64) text += ZipText(id, 2) + ZipText(content.size(), 2) + std::string(content);
  });
  return text;
}

bool HasWide(std::string_view extra) {
  bool wide = false;
  ForEachZipExtra(extra, [&](std::uint16_t id, std::string_view) { wide = wide || id == kZip64; });
  return wide;
}

// Returns the member's new header without the checksum, which goes at `crc_at`.
std::string Header(const SourceFile& file, const ZipMember& old, const NewMember& member,
                   std::size_t& crc_at) {
  const std::string_view was = file.Text({old.whole.begin, old.whole.begin + kZipHeader});
  const std::string_view extra = file.Text(old.header_extra);
  const std::uint64_t size = member.content.Size();
  const bool wide = size >= kZipLarge || HasWide(extra);
  const auto version = static_cast<std::uint16_t>(ZipNumber(was, 4, 2));
  const auto flags =
      static_cast<std::uint16_t>(ZipNumber(was, 6, 2) & ~std::uint64_t{kDescribedFlag});
  std::string text(was.substr(0, 4));
  text += ZipText(wide ? std::max(version, kWideVersion) : version, 2);
  text += ZipText(flags, 2) + ZipText(0, 2);
  text += was.substr(10, 4);  // time and date
  crc_at = text.size();
  const std::string fields =
      Extra(extra, wide ? std::vector<std::uint64_t>{size, size} : std::vector<std::uint64_t>{});
  const std::uint64_t shown = wide ? kZipLarge : size;
  text += ZipText(shown, 4) + ZipText(shown, 4);
  return text + ZipText(member.name.size(), 2) + ZipText(fields.size(), 2) + member.name + fields;
}

// Returns the directory entry of a member that starts at `at`. `member`: its changes, or nullptr.
std::string Entry(const SourceFile& file, const ZipMember& old, NewMember* member,
                  std::uint64_t at) {
  const std::string_view was = file.Text(old.entry);
  const bool changed = member != nullptr;
  const std::uint64_t size = changed ? member->content.Size() : old.size;
  const std::uint64_t stored = changed ? size : old.data.size();
  std::vector<std::uint64_t> large;
  const auto field = [&](std::uint64_t number, std::size_t place) {
    const bool wide = number >= kZipLarge || ZipNumber(was, place, 4) == kZipLarge;
    if (wide) large.push_back(number);
    return ZipText(wide ? kZipLarge : number, 4);
  };
  const std::string size_text = field(size, 24);
  const std::string stored_text = field(stored, 20);
  const std::string at_text = field(at, 42);
  const auto version = static_cast<std::uint16_t>(ZipNumber(was, 6, 2));
  const auto flags = static_cast<std::uint16_t>(ZipNumber(was, 8, 2));
  const std::string name = changed ? member->name : std::string(old.name);
  const std::string fields = Extra(file.Text(old.entry_extra), large);
  const std::string_view comment = was.substr(old.entry_extra.end - old.entry.begin);
  std::string text(was.substr(0, 6));
  text += ZipText(large.empty() ? version : std::max(version, kWideVersion), 2);
  text += ZipText(changed ? flags & ~kDescribedFlag : flags, 2);
  text += changed ? ZipText(0, 2) : std::string(was.substr(10, 2));
  text += was.substr(12, 4);
  text += ZipText(changed ? member->Crc() : old.crc, 4) + stored_text + size_text;
  text += ZipText(name.size(), 2) + ZipText(fields.size(), 2) + ZipText(comment.size(), 2);
  text += was.substr(34, 8);  // part, attributes
  return text + at_text + name + fields + std::string(comment);
}

// Returns a placeholder for computing the size of an entry before its checksum is known.
NewMember Sized(const NewMember& member) {
  NewMember sized = {member.name, {}, 0};
  sized.content.size = member.content.Size();
  sized.content.produce = [](OutputSink&) { return true; };
  return sized;
}

// Everything after the members: the entries and the end records.
struct ZipDirectory {
  struct Item {
    const ZipMember* old = nullptr;
    std::shared_ptr<NewMember> member;  // nullptr: unchanged
    std::uint64_t at = 0;
  };
  const SourceFile& file;
  const ZipFile& zip;
  std::vector<Item> items;
  std::uint64_t begin = 0;

  // `counted`: with checksums; otherwise they are zero.
  std::string Text(bool counted) const {
    std::string entries;
    for (const Item& item : items) {
      if (item.member == nullptr || counted) {
        entries += Entry(file, *item.old, item.member.get(), item.at);
      } else {
        NewMember sized = Sized(*item.member);
        entries += Entry(file, *item.old, &sized, item.at);
      }
    }
    return entries + End(entries.size());
  }

 private:
  std::string End(std::uint64_t size) const {
    const std::string_view was = file.Text(zip.end);
    const std::string_view end = was.substr(was.size() - 22);
    const std::uint64_t count = items.size();
    const bool wide = zip.wide_end || count >= 0xffff || size >= kZipLarge || begin >= kZipLarge;
    std::string text;
    if (wide) {
      const std::string head =
          zip.wide_end ? std::string(was.substr(12, 12))
                       : ZipText(kWideVersion, 2) + ZipText(kWideVersion, 2) + ZipText(0, 8);
      const std::string_view more = zip.wide_end ? was.substr(56, was.size() - 22 - 20 - 56) : "";
      text = std::string("PK\6\6") + ZipText(44 + more.size(), 8) + head + ZipText(count, 8) +
             ZipText(count, 8) + ZipText(size, 8) + ZipText(begin, 8) + std::string(more) +
             "PK\6\7" + ZipText(0, 4) + ZipText(begin + size, 8) + ZipText(1, 4);
    }
    // A field that the old record left to the 64-bit record stays that way.
    const auto field = [&](std::uint64_t number, std::size_t place, std::size_t bytes) {
      const std::uint64_t large = bytes == 2 ? 0xffff : kZipLarge;
      const bool left = number >= large || (wide && ZipNumber(end, place, bytes) == large);
      return ZipText(left ? large : number, static_cast<int>(bytes));
    };
    text += std::string(end.substr(0, 8)) + field(count, 8, 2) + field(count, 10, 2);
    return text + field(size, 12, 4) + field(begin, 16, 4) + std::string(end.substr(20));
  }
};

// Rewrites members in file order, since a change moves what follows.
class ZipRewriter {
 public:
  ZipRewriter(const SourceFile& file, const ZipFile& zip)
      : file_(file),
        zip_(zip),
        directory_(std::make_shared<ZipDirectory>(ZipDirectory{file, zip, {}, 0})) {}

  EditList Rewrite(std::vector<ZipChange>& changes) {
    std::vector<ZipChange*> of(zip_.members.size());  // per member of the archive
    for (ZipChange& change : changes) {
      if (!change.added) of[change.member] = &change;
    }
    std::vector<ZipDirectory::Item> items(zip_.members.size());
    for (const std::size_t i : InFile()) {
      const ZipMember& old = zip_.members[i];
      items[i] = {&old, nullptr, At(old.whole.begin)};
      if (of[i] == nullptr) continue;
      if (of[i]->removed) {
        Replace(old.whole, {});
      } else {
        items[i].member = Write(*of[i], old.whole, std::string(old.name));
      }
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool stays = of[i] == nullptr || !of[i]->removed;
      if (stays) directory_->items.push_back(std::move(items[i]));
    }
    const std::size_t after = zip_.directory.begin;
    for (ZipChange& change : changes) {
      if (!change.added) continue;
      const std::uint64_t at = At(after);
      auto member = Write(change, {after, after}, change.name);
      directory_->items.push_back({&zip_.members[change.member], std::move(member), at});
    }
    directory_->begin = At(after);
    NewBytes bytes;
    bytes.size = directory_->Text(false).size();
    bytes.produce = [directory = directory_](OutputSink& sink) {
      return sink.Write(directory->Text(true));
    };
    edits_.Replace({after, zip_.end.end}, std::move(bytes));
    return std::move(edits_);
  }

 private:
  std::vector<std::size_t> InFile() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < zip_.members.size(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return zip_.members[a].whole.begin < zip_.members[b].whole.begin;
    });
    return order;
  }

  std::uint64_t At(std::size_t old) const { return old + static_cast<std::uint64_t>(moved_); }

  void Replace(Span place, NewBytes bytes) {
    moved_ += static_cast<std::int64_t>(bytes.Size()) - static_cast<std::int64_t>(place.size());
    edits_.Replace(place, std::move(bytes));
  }

  std::shared_ptr<NewMember> Write(ZipChange& change, Span place, const std::string& name) {
    auto member = std::make_shared<NewMember>(NewMember{name, std::move(change.content), {}});
    std::size_t crc_at = 0;
    const std::string head = Header(file_, zip_.members[change.member], *member, crc_at);
    NewBytes bytes;
    bytes.size = head.size() + 4 + member->content.Size();
    bytes.produce = [head, crc_at, member](OutputSink& sink) {
      return sink.Write(head.substr(0, crc_at) + ZipText(member->Crc(), 4) + head.substr(crc_at)) &&
             Produce(member->content, sink);
    };
    Replace(place, std::move(bytes));
    return member;
  }

  const SourceFile& file_;
  const ZipFile& zip_;
  std::shared_ptr<ZipDirectory> directory_;
  EditList edits_;
  std::int64_t moved_ = 0;
};

}  // namespace

void ZipEdits::Replace(std::size_t member, NewBytes content) {
  changes_.push_back({member, {}, false, false, std::move(content)});
}

void ZipEdits::Add(std::size_t like, std::string name, NewBytes content) {
  changes_.push_back({like, std::move(name), true, false, std::move(content)});
}

void ZipEdits::Remove(std::size_t member) { changes_.push_back({member, {}, false, true, {}}); }

EditList ZipEdits::Finish() {
  return changes_.empty() ? EditList() : ZipRewriter(file_, zip_).Rewrite(changes_);
}

}  // namespace opledger

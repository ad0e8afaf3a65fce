// A file is known by device and inode: links and spellings of its path do not matter then.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/unsaved_text.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "registry/text/bytes.h"

namespace opledger {
namespace {

struct HeldText {
  dev_t device;
  ino_t inode;
  const std::string* text;
};

struct HeldTexts {
  std::map<std::string, std::string> by_path;
  std::vector<HeldText> by_file;
};

// Of the process, as the files are for which they stand: a reader deep below need not be told.
HeldTexts& Held() {
  static HeldTexts held;
  return held;
}

}  // namespace

void HoldUnsavedTexts(std::map<std::string, std::string> texts) {
  HeldTexts& held = Held();
  held.by_path = std::move(texts);
  held.by_file.clear();
  for (auto each = held.by_path.begin(); each != held.by_path.end();) {
    struct stat status;
    const bool is_file = stat(each->first.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (is_file) held.by_file.push_back({status.st_dev, status.st_ino, &each->second});
    each = is_file ? std::next(each) : held.by_path.erase(each);
  }
}

const std::map<std::string, std::string>& UnsavedTexts() { return Held().by_path; }

const std::string* UnsavedText(const struct stat& status) {
  for (const HeldText& each : Held().by_file) {
    if (each.inode == status.st_ino && each.device == status.st_dev) return each.text;
  }
  return nullptr;
}

bool MayBeUnsaved(std::uint64_t inode) {
  const std::vector<HeldText>& files = Held().by_file;
  return std::any_of(files.begin(), files.end(),
                     [&](const HeldText& each) { return each.inode == inode; });
}

std::string PackUnsavedTexts() {
  ByteWriter out;
  out.Number(Held().by_path.size());
  for (const auto& [path, text] : Held().by_path) {
    out.Text(path);
    out.Text(text);
  }
  return out.Take();
}

bool UnpackUnsavedTexts(std::string_view bytes) {
  ByteReader in(bytes);
  std::map<std::string, std::string> texts;
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    std::string path(in.Text());
    texts.emplace(std::move(path), in.Text());
  }
  if (!in.AtEnd()) return false;
  HoldUnsavedTexts(std::move(texts));
  return true;
}

}  // namespace opledger

// Replaces files by texts. Files are identified by device and inode, so that links and different
// spellings of a path do not matter.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/overlay_tree.h"

#include <algorithm>
#include <cerrno>

#include "registry/source/unpack_tree.h"

namespace opledger {
namespace {

// The device number of files that exist only as text, which no device has.
constexpr std::uint64_t kNoDevice = ~std::uint64_t{0};

}  // namespace

OverlayTree::OverlayTree(std::shared_ptr<const FileTree> below, Texts texts)
    : below_(std::move(below)), texts_(std::move(texts)) {
  for (const auto& [path, text] : texts_) {
    const PathState state = below_->Examine(path);
    Hidden hidden{kNoDevice, 0, &path, &text, {}};
    if (text) hidden.stamp = StampOfText(*text);
    if (state.kind == PathKind::kFile) {
      hidden.device = state.device;
      hidden.inode = state.stamp.inode;
    }
    hidden_.push_back(hidden);
  }
}

const OverlayTree::Hidden* OverlayTree::Find(const std::string& path,
                                             const PathState& state) const {
  for (const Hidden& each : hidden_) {
    const bool is_it = state.kind == PathKind::kFile
                           ? each.inode == state.stamp.inode && each.device == state.device
                           : each.device == kNoDevice && *each.path == path;
    if (is_it) return &each;
  }
  return nullptr;
}

PathState OverlayTree::Over(const std::string& path, const PathState& state) const {
  const Hidden* const hidden = Find(path, state);
  if (hidden == nullptr) return state;
  if (!*hidden->text) return {};
  return {PathKind::kFile, 0, hidden->stamp, kNoDevice};
}

PathState OverlayTree::Examine(const std::string& path) const {
  return Over(path, below_->Examine(path));
}

PathState OverlayTree::ExamineLink(const std::string& path) const {
  return Over(path, below_->ExamineLink(path));
}

int OverlayTree::List(const std::string& folder, std::vector<FolderEntry>& entries) const {
  const int error = below_->List(folder, entries);
  for (const auto& [path, text] : texts_) {
    const std::size_t slash = path.rfind('/');
    if (path.compare(0, slash, folder) != 0) continue;
    const std::string name = path.substr(slash + 1);
    const auto same = [&](const FolderEntry& entry) { return entry.name == name; };
    if (!text) {
      std::erase_if(entries, same);
    } else if (std::none_of(entries.begin(), entries.end(), same)) {
      entries.push_back({name, PathKind::kFile});
    }
  }
  return error;
}

std::optional<std::string> OverlayTree::Read(const std::string& root, const std::string& path,
                                             std::size_t maximum) const {
  const Source source(below_, root);
  const std::string absolute = source.Absolute(path);
  const Hidden* const hidden = Find(absolute, below_->Examine(absolute));
  if (hidden == nullptr) return below_->Read(root, path, maximum);
  const bool leads_out = !root.empty() && !source.Holds(path);
  errno = EXDEV;
  if (leads_out) return std::nullopt;
  errno = *hidden->text ? EFBIG : ENOENT;
  return *hidden->text && (*hidden->text)->size() <= maximum ? *hidden->text : std::nullopt;
}

void OverlayTree::Pack(ByteWriter& out) const {
  out.Number(static_cast<std::uint64_t>(PackedTree::kOverlay));
  out.Number(texts_.size());
  for (const auto& [path, text] : texts_) {
    out.Text(path);
    out.Number(text ? 1 : 0);
    out.Text(text.value_or(""));
  }
  below_->Pack(out);
}

std::shared_ptr<const FileTree> OverlayTree::Unpack(ByteReader& in) {
  Texts texts;
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    std::string path(in.Text());
    const bool is_there = in.Number() != 0;
    std::string text(in.Text());
    texts.emplace(std::move(path), is_there ? std::optional(std::move(text)) : std::nullopt);
  }
  std::shared_ptr<const FileTree> below = UnpackTree(in);
  if (below == nullptr) return nullptr;
  return std::make_shared<OverlayTree>(std::move(below), std::move(texts));
}

}  // namespace opledger

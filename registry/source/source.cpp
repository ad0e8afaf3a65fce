// Makes paths absolute; the trees resolve them.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/source.h"

#include <cerrno>
#include <cstring>

#include "registry/platform/run_git.h"
#include "registry/source/disk_tree.h"
#include "registry/source/unpack_tree.h"

namespace opledger {

std::string Source::Absolute(const std::string& path) const {
  if (path.starts_with('/')) return path;
  if (path.empty() || path == ".") return root_;
  return root_.ends_with('/') ? root_ + path : root_ + '/' + path;
}

std::optional<std::string> Source::Read(const std::string& path, std::size_t maximum,
                                        Reach reach) const {
  const bool below =
      reach == Reach::kBelow && (!path.starts_with('/') || path.starts_with(root_ + '/'));
  return files_->Read(below ? root_ : std::string(), below ? path : Absolute(path), maximum);
}

std::optional<std::string> Source::Read(const std::string& path, std::size_t maximum, Reach reach,
                                        Diagnostics& diagnostics) const {
  std::optional<std::string> bytes = Read(path, maximum, reach);
  if (!bytes) ReportUnread(path, errno, maximum, diagnostics);
  return bytes;
}

std::optional<bool> Source::Exists(const std::string& path, Diagnostics& diagnostics) const {
  const PathState state = Examine(path);
  if (state.kind != PathKind::kUnknown) return state.IsThere();
  ReportUnread(path, state.error, 0, diagnostics);
  return std::nullopt;
}

bool Source::Holds(const std::string& path) const {
  const std::string inner = files_->Canonical(Absolute(path));
  if (inner.empty()) return false;
  const std::string outer = files_->Canonical(root_);
  if (outer.empty()) return false;
  errno = 0;
  return inner == outer || outer == "/" || inner.starts_with(outer + '/');
}

bool Source::MustHold(const std::string& path, const Diagnostic& outside,
                      Diagnostics& diagnostics) const {
  if (Holds(path)) return true;
  if (errno == 0) {
    diagnostics.Add(outside);
  } else {
    ReportUnread(path, errno, 0, diagnostics);
  }
  return false;
}

std::string Source::Pack() const {
  ByteWriter out;
  out.Text(root_);
  files_->Pack(out);
  return out.Take();
}

std::optional<Source> UnpackSource(std::string_view bytes) {
  ByteReader in(bytes);
  std::string root(in.Text());
  std::shared_ptr<const FileTree> files = UnpackTree(in);
  if (files == nullptr || !in.AtEnd() || !root.starts_with('/')) return std::nullopt;
  return Source(std::move(files), std::move(root));
}

void ReportUnread(const std::string& path, int error, std::size_t maximum,
                  Diagnostics& diagnostics) {
  const auto report = [&](std::string message, std::string hint) {
    diagnostics.Error({.path = path}, std::move(message), std::move(hint));
  };
  if (error == EXDEV) {
    report("the link leads outside the project's folder", "replace the link by a copy of the file");
  } else if (error == EINVAL) {
    report("the path is not a regular file", "use a text file");
  } else if (error == EFBIG) {
    report("the file is larger than " + std::to_string(maximum >> 20) + " MB",
           "use a smaller file");
  } else if (error == ENODATA) {
    report("this partial clone does not have this file",
           "fetch it, for example with `git show REVISION:FILE`");
    diagnostics.MarkIncomplete();
  } else {
    report("cannot read: " + ReadErrorText(error),
           error == ETIMEDOUT ? "raise the limit: --git-timeout SECONDS" : "");
    if (error != ENOENT && error != ENOTDIR) diagnostics.MarkIncomplete();
  }
}

}  // namespace opledger

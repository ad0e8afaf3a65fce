// Reads, changes and replaces a file. The file and its folder are opened once and locked, so that
// concurrent edits happen one after the other. If another process changes the path in the meantime,
// such as by replacing it with a link, the edit fails and nothing else is touched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/files/file_lock.h"
#include "registry/files/file_place.h"
#include "registry/files/open_file.h"
#include "registry/text/diagnostics.h"

namespace opledger {

class FileEdit {
 public:
  // Opens and locks the existing file `path`. `root` is the folder that contains it after following
  // links, and that `path` is relative to; empty: any folder. Returns nullopt and reports an error
  // that names the file, as `shown` if given.
  static std::optional<FileEdit> Open(const std::string& root, const std::string& path,
                                      Diagnostics& diagnostics, const std::string& shown = {});

  // Returns whether the file was opened at `place`. Reports an error otherwise.
  bool IsAt(const FilePlace& place, Diagnostics& diagnostics) const;

  // Returns whether the whole content equals `text`. Reports an error otherwise.
  bool Holds(std::string_view text, Diagnostics& diagnostics);

  // Replaces the whole content, which must still be `before`.
  bool Replace(std::string_view before, std::string_view after, Diagnostics& diagnostics);

 private:
  FileEdit(std::string root, std::string path, std::string shown, FilePlace place)
      : root_(std::move(root)),
        path_(std::move(path)),
        shown_(std::move(shown)),
        place_(std::move(place)) {}

  bool Lock(Diagnostics& diagnostics);
  bool IsInPlace() const;
  bool IsAsRead(Diagnostics& diagnostics) const;
  bool FailReplaced(Diagnostics& diagnostics) const;

  std::string root_;
  std::string path_;
  std::string shown_;
  FilePlace place_;
  Descriptor file_{-1};
  struct stat read_ = {};  // status when the content was compared
  LockFile lock_;          // used if the file itself cannot be locked
};

}  // namespace opledger

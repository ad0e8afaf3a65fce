// A file that is read, changed and put back. It is opened once, with its folder, and locked from
// there on, so that two runs that change it do so one after the other; what other processes do to
// the path meanwhile, such as making a link of it, makes the change fail and touches nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  // `path` must be there. `root`: the folder that it must lie in, links followed, and that it is
  // relative to; empty: anywhere. None, with an error that names it, as `shown` if that is given.
  static std::optional<FileEdit> Open(const std::string& root, const std::string& path,
                                      Diagnostics& diagnostics, const std::string& shown = {});

  // Whether it was opened there, as the path was understood before; an error otherwise.
  bool IsAt(const FilePlace& place, Diagnostics& diagnostics) const;

  // Whether the whole content is this; an error otherwise.
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
  struct stat read_ = {};  // its state when its content was compared
  LockFile lock_;          // where the file itself cannot be locked
};

}  // namespace opledger

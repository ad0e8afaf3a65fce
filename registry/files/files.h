// Files, opened in one place (open_file.h): read whole, with a limit, and written so that they are
// old or new, never torn (replacement.h, temporary_file.h), by one run after the other
// (file_lock.h, file_edit.h). sha256.h: digests.
// In: paths, bytes. Out: bytes, errors as diagnostics.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "registry/text/diagnostics.h"

namespace opledger {

struct Replacement;

// The bytes of the regular file `path`; otherwise an error that names it and says why. `root`: the
// folder that the file must lie in, links followed; empty: anywhere.
std::optional<std::string> ReadFile(const std::string& path, std::size_t maximum_size,
                                    Diagnostics& diagnostics, const std::string& root = {});

// The bytes of an open file. None, with errno set: EINVAL for what is no regular file, EFBIG for
// one that is larger.
std::optional<std::string> ReadToEnd(int descriptor, std::size_t maximum_size);

// Replaces `path` by `content` in one step, keeping the mode of an existing file and writing
// through a symbolic link to its target. "-" and "/dev/stdout" are standard output; a character
// device or a pipe is written to. Errors name the file.
bool WriteFile(const std::string& path, std::string_view content, Diagnostics& diagnostics);

// The same for a file that something in the folder `root` names, relative to it: written below it,
// wherever links have come to lead, and not into .git. Folders that are not there are made.
bool WriteFileBelow(const std::string& root, const std::string& path, std::string_view content,
                    Diagnostics& diagnostics);

// The file that `path` means after following symbolic links, also where that does not exist yet.
// None, with errno set, where that cannot be told.
std::optional<std::string> FollowLinks(const std::string& path);

// Writes all of it, however many calls that takes; false with errno set on failure.
bool WriteAll(int descriptor, std::string_view content);

// Takes a file's content piece by piece; small pieces are gathered.
class OutputSink {
 public:
  explicit OutputSink(int descriptor) : descriptor_(descriptor) {}
  explicit OutputSink(std::string& text) : text_(&text) {}  // in memory
  // To be looked at, and kept nowhere.
  explicit OutputSink(std::function<bool(std::string_view)> take) : take_(std::move(take)) {}
  // False once a write has failed: there is no use in going on.
  bool Write(std::string_view piece);
  // Writes what is gathered; WriteFile does it when all is said.
  bool Flush();

 private:
  std::string gathered_;
  int descriptor_ = -1;
  std::string* text_ = nullptr;
  std::function<bool(std::string_view)> take_;
};

// The same for content that `produce` writes. `accept` sees the complete file, under another name,
// before it takes the place of the old one. Where either gives false, having reported why, nothing
// is replaced.
bool WriteFile(const std::string& path, const std::function<bool(OutputSink&)>& produce,
               Diagnostics& diagnostics,
               const std::function<bool(const std::string&)>& accept = {});

// The same with all that a replacement can be.
bool WriteFile(const std::string& path, const Replacement& replacement, Diagnostics& diagnostics);

// The same for what is made again where it is lost, a cache or a step of a build: without waiting
// for the disk, without messages, replacing a link, not following it.
bool WriteCacheFile(const std::string& path, const std::function<bool(OutputSink&)>& produce);

// The first call of a program: where it was started with a standard stream closed, the first file
// that it opens does not become that stream, and writing to it fails. So does writing more than a
// limit of file sizes allows.
void HoldStandardStreams();

// The last one: writes what stdio holds and closes standard output. Gives `status`, or 2, with a
// message, where not all could be written. A reader that has seen enough (`| head`) gets no
// message.
int CloseStandardOutput(int status);

}  // namespace opledger

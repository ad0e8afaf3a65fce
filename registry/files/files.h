// Reads and writes files. All files are opened by open_file.h. They are read whole, up to a size
// limit. They are replaced atomically (replacement.h, temporary_file.h), by one run at a time
// (file_lock.h, file_edit.h). sha256.h computes digests. In: paths, bytes. Out: bytes, errors as
// diagnostics.
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

// Returns the contents of the regular file `path`, or reports an error. `root` is the folder that
// must contain the file after following links; empty: any folder.
std::optional<std::string> ReadFile(const std::string& path, std::size_t maximum_size,
                                    Diagnostics& diagnostics, const std::string& root = {});

// Returns the contents of an open file. Returns nullopt and sets errno on failure: EINVAL if it is
// not a regular file, EFBIG if it is larger than `maximum_size` bytes.
std::optional<std::string> ReadToEnd(int descriptor, std::size_t maximum_size);

// Atomically replaces `path` by `content`. Keeps the mode of an existing file and follows symbolic
// links. "-" and "/dev/stdout" are standard output. Character devices and pipes are written in
// place. Returns false, with an error that names the file, on failure.
bool WriteFile(const std::string& path, std::string_view content, Diagnostics& diagnostics);

// Writes a file below the folder `root` that something in this folder names. `path` is relative to
// `root`. Fails if links lead elsewhere or the file is in .git. Creates missing folders.
bool WriteFileBelow(const std::string& root, const std::string& path, std::string_view content,
                    Diagnostics& diagnostics);

// Returns the target of `path` after following symbolic links, even if it does not exist. Returns
// nullopt and sets errno on failure.
std::optional<std::string> FollowLinks(const std::string& path);

// Writes all of `content`. Returns false and sets errno on failure.
bool WriteAll(int descriptor, std::string_view content);

// Receives the contents of a file piece by piece; small pieces are buffered.
class OutputSink {
 public:
  explicit OutputSink(int descriptor) : descriptor_(descriptor) {}
  explicit OutputSink(std::string& text) : text_(&text) {}  // in memory
  // Passes each piece to a function and stores nothing.
  explicit OutputSink(std::function<bool(std::string_view)> take) : take_(std::move(take)) {}
  // Returns false once a write has failed; the caller should stop.
  bool Write(std::string_view piece);
  // Writes the buffer. WriteFile calls it at the end.
  bool Flush();

 private:
  std::string gathered_;
  int descriptor_ = -1;
  std::string* text_ = nullptr;
  std::function<bool(std::string_view)> take_;
};

// Writes content that `produce` generates. `accept` is called with the path of the complete
// temporary file before it replaces the old one. If either reports an error and returns false,
// nothing is replaced.
bool WriteFile(const std::string& path, const std::function<bool(OutputSink&)>& produce,
               Diagnostics& diagnostics,
               const std::function<bool(const std::string&)>& accept = {});

// Writes a file with all options of a Replacement.
bool WriteFile(const std::string& path, const Replacement& replacement, Diagnostics& diagnostics);

// Writes a file that can be regenerated, such as a cache or an intermediate build result. Does not
// wait for the disk, shows no messages, and replaces links instead of following them.
bool WriteCacheFile(const std::string& path, const std::function<bool(OutputSink&)>& produce);

// Must be called first in a program. Ensures that a standard stream that was closed at startup is
// not reused for another file, and that writing to it fails. Makes writes beyond the file size
// limit fail instead of ending the program.
void HoldStandardStreams();

// Must be called last in a program. Flushes stdio and closes standard output. Returns `status`, or
// reports an error and returns 2 if not everything could be written. A reader that stops early (`|
// head`) does not cause a message.
int CloseStandardOutput(int status);

}  // namespace opledger

// Reads and writes files. Output goes to a pipe or device, or replaces a file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "registry/files/file_place.h"
#include "registry/files/open_file.h"
#include "registry/files/output_files.h"
#include "registry/files/replacement.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGathered = std::size_t{1} << 16;  // bytes

using Produce = std::function<bool(OutputSink&)>;

bool ProduceInto(int descriptor, const Produce& produce) {
  OutputSink sink(descriptor);
  return produce(sink) && sink.Flush();
}

// A reader that stops early (`| head`) does not cause a message.
bool FailStandardOutput(int error, Diagnostics& diagnostics) {
  if (error == EPIPE || error == 0) return false;
  return diagnostics.Error({}, std::string("cannot write standard output: ") + std::strerror(error),
                           "check whether the disk is full or the stream is closed");
}

bool WriteStandardOutput(const Produce& produce, Diagnostics& diagnostics) {
  errno = 0;
  if (std::fflush(stdout) == 0 && ProduceInto(STDOUT_FILENO, produce)) return true;
  return FailStandardOutput(errno, diagnostics);
}

// Character devices and pipes cannot be replaced.
bool IsWrittenInPlace(const struct stat& status) {
  return S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode);
}

bool WriteInPlace(const std::string& path, const Produce& produce) {
  const Descriptor file(OpenExisting(path));
  struct stat status = {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return false;
  // The path may have been replaced in the meantime.
  errno = ESTALE;
  return IsWrittenInPlace(status) && ProduceInto(file.get(), produce);
}

// Replaces or creates a regular file after resolving links; `root` as for FindFilePlace.
bool WriteAtPlace(const std::string& root, const std::string& path, const Replacement& replacement,
                  Diagnostics& diagnostics) {
  const auto fail = [&](int error) { return ReportProblem(path, {.error = error}, diagnostics); };
  std::optional<FilePlace> place = FindFilePlace(root, path);
  if (!place && errno == EXDEV && !root.empty()) {
    return diagnostics.Error({.path = path}, "the link leads outside the project's folder",
                             "replace the link by a folder");
  }
  if (!place) return fail(errno);
  const std::optional<struct stat> old = ExaminePlace(*place);
  if (!old && errno != ENOENT) return fail(errno);
  if (old && S_ISDIR(old->st_mode)) return fail(EISDIR);
  if (old && !S_ISREG(old->st_mode)) {
    return diagnostics.Error({.path = path},
                             "cannot write: not a regular file, a pipe or a character device",
                             "use the name of a file");
  }
  // Renaming would bypass the file's own write protection.
  if (old && faccessat(place->folder.get(), place->name.c_str(), W_OK, 0) != 0) return fail(errno);
  const std::size_t before = diagnostics.all().size();
  WriteProblem problem;
  const bool replaced = ReplaceFile(*place, replacement, problem);
  if (replacement.unfinished != nullptr) replacement.unfinished->place = std::move(*place);
  if (replaced) return true;
  return diagnostics.all().size() == before && ReportProblem(path, problem, diagnostics);
}

// Writes the files that accompany output to a pipe or device.
bool WriteOthers(const std::string& path, const Replacement& replacement) {
  if (replacement.write_others && !replacement.write_others(path)) return false;
  for (UnfinishedFile* const each : replacement.completes) each->file.Keep();
  return true;
}

// Write function for stdio. Returns `size`, or 0 with errno set.
ssize_t WriteStandardStream(void*, const char* bytes, std::size_t size) {
  return WriteAll(STDOUT_FILENO, {bytes, size}) ? static_cast<ssize_t>(size) : 0;
}

}  // namespace

std::optional<std::string> ReadToEnd(int descriptor, std::size_t maximum_size) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  const auto expected = static_cast<std::size_t>(status.st_size);
  errno = S_ISREG(status.st_mode) ? EFBIG : EINVAL;
  if (!S_ISREG(status.st_mode) || expected > maximum_size) return std::nullopt;
  // One more byte detects the end of the file, whatever its reported size.
  std::string bytes(expected + 1, '\0');
  std::size_t size = 0;
  for (ssize_t count = 1; count != 0;) {
    if (size == bytes.size()) bytes.resize(2 * bytes.size());
    count = read(descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno != EINTR) return std::nullopt;
    if (count > 0) size += static_cast<std::size_t>(count);
    errno = EFBIG;
    if (size > maximum_size) return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

std::optional<std::string> ReadFile(const std::string& path, std::size_t maximum_size,
                                    Diagnostics& diagnostics, const std::string& root) {
  const auto fail = [&](std::string message, std::string hint) {
    return diagnostics.Error({.path = path}, std::move(message), std::move(hint));
  };
  const Descriptor file(root.empty() ? OpenInput(path) : OpenInputBelow(root, path));
  if (file.get() < 0 && errno == EXDEV) {
    return fail("the link leads outside the project's folder",
                "replace the link by a copy of the file");
  }
  std::optional<std::string> bytes;
  if (file.get() >= 0) bytes = ReadToEnd(file.get(), maximum_size);
  if (bytes) return bytes;
  const int error = errno;
  if (file.get() >= 0 && error == EINVAL)
    return fail("the path is not a regular file", "use a text file");
  if (file.get() >= 0 && error == EFBIG) {
    return fail("the file is larger than " + std::to_string(maximum_size >> 20) + " MB",
                "use a smaller file");
  }
  return fail(std::string("cannot read: ") + std::strerror(error), {});
}

std::optional<std::string> FollowLinks(const std::string& path) {
  constexpr int kMaximumLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMaximumLinks; ++i) {
    const fs::file_status status = fs::symlink_status(target, error);
    if (!error && !fs::is_symlink(status)) return target.string();
    if (status.type() == fs::file_type::not_found) return target.string();
    if (!error) {
      const fs::path next = fs::read_symlink(target, error);
      if (!error) target = next.is_absolute() ? next : target.parent_path() / next;
    }
    errno = error.value();
    if (error) return std::nullopt;
  }
  errno = ELOOP;
  return std::nullopt;
}

bool WriteAll(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool OutputSink::Write(std::string_view piece) {
  if (take_) return take_(piece);
  if (text_ != nullptr) {
    text_->append(piece);
    return true;
  }
  if (gathered_.size() + piece.size() > kGathered && !Flush()) return false;
  if (piece.size() > kGathered) return WriteAll(descriptor_, piece);
  gathered_.append(piece);
  return true;
}

bool OutputSink::Flush() {
  const bool written = WriteAll(descriptor_, gathered_);
  gathered_.clear();
  return written;
}

bool WriteFile(const std::string& path, std::string_view content, Diagnostics& diagnostics) {
  return WriteFile(
      path, [&](OutputSink& sink) { return sink.Write(content); }, diagnostics);
}

bool WriteFile(const std::string& path, const std::function<bool(OutputSink&)>& produce,
               Diagnostics& diagnostics, const std::function<bool(const std::string&)>& accept) {
  return WriteFile(path, {.produce = produce, .accept = accept}, diagnostics);
}

bool WriteFile(const std::string& path, const Replacement& replacement, Diagnostics& diagnostics) {
  // Output that a shell has redirected is appended to, not replaced.
  if (IsStandardOutput(path)) {
    return WriteStandardOutput(replacement.produce, diagnostics) && WriteOthers(path, replacement);
  }
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0 && IsWrittenInPlace(status)) {
    const std::size_t before = diagnostics.all().size();
    if (WriteInPlace(path, replacement.produce)) return WriteOthers(path, replacement);
    return diagnostics.all().size() == before && errno != EPIPE &&
           ReportProblem(path, {.error = errno}, diagnostics);
  }
  return WriteAtPlace({}, path, replacement, diagnostics);
}

bool WriteFileBelow(const std::string& root, const std::string& path, std::string_view content,
                    Diagnostics& diagnostics) {
  for (const fs::path& part : fs::path(path)) {
    if (part != ".git") continue;
    return diagnostics.Error({.path = path}, "the path is inside a .git folder",
                             "use another folder");
  }
  const auto produce = [&](OutputSink& sink) { return sink.Write(content); };
  return WriteAtPlace(root, path, {.produce = produce}, diagnostics);
}

bool WriteCacheFile(const std::string& path, const std::function<bool(OutputSink&)>& produce) {
  const fs::path file(path);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  FilePlace place = {Descriptor(OpenInput(folder)), folder, file.filename().string()};
  WriteProblem ignored;
  return place.folder.get() >= 0 &&
         ReplaceFile(place, {.produce = produce, .is_cache = true}, ignored);
}

void HoldStandardStreams() {
  signal(SIGXFSZ, SIG_IGN);  // the write fails instead and is reported
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is this stream. Opened in the opposite
    // direction, so that using it fails.
    const bool in = stream == STDIN_FILENO;
    if ((in ? OpenExisting("/dev/null") : OpenInput("/dev/null")) < 0) return;
  }
  // Retries writes that a signal interrupts, unlike the default stream.
  const cookie_io_functions_t functions = {nullptr, &WriteStandardStream, nullptr, nullptr};
  std::FILE* const stream = fopencookie(nullptr, "w", functions);
  if (stream == nullptr) return;
  std::setvbuf(stream, nullptr, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF, kGathered);
  stdout = stream;
}

int CloseStandardOutput(int status) {
  errno = 0;
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before &&
      (close(STDOUT_FILENO) == 0 || errno == EBADF || errno == EINTR)) {
    return status;
  }
  Diagnostics diagnostics;
  FailStandardOutput(failed_before && errno == 0 ? EIO : errno, diagnostics);
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  constexpr int kFailed = 2;
  return kFailed;
}

}  // namespace opledger

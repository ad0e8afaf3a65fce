// Reading whole regular files, with a limit. Writing so that files are old or new, never torn: the
// new content goes to `.NAME.opledger-tmp` beside the file, which its writer holds locked until it
// is renamed: a temporary file that nobody has locked was left by a killed run and is removed, and
// two runs at once write one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "registry/platform/open_file.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGathered = std::size_t{1} << 16;  // bytes

using Produce = std::function<bool(OutputSink&)>;
using Accept = std::function<bool(const std::string&)>;

bool ProduceInto(int descriptor, const Produce& produce) {
  OutputSink sink(descriptor);
  return produce(sink) && sink.Flush();
}

// A reader that has seen enough (`| head`) is no error worth a message.
bool FailStandardOutput(int error, Diagnostics& diagnostics) {
  if (error == EPIPE || error == 0) return false;
  return diagnostics.Error({}, std::string("cannot write standard output: ") + std::strerror(error),
                           "is the disk full, or the stream closed?");
}

bool WriteStandardOutput(const Produce& produce, Diagnostics& diagnostics) {
  errno = 0;
  if (std::fflush(stdout) == 0 && ProduceInto(STDOUT_FILENO, produce)) return true;
  return FailStandardOutput(errno, diagnostics);
}

// A character device or a pipe cannot be replaced.
bool IsWrittenInPlace(const struct stat& status) {
  return S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode);
}

bool WriteInPlace(const std::string& path, const Produce& produce) {
  const Descriptor file(OpenExisting(path));
  struct stat status = {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return false;
  // Something else may have come to that name since.
  errno = ESTALE;
  return IsWrittenInPlace(status) && ProduceInto(file.get(), produce);
}

bool IsFileAt(int descriptor, const char* path) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// Removes a temporary file that a killed run left; waits for one that is being written.
void ClearTemporary(const char* path) {
  const Descriptor left(OpenInput(path, Links::kRefuse));
  if (left.get() >= 0) {
    // Removed while the lock is held, or a writer that gets it now would lose its file.
    if (flock(left.get(), LOCK_EX) == 0 && IsFileAt(left.get(), path)) unlink(path);
  } else if (errno == ELOOP || errno == ENXIO || errno == EACCES) {
    unlink(path);  // a link, a socket, somebody else's: no run of ours writes it
  }
}

// Creates and locks the temporary file; -1 with errno set on failure.
int OpenTemporary(const char* path, unsigned mode) {
  constexpr int kAttempts = 1000;
  for (int i = 0; i < kAttempts; ++i) {
    const int descriptor = OpenNew(path, mode);
    if (descriptor < 0 && errno != EEXIST) return -1;
    if (descriptor < 0) {
      ClearTemporary(path);
      continue;
    }
    // Between the two calls another run may have taken it for a left one and removed it.
    if (flock(descriptor, LOCK_EX) == 0 && IsFileAt(descriptor, path)) return descriptor;
    close(descriptor);
  }
  errno = EBUSY;
  return -1;
}

bool Sync(const char* folder) {
  const Descriptor descriptor(OpenInput(folder));
  if (descriptor.get() < 0) return false;
  return fsync(descriptor.get()) == 0 || errno == EINVAL;  // some file systems cannot
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

constexpr const char* kTemporary = ".opledger-tmp";

// What a file is written under until it is whole.
std::string TemporaryOf(const fs::path& target) {
  return (FolderOf(target) / ("." + target.filename().string() + kTemporary)).string();
}

bool IsTemporary(const std::string& name) {
  return name.starts_with('.') && name.ends_with(kTemporary);
}

enum class Loss { kNever, kIsMadeAgain };

bool Replace(const fs::path& target, const struct stat* old, const Produce& produce,
             const Accept& accept, Loss loss) {
  const std::string temporary = TemporaryOf(target);
  const Descriptor file(OpenTemporary(temporary.c_str(), loss == Loss::kNever ? 0666 : 0644));
  if (file.get() < 0) return false;
  bool written = ProduceInto(file.get(), produce) && (!accept || accept(temporary));
  if (written && old != nullptr) {
    // The owner can be kept only by the superuser; elsewhere it is the same already.
    const bool owned = fchown(file.get(), old->st_uid, old->st_gid) == 0;
    written = fchmod(file.get(), old->st_mode & (owned ? 07777 : 0777)) == 0;
  }
  written = written && (loss == Loss::kIsMadeAgain || fsync(file.get()) == 0) &&
            rename(temporary.c_str(), target.c_str()) == 0;
  if (written) return loss == Loss::kIsMadeAgain || Sync(FolderOf(target).c_str());
  const int error = errno;
  unlink(temporary.c_str());
  errno = error;
  return false;
}

// `shown`: the name that errors say. `links`: of the last part of `path`.
bool WriteAt(const std::string& shown, const std::string& path, Links links, const Produce& produce,
             const Accept& accept, Diagnostics& diagnostics) {
  const auto fail = [&](int error) {
    return diagnostics.Error({.path = shown}, std::string("cannot write: ") + std::strerror(error));
  };
  const bool follow = links == Links::kFollow;
  struct stat status = {};
  const bool exists = (follow ? stat(path.c_str(), &status) : lstat(path.c_str(), &status)) == 0;
  const struct stat* old = exists ? &status : nullptr;
  if (old == nullptr && errno != ENOENT) return fail(errno);
  if (old != nullptr && IsWrittenInPlace(status)) {
    if (WriteInPlace(path, produce)) return true;
    return errno != EPIPE && errno != 0 && fail(errno);
  }
  if (old != nullptr && S_ISDIR(status.st_mode)) return fail(EISDIR);
  if (old != nullptr && !S_ISREG(status.st_mode)) {
    return diagnostics.Error({.path = shown}, "cannot write: neither a file, a pipe nor a terminal",
                             "give the name of a file");
  }
  // Renaming would get around a file's own write protection.
  if (old != nullptr && access(path.c_str(), W_OK) != 0) return fail(errno);
  const std::size_t before = diagnostics.all().size();
  const std::optional<std::string> target = follow ? FollowLinks(path) : path;
  if (target && Replace(*target, old, produce, accept, Loss::kNever)) return true;
  return diagnostics.all().size() == before && fail(errno);
}

// Makes what is not there of `path`, which is relative to `root`. -1, with errno: EXDEV, it leads
// outside.
int OpenFolderBelow(const std::string& root, const fs::path& path) {
  fs::path made = ".";
  for (const fs::path& part : path) {
    const Descriptor above(OpenInputBelow(root, made.string()));
    made /= part;
    if (above.get() < 0) return -1;
    if (part != ".." && mkdirat(above.get(), part.c_str(), 0777) != 0 && errno != EEXIST) return -1;
  }
  return OpenInputBelow(root, made.string());
}

}  // namespace

std::optional<std::string> ReadToEnd(int descriptor, std::size_t maximum_size) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  const auto expected = static_cast<std::size_t>(status.st_size);
  errno = S_ISREG(status.st_mode) ? EFBIG : EINVAL;
  if (!S_ISREG(status.st_mode) || expected > maximum_size) return std::nullopt;
  // One more read finds the end, whatever size the file claimed.
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
    return fail("leads outside the project's folder", "replace the link by a copy of the file");
  }
  std::optional<std::string> bytes;
  if (file.get() >= 0) bytes = ReadToEnd(file.get(), maximum_size);
  if (bytes) return bytes;
  const int error = errno;
  if (file.get() >= 0 && error == EINVAL) return fail("not a regular file", "name a text file");
  if (file.get() >= 0 && error == EFBIG) {
    return fail("larger than " + std::to_string(maximum_size >> 20) + " MB", "name a smaller file");
  }
  return fail(std::string("cannot read: ") + std::strerror(error), {});
}

FileLock::FileLock(const std::string& path) {
  // Who held it may have put another file in its place.
  for (;;) {
    file_ = OpenInput(path);
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) return;
    const std::optional<std::string> file = FollowLinks(path);
    if (!file || IsFileAt(file_, file->c_str())) return;
    close(file_);
  }
}

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
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
  // What a shell has redirected is continued, not replaced.
  if (path == "-" || path == "/dev/stdout") return WriteStandardOutput(produce, diagnostics);
  return WriteAt(path, path, Links::kFollow, produce, accept, diagnostics);
}

bool WriteFileBelow(const std::string& root, const std::string& path, std::string_view content,
                    Diagnostics& diagnostics) {
  const auto fail = [&](int why) {
    return diagnostics.Error({.path = path}, std::string("cannot write: ") + std::strerror(why));
  };
  const std::optional<std::string> file = FollowLinks((fs::path(root) / path).string());
  if (!file) return fail(errno);
  const fs::path target = *file;
  std::error_code error;
  const fs::path relative = fs::relative(FolderOf(target), root, error);
  if (error) return fail(error.value());
  const Descriptor folder(OpenFolderBelow(root, relative.string()));
  if (folder.get() < 0 && errno == EXDEV) {
    return diagnostics.Error({.path = path}, "leads outside the project's folder",
                             "replace the link by a folder");
  }
  if (folder.get() < 0) return fail(errno);
  const bool has_proc = access("/proc/self/fd", X_OK) == 0;
  const fs::path held =
      has_proc ? fs::path("/proc/self/fd") / std::to_string(folder.get()) : FolderOf(target);
  const auto produce = [&](OutputSink& sink) { return sink.Write(content); };
  return WriteAt(path, (held / target.filename()).string(), Links::kRefuse, produce, {},
                 diagnostics);
}

bool WriteCacheFile(const std::string& path, const std::function<bool(OutputSink&)>& produce) {
  return Replace(path, nullptr, produce, {}, Loss::kIsMadeAgain);
}

bool RenameFile(const std::string& from, const std::string& to, Diagnostics& diagnostics) {
  if (rename(from.c_str(), to.c_str()) == 0 && Sync(FolderOf(to).c_str())) return true;
  return diagnostics.Error({.path = to}, std::string("cannot write: ") + std::strerror(errno),
                           "is there a folder of that name?");
}

void RemoveStaleTemporaries(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!IsTemporary(it->path().filename().string())) continue;
    const Descriptor left(OpenInput(it->path().string(), Links::kRefuse));
    if (left.get() < 0 || flock(left.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (IsFileAt(left.get(), it->path().c_str())) unlink(it->path().c_str());
  }
}

void HoldStandardStreams() {
  signal(SIGXFSZ, SIG_IGN);  // the write fails instead, and is told
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest that is free is this one. The wrong way round, so that using it fails.
    const bool in = stream == STDIN_FILENO;
    if ((in ? OpenExisting("/dev/null") : OpenInput("/dev/null")) < 0) return;
  }
}

int CloseStandardOutput(int status) {
  errno = 0;
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before && (close(STDOUT_FILENO) == 0 || errno == EBADF)) {
    return status;
  }
  Diagnostics diagnostics;
  FailStandardOutput(failed_before && errno == 0 ? EIO : errno, diagnostics);
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  constexpr int kFailed = 2;
  return kFailed;
}

}  // namespace opledger

// Replaces files atomically. A temporary file that is not locked was left by a killed run and is
// removed. Concurrent runs write one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "registry/files/file_attributes.h"
#include "registry/files/file_lock.h"
#include "registry/files/files.h"
#include "registry/files/list_folder.h"
#include "registry/files/repeated.h"
#include "registry/files/temporary_file.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Creates the locked temporary file of a place.
class Creation {
 public:
  Creation(const FilePlace& place, bool is_cache, bool is_locked, TemporaryFile& file)
      : place_(place),
        name_(TemporaryName(place.name)),
        mode_(is_cache ? 0644 : 0600),
        is_locked_(is_locked),
        wait_((fs::path(place.path) / place.name).lexically_normal().string(),
              is_cache ? LockWait::Messages::kNone : LockWait::Messages::kShown),
        file_(file) {}

  // Returns false and sets errno on failure.
  bool Create() {
    constexpr int kAttempts = 100'000;  // each attempt that finds another run sleeps
    for (int i = 0; i < kAttempts; ++i) {
      if (!file_.Create(place_.folder.get(), name_, mode_)) {
        if (errno != EEXIST || !Clear()) return false;
        continue;
      }
      if (!LockCreated()) return false;
      // Between creation and locking, another run may have removed it as stale.
      if (file_.IsInPlace()) return true;
      file_.Remove();
    }
    errno = EBUSY;
    return false;
  }

  const LockWait& wait() const { return wait_; }
  bool HasLostLock() const { return lock_.IsHeld() && !lock_.IsStillHeld(); }

 private:
  bool TakeLockFile() {
    return is_locked_ || lock_.IsHeld() || lock_.Take(place_.folder.get(), place_.name, wait_);
  }

  bool LockCreated() {
    for (;;) {
      const Locked locked = TryToLock(file_.file());
      if (locked == Locked::kYes) return true;
      if (locked == Locked::kUnsupported) return TakeLockFile();
      if (locked == Locked::kFailed) return false;
      // A process that checks whether the file is stale holds the lock briefly.
      if (!wait_.Sleep(HolderOfLock(file_.file()))) return false;
    }
  }

  // Removes a temporary file that a killed run left. Waits if it is being written.
  bool Clear() {
    const int folder = place_.folder.get();
    const Descriptor left(OpenInputAt(folder, name_));
    if (left.get() < 0) {
      // A link, a socket or another user's file was not created by opledger.
      const bool foreign = errno == ELOOP || errno == ENXIO || errno == EACCES;
      if (foreign) return unlinkat(folder, name_.c_str(), 0) == 0 || errno == ENOENT;
      return errno == ENOENT;
    }
    const Locked locked = TryToLock(left.get());
    if (locked == Locked::kFailed) return false;
    if (locked == Locked::kBusy) return wait_.Sleep(HolderOfLock(left.get()));
    if (locked == Locked::kUnsupported && !TakeLockFile()) return false;
    // Removed while the lock is held; otherwise a writer that gets the lock now would lose its
    // file.
    if (!IsFileAt(left.get(), folder, name_.c_str())) return true;
    return unlinkat(folder, name_.c_str(), 0) == 0 || errno == ENOENT;
  }

  const FilePlace& place_;
  std::string name_;
  mode_t mode_;
  bool is_locked_;
  LockWait wait_;
  LockFile lock_;
  TemporaryFile& file_;
};

bool WriteContent(int descriptor, const Replacement& replacement) {
  OutputSink sink(descriptor);
  return replacement.produce(sink) && sink.Flush();
}

// Sets mode, owner and attributes as in the file to be replaced, or as for a new file.
bool SetAttributes(const FilePlace& place, mode_t most, int file) {
  const std::optional<struct stat> there = ExaminePlace(place);
  if (!there) {
    return errno == ENOENT && fchmod(file, ModeOfNewFile(place.folder.get()) & most) == 0;
  }
  // The path was replaced in the meantime.
  errno = ESTALE;
  if (!S_ISREG(there->st_mode)) return false;
  const Descriptor old(OpenInputAt(place.folder.get(), place.name));
  struct stat status = *there;
  const bool readable = old.get() >= 0;  // false for a file that may only be written
  if (readable && fstat(old.get(), &status) != 0) return false;
  return CopyAttributes(old.get(), status, file);
}

}  // namespace

namespace {

// Sets the attributes of the complete temporary file and gives it its name.
bool Finish(FilePlace& place, const Replacement& replacement, TemporaryFile& file) {
  if (replacement.name) {
    place.name = replacement.name();
    errno = 0;
    if (place.name.empty()) return false;
  }
  const bool ready =
      replacement.is_cache || (SetAttributes(place, replacement.most_permissions, file.file()) &&
                               Repeated([&] { return fsync(file.file()); }) == 0);
  if (!ready) return false;
  if (replacement.may_replace && !replacement.may_replace()) {
    errno = 0;
    return false;
  }
  const bool lasts = replacement.unfinished == nullptr || ExaminePlace(place).has_value();
  const auto lasting = lasts ? TemporaryFile::Lasting::kYes : TemporaryFile::Lasting::kNo;
  std::vector<TemporaryFile*> others;
  for (UnfinishedFile* const each : replacement.completes) {
    if (each->file.IsCreated()) others.push_back(&each->file);
  }
  const bool named = replacement.is_new ? file.LinkTo(place.name, lasting, others)
                                        : file.RenameTo(place.name, lasting, others);
  if (!named) return false;
  return replacement.is_cache || SyncFolder(place);
}

}  // namespace

bool ReplaceFile(FilePlace& place, const Replacement& replacement, WriteProblem& problem) {
  TemporaryFile own;
  TemporaryFile& file = replacement.unfinished == nullptr ? own : replacement.unfinished->file;
  Creation creation(place, replacement.is_cache, replacement.is_locked, file);
  const auto fail = [&](int error) {
    problem = {error, creation.wait().given_up(), creation.wait().remedy()};
    file.Remove();
    return false;
  };
  errno = 0;
  if (!creation.Create() || !WriteContent(file.file(), replacement)) return fail(errno);
  const std::string path = (fs::path(place.path) / TemporaryName(place.name)).string();
  if (replacement.accept && !replacement.accept(path)) return fail(0);
  if (replacement.write_others && !replacement.write_others(path)) return fail(0);
  if (creation.HasLostLock()) return fail(EBUSY);
  if (Finish(place, replacement, file)) return true;
  fail(errno);
  if (problem.error == ESTALE) {
    problem.message = "cannot write: it was replaced by another file";
    problem.remedy = "check what is there, then run the command again";
  }
  return false;
}

bool ReportProblem(const std::string& path, const WriteProblem& problem, Diagnostics& diagnostics) {
  if (!problem.message.empty()) {
    return diagnostics.Error({.path = path}, problem.message, problem.remedy);
  }
  if (problem.error == 0) return false;
  return diagnostics.Error({.path = path},
                           std::string("cannot write: ") + std::strerror(problem.error));
}

void RemoveStaleTemporaries(const std::string& folder) {
  const Descriptor place(OpenInput(folder));
  if (place.get() < 0) return;
  for (const std::string& name : NamesIn(folder).names) {
    if (!IsTemporaryName(name)) continue;
    const Descriptor left(OpenInputAt(place.get(), name));
    if (left.get() < 0) continue;
    const std::string lock = LockOfTemporary(name);
    const Locked locked = name == lock ? Locked::kUnsupported : TryToLock(left.get());
    const bool stale = locked == Locked::kYes ||
                       (locked == Locked::kUnsupported && !IsLivingLock(place.get(), lock));
    if (stale && IsFileAt(left.get(), place.get(), name.c_str()))
      unlinkat(place.get(), name.c_str(), 0);
  }
}

}  // namespace opledger

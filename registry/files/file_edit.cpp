// Edits a file under a lock. The lock is on the file itself or on a lock file. After waiting for
// the lock, the file has usually been replaced, and locking starts over with the new file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/file_edit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "registry/files/files.h"
#include "registry/files/replacement.h"

namespace opledger {
namespace {

constexpr const char* kAgain = "run the command again";

}  // namespace

std::optional<FileEdit> FileEdit::Open(const std::string& root, const std::string& path,
                                       Diagnostics& diagnostics, const std::string& shown) {
  const std::string& name = shown.empty() ? path : shown;
  std::optional<FilePlace> place = FindFilePlace(root, path);
  if (!place && errno == EXDEV) {
    return diagnostics.Error({.path = name}, "the link leads outside the project's folder",
                             "replace the link by a copy of the file");
  }
  if (!place) {
    return diagnostics.Error({.path = name}, std::string("cannot write: ") + std::strerror(errno));
  }
  FileEdit edit(root, path, name, std::move(*place));
  if (!edit.Lock(diagnostics)) return std::nullopt;
  return edit;
}

bool FileEdit::Lock(Diagnostics& diagnostics) {
  LockWait wait(shown_);
  for (;;) {
    file_ = Descriptor(OpenInputAt(place_.folder.get(), place_.name));
    Locked locked = file_.get() < 0 ? Locked::kFailed : TryToLock(file_.get());
    if (locked == Locked::kUnsupported && !lock_.IsHeld()) {
      locked = lock_.Take(place_.folder.get(), place_.name, wait) ? Locked::kBusy : Locked::kFailed;
      // Another run may have replaced the file in the meantime.
      if (locked == Locked::kBusy) continue;
    }
    if (locked == Locked::kYes || locked == Locked::kUnsupported) {
      if (IsInPlace()) return true;
      continue;
    }
    if (locked == Locked::kBusy && wait.Sleep(HolderOfLock(file_.get()))) continue;
    if (!wait.given_up().empty()) {
      return diagnostics.Error({.path = shown_}, wait.given_up(), wait.remedy());
    }
    return diagnostics.Error({.path = shown_}, std::string("cannot lock: ") + std::strerror(errno));
  }
}

bool FileEdit::IsInPlace() const {
  return IsFileAt(file_.get(), place_.folder.get(), place_.name.c_str());
}

bool FileEdit::FailReplaced(Diagnostics& diagnostics) const {
  return diagnostics.Error({.path = shown_}, "the file was replaced while it was being edited",
                           kAgain);
}

bool FileEdit::IsAt(const FilePlace& place, Diagnostics& diagnostics) const {
  return IsSamePlace(place, place_) || FailReplaced(diagnostics);
}

bool FileEdit::Holds(std::string_view text, Diagnostics& diagnostics) {
  std::optional<std::string> now;
  if (fstat(file_.get(), &read_) != 0) read_ = {};
  if (lseek(file_.get(), 0, SEEK_SET) == 0) now = ReadToEnd(file_.get(), text.size());
  if (!now && errno != EFBIG) {
    return diagnostics.Error({.path = shown_}, std::string("cannot read: ") + std::strerror(errno));
  }
  if (now && *now == text) return true;
  return diagnostics.Error({.path = shown_}, "the file was changed while it was being edited",
                           kAgain);
}

// Detects changes by programs that do not use locks.
bool FileEdit::IsAsRead(Diagnostics& diagnostics) const {
  struct stat now = {};
  const bool same = fstat(file_.get(), &now) == 0 && now.st_size == read_.st_size &&
                    now.st_mtim.tv_sec == read_.st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == read_.st_mtim.tv_nsec && now.st_mode == read_.st_mode;
  if (same && IsInPlace()) return true;
  return diagnostics.Error({.path = shown_}, "the file was changed while it was being edited",
                           kAgain);
}

bool FileEdit::Replace(std::string_view before, std::string_view after, Diagnostics& diagnostics) {
  if (!Holds(before, diagnostics)) return false;
  const std::optional<FilePlace> place = FindFilePlace(root_, path_);
  if (!place || !IsSamePlace(*place, place_) || !IsInPlace()) return FailReplaced(diagnostics);
  if (lock_.IsHeld() && !lock_.IsStillHeld()) {
    return diagnostics.Error({.path = shown_}, "another process removed its lock", kAgain);
  }
  Replacement replacement;
  replacement.produce = [&](OutputSink& sink) { return sink.Write(after); };
  replacement.is_locked = lock_.IsHeld();
  replacement.may_replace = [&] { return IsAsRead(diagnostics); };
  const std::size_t errors = diagnostics.all().size();
  WriteProblem problem;
  if (ReplaceFile(place_, replacement, problem)) return true;
  return diagnostics.all().size() == errors && ReportProblem(shown_, problem, diagnostics);
}

}  // namespace opledger

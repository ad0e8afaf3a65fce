// Locks that make concurrent runs wait for each other. After one second of waiting a message is
// shown; after --lock-timeout the wait fails with an error that names the holder. Uses flock. On
// file systems without it (ENOSYS, ENOLCK, EOPNOTSUPP: Lustre, some NFS), uses lock files, like
// git. A lock file contains host, process and start time; if a dead process of this host left it,
// it is taken over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "registry/files/temporary_file.h"

namespace opledger {

// Sets the number of seconds to wait for locks; 0: do not wait. The default is 30.
void SetLockTimeout(double seconds);

// The wait for one lock, which may be tried any number of times.
class LockWait {
 public:
  enum class Messages { kShown, kNone };

  // `path`: the locked file, for messages.
  explicit LockWait(std::string path, Messages messages = Messages::kShown)
      : path_(std::move(path)), messages_(messages) {}

  // Sleeps briefly while another process holds the lock. After one second, shows a message with
  // `holder` ("process 12 (opledger)"; may be empty). Returns false and sets errno to EBUSY after
  // the timeout. `lock_file` is the name of the lock file, if there is one.
  bool Sleep(const std::string& holder, const std::string& lock_file = {});

  // Why the wait was given up ("the file is locked by process 12") and what to do about it. Empty
  // unless it was given up.
  const std::string& given_up() const { return given_up_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string path_;
  Messages messages_;
  std::string given_up_;
  std::string remedy_;
  bool said_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

enum class Locked { kYes, kBusy, kUnsupported, kFailed };

// Tries to lock the open file until it is closed. Sets errno if the result is kFailed.
Locked TryToLock(int file);

// Returns the holder of such a lock, "process 12 (opledger)", or an empty string if unknown.
std::string HolderOfLock(int file);

// The lock file of a file, held from Take() on.
class LockFile {
 public:
  // Locks the file `name` in the folder, which must stay open. Returns false and sets errno on
  // failure; EBUSY means that the wait was given up.
  bool Take(int folder, const std::string& name, LockWait& wait);
  bool IsHeld() const { return file_ != nullptr; }
  // Returns whether the lock file is still the one that Take() created. Another process removes it
  // if it believes this process to be dead.
  bool IsStillHeld() const { return IsHeld() && file_->IsInPlace(); }

 private:
  std::unique_ptr<TemporaryFile> file_;
};

// Returns whether the folder has a lock file of this name whose holder may be alive.
bool IsLivingLock(int folder, const std::string& lock_file);

}  // namespace opledger

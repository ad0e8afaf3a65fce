// One run after the other: locks that are waited for, with a message after a second, and given up
// after --lock-timeout with an error that says who holds them. By flock; where the file system does
// not have it (ENOSYS, ENOLCK, EOPNOTSUPP: Lustre, some NFS), by files that only one can create, as
// git's are. Those name host, process and when that started; one that a dead process of this host
// left is taken over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "registry/files/temporary_file.h"

namespace opledger {

// How long locks are waited for; 0: not at all. The default is 30.
void SetLockTimeout(double seconds);

// One wait for one lock, which may be tried any number of times.
class LockWait {
 public:
  enum class Messages { kShown, kNone };

  // `path`: what is locked, for messages.
  explicit LockWait(std::string path, Messages messages = Messages::kShown)
      : path_(std::move(path)), messages_(messages) {}

  // Somebody has the lock: `holder` ("process 12 (opledger)", or empty) is shown once a second is
  // over. Sleeps a little; false, with errno EBUSY, once the timeout is over. `lock_file`: its
  // name, where the lock is one.
  bool Sleep(const std::string& holder, const std::string& lock_file = {});

  // Why it was given up, "is locked by process 12", and what to do; empty: it was not.
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

// Tries to lock the open file until it is closed. kFailed: errno is set.
Locked TryToLock(int file);

// "process 12 (opledger)", who holds such a lock of this file; empty where that cannot be told.
std::string HolderOfLock(int file);

// The lock file of a file, from Take() on.
class LockFile {
 public:
  // Of the file `name` in the folder, which must stay open. False with errno set: EBUSY, given up.
  bool Take(int folder, const std::string& name, LockWait& wait);
  bool IsHeld() const { return file_ != nullptr; }
  // Whether the lock file is still the one that Take() created. Another process removes it if it
  // believes this process to be dead.
  bool IsStillHeld() const { return IsHeld() && file_->IsInPlace(); }

 private:
  std::unique_ptr<TemporaryFile> file_;
};

// Whether the folder has a lock file of this name whose holder may be alive.
bool IsLivingLock(int folder, const std::string& lock_file);

}  // namespace opledger

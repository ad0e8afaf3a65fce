// Temporary files that signal handlers can remove. They are registered in a table without locks or
// allocation: a slot is taken, filled, then marked as ready. While a slot is being filled, this
// thread blocks signals, and a handler in another thread waits for it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/temporary_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>

#include "registry/files/open_file.h"
#include "registry/files/sha256.h"

namespace opledger {
namespace {

constexpr const char* kTemporary = ".opledger-tmp";
constexpr const char* kLock = ".opledger-lock";

// Returns ".NAME.opledger-tmp". If that is too long, uses a digest of the name.
std::string Hidden(const std::string& name, const char* ending) {
  constexpr std::size_t kDigits = 32;
  std::string whole = '.' + name + ending;
  if (whole.size() <= NAME_MAX) return whole;
  return '.' + Sha256Hex(name).substr(0, kDigits) + ending;
}

// ---- Files removed by signals ----

enum State : int { kFree, kFilling, kReady };

struct Slot {
  std::atomic<int> state = kFree;
  pid_t process = 0;
  int folder = -1;
  int file = -1;
  std::array<char, NAME_MAX + 1> name = {};
};
std::array<Slot, 64> slots;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void RemoveAndDie(int number) {
  RemoveTemporaryFiles();
  signal(number, SIG_DFL);
  raise(number);
}

// Handles the signals that would end this process while temporary files exist. Signals that are
// ignored or have other handlers are left alone.
class Handlers {
 public:
  void Begin() {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (files_++ > 0) return;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction action = {};
      action.sa_handler = RemoveAndDie;
      action.sa_flags = SA_NODEFER;
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_DFL) sigaction(kSignals[i], &action, nullptr);
    }
  }
  void End() {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (--files_ > 0) return;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction now = {};
      sigaction(kSignals[i], nullptr, &now);
      if (now.sa_handler == RemoveAndDie) sigaction(kSignals[i], &before_[i], nullptr);
    }
  }

 private:
  std::mutex mutex_;
  int files_ = 0;
  std::array<struct sigaction, std::size(kSignals)> before_ = {};
};
Handlers handlers;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

class NoSignals {
 public:
  NoSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : kSignals) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_ = {};
};

// Returns -1 if all slots are taken; signals do not remove the file in that case.
int TakeSlot() {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int state = kFree;
    if (slots[i].state.compare_exchange_strong(state, kFilling)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::string TemporaryName(const std::string& name) { return Hidden(name, kTemporary); }
std::string LockName(const std::string& name) { return Hidden(name, kLock); }

bool IsTemporaryName(const std::string& name) {
  return name.starts_with('.') && (name.ends_with(kTemporary) || name.ends_with(kLock));
}

std::string LockOfTemporary(const std::string& name) {
  return name.substr(0, name.rfind('.')) + kLock;
}

bool IsFileAt(int file, int folder, const char* name) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(file, &opened) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

bool TemporaryFile::Create(int folder, const std::string& name, mode_t mode) {
  const NoSignals none;
  const int slot = TakeSlot();
  file_ = OpenNewAt(folder, name, mode);
  if (file_ < 0) {
    if (slot >= 0) slots[static_cast<std::size_t>(slot)].state = kFree;
    return false;
  }
  folder_ = folder;
  name_ = name;
  slot_ = slot;
  if (slot >= 0) handlers.Begin();
  Register();
  return true;
}

void TemporaryFile::Register() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.process = getpid();
  slot.folder = folder_;
  slot.file = file_;
  const std::size_t size = std::min(name_.size(), slot.name.size() - 1);
  std::copy_n(name_.begin(), size, slot.name.begin());
  slot.name[size] = '\0';
  slot.state = kReady;
}

bool TemporaryFile::IsInPlace() const { return IsFileAt(file_, folder_, name_.c_str()); }

template <typename Move>
bool TemporaryFile::MoveTo(const std::string& name, Lasting lasting,
                           const std::vector<TemporaryFile*>& others, Move move) {
  const NoSignals none;
  // Another process may have removed the file and created another of that name.
  errno = ESTALE;
  if (!IsInPlace()) return false;
  std::vector<TemporaryFile*> files = others;
  files.push_back(this);
  for (const TemporaryFile* const each : files) {
    if (each->slot_ >= 0) slots[static_cast<std::size_t>(each->slot_)].state = kFilling;
  }
  const bool moved = move(name_.c_str(), name.c_str());
  const int error = errno;
  if (moved) name_ = name;
  for (TemporaryFile* const each : files) {
    if (moved && lasting == Lasting::kYes) {
      each->Forget();
    } else {
      each->Register();
    }
  }
  errno = error;
  return moved;
}

bool TemporaryFile::RenameTo(const std::string& name, Lasting lasting,
                             const std::vector<TemporaryFile*>& others) {
  return MoveTo(name, lasting, others, [&](const char* from, const char* to) {
    return renameat(folder_, from, folder_, to) == 0;
  });
}

bool TemporaryFile::LinkTo(const std::string& name, Lasting lasting,
                           const std::vector<TemporaryFile*>& others) {
  return MoveTo(name, lasting, others, [&](const char* from, const char* to) {
    if (renameat2(folder_, from, folder_, to, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    // The kernel or file system does not support this call.
    if (linkat(folder_, from, folder_, to, 0) == 0) {
      unlinkat(folder_, from, 0);
      return true;
    }
    if (errno == EEXIST) return false;
    // The file system has no hard links. Something may take the name between these two calls.
    struct stat status = {};
    const bool free = fstatat(folder_, to, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    if (!free) errno = EEXIST;
    return free && renameat(folder_, from, folder_, to) == 0;
  });
}

void TemporaryFile::Keep() {
  const NoSignals none;
  Forget();
}

void TemporaryFile::Remove() {
  if (file_ < 0) return;
  const int error = errno;
  if (!name_.empty()) {
    const NoSignals none;
    if (IsInPlace()) unlinkat(folder_, name_.c_str(), 0);
    Forget();
  }
  close(file_);
  file_ = -1;
  errno = error;
}

void TemporaryFile::Forget() {
  name_.clear();
  if (slot_ < 0) return;
  slots[static_cast<std::size_t>(slot_)].state = kFree;
  slot_ = -1;
  handlers.End();
}

void RemoveTemporaryFiles() {
  constexpr int kTries = 100;
  const pid_t process = getpid();
  for (Slot& slot : slots) {
    // Another thread is creating the file.
    for (int i = 0; i < kTries && slot.state == kFilling; ++i) usleep(1000);
    const bool ours = slot.state == kReady && slot.process == process;
    if (ours && IsFileAt(slot.file, slot.folder, slot.name.data())) {
      unlinkat(slot.folder, slot.name.data(), 0);
    }
  }
}

}  // namespace opledger

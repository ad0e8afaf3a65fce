// Locks files. A lock file holds one line: "HOST PROCESS STARTED NAMESPACE", where STARTED is the
// start time in /proc/PROCESS/stat. A process number alone would be ambiguous: it can be reused, or
// belong to a container.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "registry/files/files.h"
#include "registry/files/open_file.h"
#include "registry/files/repeated.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

using Seconds = std::chrono::duration<double>;

double timeout_seconds = 30;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

constexpr std::size_t kLargest = std::size_t{1} << 20;  // bytes to read from a file of /proc

// Returns an empty string if the file cannot be read.
std::string ReadProc(const std::string& path) {
  const Descriptor file(OpenInput(path));
  return file.get() < 0 ? "" : ReadToEnd(file.get(), kLargest).value_or("");
}

// Returns when the process started, in clock ticks since boot, or an empty string if there is no
// such process.
std::string StartOf(const std::string& process) {
  const std::string stat = ReadProc("/proc/" + process + "/stat");
  // The program name, in parentheses, may contain any character.
  const std::size_t name = stat.rfind(')');
  if (name == std::string::npos) return {};
  std::istringstream fields(stat.substr(name + 1));
  std::string field;
  constexpr int kStart = 20;  // the 22nd field of the whole line
  for (int i = 0; i < kStart; ++i) fields >> field;
  return field;
}

std::string NamespaceOf(const std::string& process) {
  std::array<char, 64> target = {};
  const ssize_t size =
      readlink(("/proc/" + process + "/ns/pid").c_str(), target.data(), target.size());
  return size <= 0 ? "-" : std::string(target.data(), static_cast<std::size_t>(size));
}

std::string HostName() {
  utsname names = {};
  return uname(&names) == 0 && names.nodename[0] != '\0' ? names.nodename : "-";
}

// Returns a name such as "process 12 (opledger)".
std::string Named(const std::string& process) {
  std::string name = ReadProc("/proc/" + process + "/comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return "process " + Printable(process) + (name.empty() ? "" : " (" + Printable(name) + ')');
}

struct Holder {
  std::string host, process, started, space;
};

Holder Self() {
  const std::string process = std::to_string(getpid());
  return {HostName(), process, StartOf(process), NamespaceOf("self")};
}

// Returns the contents of a lock file, or nullopt if they are incomplete.
std::optional<Holder> ReadHolder(int file) {
  constexpr std::size_t kLongest = 4096;
  const std::optional<std::string> text = ReadToEnd(file, kLongest);
  if (!text || !text->ends_with('\n')) return std::nullopt;
  std::istringstream fields(*text);
  Holder holder;
  if (!(fields >> holder.host >> holder.process >> holder.started)) return std::nullopt;
  fields >> holder.space;
  return holder;
}

// Processes of another host or process namespace are assumed to be alive.
bool IsDead(const Holder& holder) {
  const Holder self = Self();
  if (self.started.empty() || holder.started == "-") return false;  // no /proc
  if (holder.host != self.host || holder.space != self.space) return false;
  return StartOf(holder.process) != holder.started;
}

std::string Describe(const std::optional<Holder>& holder) {
  if (!holder) return {};
  if (holder->host != HostName() || holder->space != NamespaceOf("self")) {
    return "process " + Printable(holder->process) + " on host " + Printable(holder->host);
  }
  return Named(holder->process);
}

std::string LineOf(const Holder& holder) {
  return holder.host + ' ' + holder.process + ' ' +
         (holder.started.empty() ? "-" : holder.started) + ' ' + holder.space + '\n';
}

// Creates the lock file complete with the line that names its holder, so that other processes never
// see it without that line. Returns false and sets errno on failure. EEXIST means that another
// process holds the lock.
bool CreateLock(int folder, const std::string& lock, TemporaryFile& file) {
  const Holder self = Self();
  for (bool is_new = false; !is_new;) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string name = self.host + '.' + self.process + '.' + std::to_string(now) + lock;
    is_new = file.Create(folder, LockName(name), 0644);
    if (!is_new && errno != EEXIST) return false;
  }
  const bool created =
      WriteAll(file.file(), LineOf(self)) && file.LinkTo(lock, TemporaryFile::Lasting::kNo);
  if (!created) file.Remove();
  return created;
}

// Removes the lock file of a dead process. Only the holder of a guard file does so, after checking
// again, because another process may hold the lock by now. Returns false and sets errno on failure.
bool TakeOver(int folder, const std::string& lock, LockWait& wait) {
  TemporaryFile guard;
  const std::string name = LockName("takeover" + lock);
  while (!CreateLock(folder, name, guard)) {
    if (errno != EEXIST || !wait.Sleep({}, name)) return false;
  }
  const Descriptor left(OpenInputAt(folder, lock));
  const auto holder = left.get() < 0 ? std::nullopt : ReadHolder(left.get());
  // In this order: a process that ended after the read had already removed its lock.
  if (holder && IsDead(*holder) && IsFileAt(left.get(), folder, lock.c_str())) {
    unlinkat(folder, lock.c_str(), 0);
  }
  return true;
}

}  // namespace

void SetLockTimeout(double seconds) { timeout_seconds = seconds; }

bool LockWait::Sleep(const std::string& holder, const std::string& lock_file) {
  constexpr Seconds kBeforeMessage(1);
  constexpr std::chrono::milliseconds kPause(20);
  const Seconds waited = std::chrono::steady_clock::now() - began_;
  const std::string who = holder.empty() ? "another process" : holder;
  if (waited.count() >= timeout_seconds) {
    given_up_ = "the file is locked by " + who;
    remedy_ = "wait until it ends, or use a longer --lock-timeout";
    if (!lock_file.empty()) remedy_ += "; if it is dead, remove '" + lock_file + '\'';
    errno = EBUSY;
    return false;
  }
  if (waited >= kBeforeMessage && !std::exchange(said_, true) && messages_ == Messages::kShown) {
    std::fprintf(stderr, "%s: waiting for %s, which holds its lock\n", Printable(path_).c_str(),
                 who.c_str());
  }
  std::this_thread::sleep_for(kPause);
  return true;
}

Locked TryToLock(int file) {
  if (Repeated([&] { return flock(file, LOCK_EX | LOCK_NB); }) == 0) return Locked::kYes;
  if (errno == EWOULDBLOCK) return Locked::kBusy;
  const bool unsupported = errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP;
  return unsupported ? Locked::kUnsupported : Locked::kFailed;
}

// Parses lines of /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF".
std::string HolderOfLock(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0) return {};
  std::istringstream lines(ReadProc("/proc/locks"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number, kind, advisory, mode, process, place;
    fields >> number >> kind >> advisory >> mode >> process >> place;
    const std::size_t inode = place.rfind(':');
    const bool ours = kind == "FLOCK" && inode != std::string::npos &&
                      place.substr(inode + 1) == std::to_string(status.st_ino);
    if (ours && process != "0" && process != "-1") return Named(process);
  }
  return {};
}

bool LockFile::Take(int folder, const std::string& name, LockWait& wait) {
  const std::string lock = LockName(name);
  auto file = std::make_unique<TemporaryFile>();
  while (!CreateLock(folder, lock, *file)) {
    if (errno != EEXIST) return false;
    const Descriptor other(OpenInputAt(folder, lock));
    if (other.get() < 0 && errno == ENOENT) continue;
    const auto holder = other.get() < 0 ? std::nullopt : ReadHolder(other.get());
    if (holder && IsDead(*holder)) {
      if (!TakeOver(folder, lock, wait)) return false;
    } else if (!wait.Sleep(Describe(holder), lock)) {
      return false;
    }
  }
  file_ = std::move(file);
  return true;
}

bool IsLivingLock(int folder, const std::string& lock_file) {
  const Descriptor lock(OpenInputAt(folder, lock_file));
  if (lock.get() < 0) return false;
  const std::optional<Holder> holder = ReadHolder(lock.get());
  return !holder || !IsDead(*holder);
}

}  // namespace opledger

// Landlock forbids by path, whatever its version knows of; seccomp forbids system calls by number.
// The constants are the kernel's: the headers of an older one do not have all.
// https://docs.kernel.org/userspace-api/landlock.html
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "registry/platform/files.h"
#include "registry/platform/open_file.h"
#include "registry/platform/platform.h"
#include "registry/platform/sudden_end.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// ---- Landlock ----

constexpr long kCreateRuleset = 444;  // on all architectures
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t Bit(int number) { return std::uint64_t{1} << number; }

constexpr std::uint64_t kExecute = Bit(0);
constexpr std::uint64_t kWriteFile = Bit(1);
constexpr std::uint64_t kReadFile = Bit(2);
constexpr std::uint64_t kReadFolder = Bit(3);
constexpr std::uint64_t kTruncate = Bit(14);
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | Bit(15);

// All that a version of Landlock can forbid of files.
constexpr std::uint64_t Handled(int version) {
  std::uint64_t all = Bit(13) - 1;
  if (version >= 2) all |= Bit(13);  // linking and renaming between folders
  if (version >= 3) all |= kTruncate;
  if (version >= 5) all |= Bit(15);  // ioctl of devices
  return all;
}

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

int LandlockVersion() {
  return static_cast<int>(syscall(kCreateRuleset, nullptr, std::size_t{0}, kAskVersion));
}

// Without the rule, a file that may be read would be refused for a reason that is not the reason.
[[noreturn]] void EndWithoutDescriptors() {
  Diagnostics diagnostics;
  diagnostics.Error({}, std::string("cannot list the files to keep to: ") + std::strerror(EMFILE));
  EndSuddenly(RenderDiagnostics(diagnostics));
}

void Allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor file(OpenPlace(path));
  if (file.get() < 0 && errno == EMFILE) EndWithoutDescriptors();
  struct stat status = {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const PathRule rule = {rights, file.get()};
  syscall(kAddRule, ruleset, kPathBeneath, &rule, 0U);
}

void RestrictFiles(const Sandbox& sandbox) {
  const int version = LandlockVersion();
  if (version < 1) return;
  Ruleset rules;
  rules.files = Handled(version);
  if (sandbox.runs_programs) rules.files &= ~kExecute;
  if (version >= 4) rules.network = 3;  // binding and connecting by TCP
  if (version >= 6) rules.scoped = 3;   // abstract sockets, and signals, of others
  const Descriptor ruleset(static_cast<int>(syscall(kCreateRuleset, &rules, sizeof rules, 0U)));
  if (ruleset.get() < 0) return;
  for (const std::string& path : sandbox.read) Allow(ruleset.get(), path, kReadFile | kReadFolder);
  for (const std::string& path : sandbox.write) {
    Allow(ruleset.get(), path, rules.files & ~kExecute);
  }
  syscall(kRestrictSelf, ruleset.get(), 0U);
}

// ---- seccomp ----

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // calls are not forbidden
#endif

constexpr std::uint32_t kForeignCalls = 0x40000000;  // x32's, on x86-64

// What no reader of files needs: other programs, the network, other processes, the kernel.
constexpr std::uint32_t kForbidden[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_mknodat,
    425,  // io_uring_setup, which would do all of these unseen
    438,  // pidfd_getfd
};
// And where programs are not run.
constexpr std::uint32_t kForbiddenToo[] = {
    SYS_execve,
    SYS_execveat,
#if defined(SYS_fork)
    SYS_fork,
    SYS_vfork,
#endif
};
constexpr std::uint32_t kClone3 = 435;

class Filter {
 public:
  explicit Filter(bool runs_programs) {
    Load(offsetof(seccomp_data, arch));
    Add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    Return(SECCOMP_RET_KILL_PROCESS);
    Load(offsetof(seccomp_data, nr));
    Add(BPF_JMP | BPF_JGE | BPF_K, kForeignCalls, 0, 1);
    Return(SECCOMP_RET_ERRNO | EPERM);
    for (const std::uint32_t call : kForbidden) Forbid(call, EPERM);
    if (runs_programs) {
      Return(SECCOMP_RET_ALLOW);
      return;
    }
    for (const std::uint32_t call : kForbiddenToo) Forbid(call, EPERM);
    // Its flags are in memory, where they cannot be looked at; without it clone is used.
    Forbid(kClone3, ENOSYS);
    // A thread is no other process.
    Add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
    Load(offsetof(seccomp_data, args[0]));
    Add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    Return(SECCOMP_RET_ERRNO | EPERM);
    Return(SECCOMP_RET_ALLOW);
  }

  bool Install() {
    const sock_fprog program = {static_cast<unsigned short>(size_), code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void Add(unsigned code, std::uint32_t value, unsigned char yes = 0, unsigned char no = 0) {
    code_[size_++] = {static_cast<std::uint16_t>(code), yes, no, value};
  }
  void Load(std::size_t offset) {
    Add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void Return(std::uint32_t action) { Add(BPF_RET | BPF_K, action); }
  void Forbid(std::uint32_t call, int error) {
    Add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    Return(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }

  std::array<sock_filter, 128> code_ = {};
  std::size_t size_ = 0;
};

}  // namespace

Sandbox SandboxOf(const std::vector<std::string>& words, const std::vector<std::string>& outputs,
                  const std::string& cache) {
  Sandbox sandbox;
  sandbox.read = {".", DataDirectory(), "/proc", "/sys"};
  sandbox.write = {"/dev/null"};
#if defined(__clang__)
  sandbox.write.emplace_back("/dev/shm");  // where LLVM's OpenMP registers itself, or ends us
#endif
  std::error_code error;
  const auto add_folder_of = [&](const std::string& path, std::vector<std::string>& folders) {
    fs::path folder = fs::absolute(FollowLinks(path).value_or(path), error).lexically_normal();
    if (!fs::is_directory(folder, error)) folder = folder.parent_path();
    while (!fs::is_directory(folder, error) && folder.has_relative_path()) {
      folder = folder.parent_path();  // those below are made
    }
    folders.push_back(folder.string());
  };
  // An installation may consist of links.
  for (fs::directory_iterator entry(DataDirectory(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code broken;
    sandbox.read.push_back(fs::canonical(entry->path(), broken).string());
  }
  const auto add_file = [&](const std::string& path) {
    if (path.empty() || !fs::exists(path, error)) return;
    add_folder_of(path, sandbox.read);
    // The model's data lies beside the name by which it is called.
    sandbox.read.push_back(fs::absolute(path, error).parent_path().string());
  };
  for (const std::string& word : words) {
    add_file(word);
    for (std::size_t at = word.find('='); at != std::string::npos; at = word.find('=', at + 1)) {
      add_file(word.substr(at + 1));  // "--input=x=x.npy"
    }
  }
  for (const std::string& output : outputs) {
    if (output.empty() || output == "-") continue;
    const bool special = fs::exists(output, error) && !fs::is_regular_file(output, error) &&
                         !fs::is_directory(output, error);
    if (special) sandbox.write.push_back(output);
    if (!special) add_folder_of(output, sandbox.write);
  }
  if (!cache.empty()) {
    fs::create_directories(cache, error);
    sandbox.write.push_back(cache);
  }
  return sandbox;
}

void EnterSandbox(const Sandbox& sandbox) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  RestrictFiles(sandbox);
#if !defined(OPLEDGER_ADDRESS_SANITIZER)  // which looks for leaks from a process of its own
  if (kArchitecture != 0) Filter(sandbox.runs_programs).Install();
#endif
}

std::string SandboxOfKernel() {
  const int version = LandlockVersion();
  std::string text = version < 1 ? "" : "Landlock " + std::to_string(version);
  // Asks for a mode with a program that is not there: a kernel that knows it looks for that.
  const bool filters = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) < 0 && errno == EFAULT;
  if (filters && kArchitecture != 0) text += text.empty() ? "seccomp" : ", seccomp";
  return text.empty() ? "none" : text;
}

}  // namespace opledger

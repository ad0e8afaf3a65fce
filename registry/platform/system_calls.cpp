// The allowed system calls and the seccomp filter built from them. For each call the filter
// compares the number and, if needed, one argument. It cannot examine memory.
// https://docs.kernel.org/userspace-api/seccomp_filter.html
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/system_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opledger {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // calls are not filtered
#endif

// From here on, numbers are the same on all architectures, and C libraries can do without these
// calls.
constexpr std::uint32_t kFirstOptional = 424;

// Which processes may make the call.
enum class Who : unsigned char { kAll, kWriters, kComputing, kBecoming };

// Requirement on one argument.
enum class Holds : unsigned char {
  kAnything,
  kIsOneOf,       // the values
  kHasBit,        // has a bit of the value
  kLacksBit,      // lacks a bit of the value; not checked for processes that generate code
  kIsThisProcess  // is the process's id
};

struct ArgumentRule {
  Holds holds = Holds::kAnything;
  unsigned char argument = 0;
  std::span<const std::uint32_t> values = {};
};

struct SystemCall {
  std::uint32_t number = 0;
  Who who = Who::kAll;
  ArgumentRule rule = {};
};

// Detects terminals and their width. TIOCSTI, which injects input, is excluded.
constexpr std::uint32_t kTerminalRequests[] = {TCGETS, TIOCGWINSZ, 0x802C542A /* TCGETS2 */};

// F_SETOWN, F_SETSIG and F_NOTIFY, which cause signals, are excluded.
constexpr std::uint32_t kDescriptorCommands[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
    36,    // F_OFD_GETLK
    37,    // F_OFD_SETLK
    38,    // F_OFD_SETLKW
    1034,  // F_GET_SEALS
};

// Thread names, the parent-death signal, names and pages of memory. Options that let other
// processes inspect this one are excluded.
constexpr std::uint32_t kProcessOptions[] = {
    PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_SECCOMP,     PR_GET_SECCOMP, PR_SET_NAME,
    PR_GET_NAME,         PR_SET_PDEATHSIG,    PR_SET_THP_DISABLE, 0x53564D41,  // PR_SET_VMA
};

constexpr std::uint32_t kItself[] = {0};
constexpr std::uint32_t kThread[] = {CLONE_THREAD};
constexpr std::uint32_t kExecutable[] = {PROT_EXEC};

constexpr ArgumentRule kNoCode = {Holds::kLacksBit, 2, kExecutable};
constexpr ArgumentRule kOwnProcess = {Holds::kIsThisProcess, 0, {}};

// The most frequent calls come first.
constexpr SystemCall kAllowed[] = {
    // Open files, including standard output and pipes.
    {SYS_read},
    {SYS_write},
    {SYS_pread64},
    {SYS_pwrite64},
    {SYS_readv},
    {SYS_writev},
    {SYS_preadv},
    {SYS_pwritev},
    {SYS_lseek},
    {SYS_close},
    {436},  // close_range
    {SYS_fstat},
    {SYS_fstatfs},
    {SYS_dup},
    {SYS_dup3},
    {SYS_fcntl, Who::kAll, {Holds::kIsOneOf, 1, kDescriptorCommands}},
    {SYS_ioctl, Who::kAll, {Holds::kIsOneOf, 1, kTerminalRequests}},
    {SYS_fadvise64},
    {SYS_readahead},
    {SYS_ppoll},
    {SYS_pselect6},
    // Memory.
    {SYS_mmap, Who::kAll, kNoCode},
    {SYS_mprotect, Who::kAll, kNoCode},
    {SYS_munmap},
    {SYS_mremap},
    {SYS_madvise},
    {SYS_brk},
    {SYS_mincore},
    {SYS_mlock},
    {SYS_munlock},
    {453},  // map_shadow_stack
    {462},  // mseal
    // Threads.
    {SYS_futex},
    {449},  // futex_waitv
    {454},  // futex_wake
    {455},  // futex_wait
    {456},  // futex_requeue
    {SYS_sched_yield},
    {SYS_clone, Who::kAll, {Holds::kHasBit, 0, kThread}},  // clone3 has its flags in memory
    {SYS_set_robust_list},
    {SYS_set_tid_address},
#if defined(SYS_rseq)
    {SYS_rseq},
#endif
    {SYS_membarrier},
    {SYS_sched_getaffinity},
    {SYS_sched_setaffinity, Who::kComputing},
    {SYS_sched_getparam},
    {SYS_sched_getscheduler},
    {SYS_sched_get_priority_min},
    {SYS_sched_get_priority_max},
    {SYS_getcpu},
    {SYS_exit},
    {SYS_exit_group},
    // Time. Timers signal only the process itself.
    {SYS_clock_gettime},
    {SYS_clock_getres},
    {SYS_clock_nanosleep},
    {SYS_nanosleep},
    {SYS_gettimeofday},
    {SYS_times},
    {SYS_getrusage},
    {SYS_setitimer},
    {SYS_getitimer},
    // Finding and opening files, restricted by Landlock. Landlock does not cover chdir, so it is
    // excluded.
    {SYS_openat},
    {437},  // openat2
    {SYS_newfstatat},
    {SYS_statx},
    {SYS_faccessat},
    {439},  // faccessat2
    {SYS_readlinkat},
    {SYS_getdents64},
    {SYS_getcwd},
    {SYS_statfs},
    // Handling signals, and sending signals to this process.
    {SYS_rt_sigaction},
    {SYS_rt_sigprocmask},
    {SYS_rt_sigreturn},
    {SYS_rt_sigpending},
    {SYS_rt_sigtimedwait},
    {SYS_rt_sigsuspend},
    {SYS_sigaltstack},
    {SYS_restart_syscall},
    {SYS_tgkill, Who::kAll, kOwnProcess},
    {SYS_kill, Who::kAll, kOwnProcess},
    // Identity of the process and the system; lowering its own limits.
    {SYS_getpid},
    {SYS_getppid},
    {SYS_gettid},
    {SYS_getuid},
    {SYS_geteuid},
    {SYS_getgid},
    {SYS_getegid},
    {SYS_uname},
    {SYS_sysinfo},
    {SYS_getrandom},
    {SYS_prlimit64, Who::kAll, {Holds::kIsOneOf, 0, kItself}},
    {SYS_prctl, Who::kAll, {Holds::kIsOneOf, 0, kProcessOptions}},
    // A smaller sandbox within this one.
    {444},  // landlock_create_ruleset
    {445},  // landlock_add_rule
    {446},  // landlock_restrict_self
    // Writing files. Landlock does not cover changes of mode, owner, times or attributes by path,
    // so only open files can be changed. The writer of outputs does this for its temporary files.
    {SYS_ftruncate, Who::kWriters},
    {SYS_fallocate, Who::kWriters},
    {SYS_fsync, Who::kWriters},
    {SYS_fdatasync, Who::kWriters},
    {SYS_msync, Who::kWriters},
    {SYS_flock, Who::kWriters},
    {SYS_umask, Who::kWriters},
    {SYS_fchmod, Who::kWriters},
    {SYS_fchown, Who::kWriters},
    {SYS_fgetxattr, Who::kWriters},
    {SYS_flistxattr, Who::kWriters},
    {SYS_fsetxattr, Who::kWriters},
    {SYS_fremovexattr, Who::kWriters},
    {SYS_copy_file_range, Who::kWriters},
    {SYS_sendfile, Who::kWriters},
    {SYS_renameat2, Who::kWriters},
    {SYS_renameat, Who::kWriters},
    {SYS_unlinkat, Who::kWriters},
    {SYS_mkdirat, Who::kWriters},
    {SYS_linkat, Who::kWriters},
    // Becoming another program.
    {SYS_execve, Who::kBecoming},
#if defined(__x86_64__)
    // Calls that C libraries still use on x86-64; other architectures never had them.
    {SYS_open},
    {SYS_stat},
    {SYS_lstat},
    {SYS_access},
    {SYS_readlink},
    {SYS_dup2},
    {SYS_poll},
    {SYS_select},
    {SYS_time},
    {SYS_alarm},
    {SYS_pause},
    {SYS_arch_prctl},  // only affects the thread: its storage, and AMX registers
    {SYS_rename, Who::kWriters},
    {SYS_unlink, Who::kWriters},
    {SYS_rmdir, Who::kWriters},
    {SYS_mkdir, Who::kWriters},
    {SYS_link, Who::kWriters},
#endif
};

bool IsFor(Who who, const AllowedWork& work) {
  switch (who) {
    case Who::kAll:
      return true;
    case Who::kWriters:
      return work.writes_files;
    case Who::kComputing:
      return work.computes || work.becomes_program;
    case Who::kBecoming:
      return work.becomes_program;
  }
  return false;
}

class CallFilter {
 public:
  explicit CallFilter(const AllowedWork& work) {
    Load(offsetof(seccomp_data, arch));
    Add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    Return(SECCOMP_RET_KILL_PROCESS);
    Load(offsetof(seccomp_data, nr));
    const bool makes_code = work.computes || work.becomes_program;
    for (const SystemCall& call : kAllowed) {
      if (!IsFor(call.who, work)) continue;
      const bool is_asked = call.rule.holds != Holds::kLacksBit || !makes_code;
      Allow(call.number, is_asked ? call.rule : ArgumentRule());
    }
    // The numbers of x32 on x86-64 are greater.
    Add(BPF_JMP | BPF_JGE | BPF_K, kFirstOptional, 0, 1);
    Return(SECCOMP_RET_ERRNO | ENOSYS);
    Return(kRefused);
  }

  bool Install() {
    const sock_fprog program = {static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  static constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;

  void Add(unsigned code, std::uint32_t value, std::size_t yes = 0, std::size_t no = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(yes),
                     static_cast<std::uint8_t>(no), value});
  }
  void Load(std::size_t offset) {
    Add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void Return(std::uint32_t action) { Add(BPF_RET | BPF_K, action); }

  // Allows the call; skips to the next one if the number differs.
  void Allow(std::uint32_t number, const ArgumentRule& rule) {
    const std::size_t at = code_.size();
    Add(BPF_JMP | BPF_JEQ | BPF_K, number);
    if (rule.holds != Holds::kAnything) Ask(rule);
    Return(SECCOMP_RET_ALLOW);
    code_[at].jf = static_cast<std::uint8_t>(code_.size() - at - 1);
  }

  // Refuses the call, or continues with the next instruction. All these arguments have 32 bits, or
  // their relevant bits are in the low half.
  void Ask(const ArgumentRule& rule) {
    const std::uint32_t process = static_cast<std::uint32_t>(getpid());
    const bool own = rule.holds == Holds::kIsThisProcess;
    const std::span<const std::uint32_t> values = own ? std::span(&process, 1) : rule.values;
    Load(offsetof(seccomp_data, args) + 8 * std::size_t{rule.argument});
    if (rule.holds == Holds::kLacksBit) {
      Add(BPF_JMP | BPF_JSET | BPF_K, values[0], 0, 1);
    } else if (rule.holds == Holds::kHasBit) {
      Add(BPF_JMP | BPF_JSET | BPF_K, values[0], 1, 0);
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        Add(BPF_JMP | BPF_JEQ | BPF_K, values[i], values.size() - i, 0);
      }
    }
    Return(kRefused);
  }

  std::vector<sock_filter> code_;
};

}  // namespace

bool AllowSystemCalls(const AllowedWork& work) {
  return kArchitecture != 0 && CallFilter(work).Install();
}

bool HasSystemCallFilters() {
  // Requests a filter without a program: kernels that support filters fail with EFAULT.
  return kArchitecture != 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) < 0 &&
         errno == EFAULT;
}

}  // namespace opledger

// Tests which system calls the sandbox allows, for every number, whatever the table says; and that
// denied calls leave files unchanged. Each test's child tries them.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/system_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

constexpr long kNumbers = 471;  // as of Linux 6.18, on all architectures
constexpr long kFirstOptional = 424;
constexpr std::uint32_t kMark = 0x6F706C67;
constexpr int kWouldRun = ENOTUNIQ;

// Calls with the mark as their last argument are not made: they fail with kWouldRun. If two filters
// return an error, the later one's takes precedence, so calls that it denies fail with its error.
bool StopMarked() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[5])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMark, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | kWouldRun),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

using Arguments = std::array<long, 3>;

// Returns 'y' if allowed, 'n' for EPERM, 'o' for ENOSYS (no such call), '?' for anything else.
char Ask(long number, const Arguments& arguments = {}) {
  errno = 0;
  const long result =
      syscall(number, arguments[0], arguments[1], arguments[2], 0L, 0L, static_cast<long>(kMark));
  const int error = errno;
  syscall(SYS_getpid, 0L, 0L, 0L, 0L, 0L, 0L);  // removes the mark from its register
  if (result != -1) return '?';
  return error == kWouldRun ? 'y' : error == EPERM ? 'n' : error == ENOSYS ? 'o' : '?';
}

// Returns the result of `asks` in a child that is allowed this work.
std::string Within(const AllowedWork& work, const std::function<std::string()>& asks) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const bool ready = StopMarked() && AllowSystemCalls(work);
    const std::string said = ready ? asks() : "no filter";
    _exit(write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char chunk[512];
  for (ssize_t got = 0; (got = read(ends[0], chunk, sizeof chunk)) > 0;) {
    said.append(chunk, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0 ? said : said + " (status " + std::to_string(status) + ")";
}

class SystemCallsTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(OPLEDGER_ADDRESS_SANITIZER)
    GTEST_SKIP() << "the sandbox has no seccomp if built with AddressSanitizer";
#endif
    if (!HasSystemCallFilters()) GTEST_SKIP() << "this kernel has no seccomp";
  }
};

using Numbers = std::set<long>;

// Calls allowed when all arguments are 0.
const Numbers& OfReaders() {
  static const Numbers numbers = {
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_pwritev,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_fstatfs,
    SYS_dup,
    SYS_dup3,
    SYS_fcntl,
    SYS_fadvise64,
    SYS_readahead,
    SYS_ppoll,
    SYS_pselect6,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mincore,
    SYS_mlock,
    SYS_munlock,
    SYS_futex,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_membarrier,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_min,
    SYS_sched_get_priority_max,
    SYS_getcpu,
    SYS_exit,
    SYS_exit_group,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_times,
    SYS_getrusage,
    SYS_setitimer,
    SYS_getitimer,
    SYS_openat,
    SYS_newfstatat,
    SYS_statx,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_statfs,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
    SYS_prlimit64,
    436,  // close_range
    437,  // openat2
    439,  // faccessat2
    444,  // landlock_create_ruleset
    445,  // landlock_add_rule
    446,  // landlock_restrict_self
    449,  // futex_waitv
    453,  // map_shadow_stack
    454,  // futex_wake
    455,  // futex_wait
    456,  // futex_requeue
    462,  // mseal
#if defined(__x86_64__)
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_dup2,
    SYS_poll,
    SYS_select,
    SYS_time,
    SYS_alarm,
    SYS_pause,
    SYS_arch_prctl,
#endif
  };
  return numbers;
}

// Additional calls.
const Numbers& OfWriters() {
  static const Numbers numbers = {
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fsync,
    SYS_fdatasync,
    SYS_msync,
    SYS_flock,
    SYS_umask,
    SYS_fchmod,
    SYS_fchown,
    SYS_fgetxattr,
    SYS_flistxattr,
    SYS_fsetxattr,
    SYS_fremovexattr,
    SYS_copy_file_range,
    SYS_sendfile,
    SYS_renameat2,
    SYS_renameat,
    SYS_unlinkat,
    SYS_mkdirat,
    SYS_linkat,
#if defined(__x86_64__)
    SYS_rename,
    SYS_unlink,
    SYS_rmdir,
    SYS_mkdir,
    SYS_link,
#endif
  };
  return numbers;
}

// uretprobe and uprobe on x86-64: the kernel exempts them from filters, and kills a process that
// calls them without a probe.
bool PassesFilters([[maybe_unused]] long number) {
#if defined(__x86_64__)
  return number == 335 || number == 336;
#else
  return false;
#endif
}

// Compares every number, with arguments of 0, with the lists above.
std::string Differences(const AllowedWork& work, const Numbers& expected) {
  const std::string said = Within(work, [] {
    std::string answers;
    for (long number = 0; number < kNumbers; ++number) {
      answers += PassesFilters(number) ? 'n' : Ask(number);
    }
    // one of x32's, and one that does not exist
    return answers + Ask(0x40000000 + SYS_read) + Ask(100000);
  });
  if (said.size() != kNumbers + 2) return "answered: " + said;
  std::string text;
  for (long number = 0; number < kNumbers; ++number) {
    const char wanted = expected.contains(number) ? 'y' : number < kFirstOptional ? 'n' : 'o';
    const char found = said[static_cast<std::size_t>(number)];
    if (found == wanted) continue;
    text += std::to_string(number) + ": " + found + ", not " + wanted + "; ";
  }
  return text + (said.ends_with("oo") ? "" : "numbers that are none: " + said.substr(kNumbers));
}

TEST_F(SystemCallsTest, EveryNumber) {
  Numbers numbers = OfReaders();
  EXPECT_EQ(Differences({}, numbers), "");
  numbers.insert(OfWriters().begin(), OfWriters().end());
  EXPECT_EQ(Differences({.writes_files = true}, numbers), "");
  numbers.insert(SYS_sched_setaffinity);
  EXPECT_EQ(Differences({.writes_files = true, .computes = true}, numbers), "");
  numbers.insert(SYS_execve);
  EXPECT_EQ(Differences({true, true, true}, numbers), "");
  numbers = OfReaders();
  numbers.insert({SYS_sched_setaffinity, SYS_execve});
  EXPECT_EQ(Differences({.becomes_program = true}, numbers), "");
}

struct Question {
  const char* what;
  long number;
  Arguments arguments;
  char wanted;
};

std::string Wrong(const AllowedWork& work, const std::vector<Question>& questions) {
  return Within(work, [&] {
    std::string text;
    for (const Question& each : questions) {
      const char found = Ask(each.number, each.arguments);
      if (found != each.wanted) text += std::string(each.what) + ": " + found + "; ";
    }
    return text;
  });
}

std::vector<Question> AboutArguments() {
  return {
      {"a thread", SYS_clone, {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}, 'y'},
      {"a process", SYS_clone, {SIGCHLD}, 'n'},
      {"a process as vfork has it", SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD}, 'n'},
      {"clone3", 435, {}, 'o'},
      {"a terminal", SYS_ioctl, {1, TCGETS}, 'y'},
      {"its width", SYS_ioctl, {1, TIOCGWINSZ}, 'y'},
      {"typing into it", SYS_ioctl, {1, TIOCSTI}, 'n'},
      {"taking it", SYS_ioctl, {1, TIOCSCTTY}, 'n'},
      {"flags", SYS_fcntl, {1, F_GETFL}, 'y'},
      {"lock", SYS_fcntl, {1, F_SETLK}, 'y'},
      {"signals of a file", SYS_fcntl, {1, F_SETOWN}, 'n'},
      {"which signal", SYS_fcntl, {1, F_SETSIG}, 'n'},
      {"watching a folder", SYS_fcntl, {1, F_NOTIFY}, 'n'},
      {"lease", SYS_fcntl, {1, F_SETLEASE}, 'n'},
      {"no new privileges", SYS_prctl, {PR_SET_NO_NEW_PRIVS}, 'y'},
      {"another filter", SYS_prctl, {PR_SET_SECCOMP}, 'y'},
      {"name of its memory", SYS_prctl, {0x53564D41}, 'y'},
      {"who may trace it", SYS_prctl, {0x59616D61}, 'n'},
      {"dumps", SYS_prctl, {PR_SET_DUMPABLE}, 'n'},
      {"its program", SYS_prctl, {PR_SET_MM}, 'n'},
      {"own limits", SYS_prlimit64, {0}, 'y'},
      {"others' limits", SYS_prlimit64, {1}, 'n'},
      {"signal to init", SYS_kill, {1, SIGTERM}, 'n'},
      {"signal to its group", SYS_kill, {0, SIGTERM}, 'n'},
      {"signal to all", SYS_kill, {-1, SIGTERM}, 'n'},
      {"signal to the parent", SYS_kill, {getpid(), SIGTERM}, 'n'},
      {"signal to a thread of it", SYS_tgkill, {getpid(), getpid(), SIGTERM}, 'n'},
      {"memory", SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE}, 'y'},
  };
}

TEST_F(SystemCallsTest, Arguments) {
  std::vector<Question> questions = AboutArguments();
  EXPECT_EQ(Wrong({true, true, true}, questions), "");
  questions.push_back({"code", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC}, 'n'});
  questions.push_back({"code later", SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC}, 'n'});
  EXPECT_EQ(Wrong({}, questions), "");
  EXPECT_EQ(Wrong({.writes_files = true}, questions), "");
  questions[questions.size() - 2].wanted = 'y';
  questions[questions.size() - 1].wanted = 'y';
  EXPECT_EQ(Wrong({.computes = true}, questions), "");
  EXPECT_EQ(Wrong({.becomes_program = true}, questions), "");
  EXPECT_EQ(Within({},
                   [] {
                     const long self = getpid();
                     return std::string{Ask(SYS_kill, {self, SIGTERM}),
                                        Ask(SYS_tgkill, {self, self, SIGTERM})};
                   }),
            "yy");
}

// ---- Real files ----

// Returns all metadata of a file except the access time.
std::string StateOf(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return "gone";
  char value[64] = {};
  const ssize_t size = getxattr(path.c_str(), "user.opledger", value, sizeof value - 1);
  std::string text;
  for (const auto number :
       {static_cast<long>(status.st_mode), static_cast<long>(status.st_uid),
        static_cast<long>(status.st_gid), static_cast<long>(status.st_size),
        static_cast<long>(status.st_nlink), static_cast<long>(status.st_mtim.tv_sec),
        static_cast<long>(status.st_mtim.tv_nsec), static_cast<long>(status.st_ctim.tv_sec),
        static_cast<long>(status.st_ctim.tv_nsec), static_cast<long>(size)}) {
    text += std::to_string(number) + ' ';
  }
  return text + value;
}

struct Attempt {
  const char* what;
  long result;
};

std::string Done(std::initializer_list<Attempt> attempts) {
  std::string done;
  for (const Attempt& each : attempts) {
    if (each.result >= 0) done += std::string(each.what) + ' ';
  }
  return done;
}

// Changes a file by name in all ways other than opening, renaming and removing.
std::string ChangeByName(const std::string& path) {
  const char* const name = path.c_str();
  const std::string beside = path + ".new";
  const timespec times[2] = {};
  const long here = AT_FDCWD;
  const std::uint64_t attributes[3] = {};
  const char* const attribute = "user.opledger";
  return Done({
    {"fchmodat", syscall(SYS_fchmodat, here, name, 0777L)},
        {"fchmodat2", syscall(452L, here, name, 0777L, 0L)},
        {"fchownat", syscall(SYS_fchownat, here, name, 1L, 1L, 0L)},
        {"utimensat", syscall(SYS_utimensat, here, name, times, 0L)},
        {"setxattr", syscall(SYS_setxattr, name, attribute, "x", 1L, 0L)},
        {"lsetxattr", syscall(SYS_lsetxattr, name, attribute, "x", 1L, 0L)},
        {"setxattrat", syscall(463L, here, name, 0L, attribute, attributes, 16L)},
        {"removexattr", syscall(SYS_removexattr, name, attribute)},
        {"lremovexattr", syscall(SYS_lremovexattr, name, attribute)},
        {"removexattrat", syscall(466L, here, name, 0L, attribute)},
        {"file_setattr", syscall(469L, here, name, attributes, 24L, 0L)},
        {"truncate", syscall(SYS_truncate, name, 0L)},
        {"mknodat", syscall(SYS_mknodat, here, beside.c_str(), S_IFIFO | 0600L, 0L)},
        {"symlinkat", syscall(SYS_symlinkat, name, here, beside.c_str())},
        {"mount", syscall(SYS_mount, "none", name, "tmpfs", 0L, nullptr)},
        {"umount2", syscall(SYS_umount2, name, 0L)}, {"swapon", syscall(SYS_swapon, name, 0L)},
        {"acct", syscall(SYS_acct, name)}, {"chroot", syscall(SYS_chroot, name)},
        {"open_tree", syscall(428L, here, name, 0L)},
        {"move_mount", syscall(429L, here, name, here, name, 0L)},
#if defined(__x86_64__)
        {"chmod", syscall(SYS_chmod, name, 0777L)}, {"chown", syscall(SYS_chown, name, 1L, 1L)},
        {"lchown", syscall(SYS_lchown, name, 1L, 1L)}, {"utime", syscall(SYS_utime, name, nullptr)},
        {"utimes", syscall(SYS_utimes, name, nullptr)},
        {"futimesat", syscall(SYS_futimesat, here, name, nullptr)},
        {"mknod", syscall(SYS_mknod, beside.c_str(), S_IFIFO | 0600L, 0L)},
        {"symlink", syscall(SYS_symlink, name, beside.c_str())},
        {"creat", syscall(SYS_creat, name, 0777L)},
#endif
  });
}

// Changes a file that is open only for reading, and its folder.
std::string ChangeOpen(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "not opened";
  const char* const name = path.c_str();
  const std::string beside = path + ".new";
  const long here = AT_FDCWD;
  const timespec times[2] = {};
  return Done({
      {"fchmod", syscall(SYS_fchmod, file, 0777L)},
      {"fchown", syscall(SYS_fchown, file, 1L, 1L)},
      {"futimens", syscall(SYS_utimensat, file, nullptr, times, 0L)},
      {"fsetxattr", syscall(SYS_fsetxattr, file, "user.opledger", "x", 1L, 0L)},
      {"fremovexattr", syscall(SYS_fremovexattr, file, "user.opledger")},
      {"ftruncate", syscall(SYS_ftruncate, file, 0L)},
      {"fallocate", syscall(SYS_fallocate, file, 0L, 0L, 100L)},
      {"linkat", syscall(SYS_linkat, here, name, here, beside.c_str(), 0L)},
      {"renameat2", syscall(SYS_renameat2, here, name, here, beside.c_str(), 0L)},
      {"unlinkat", syscall(SYS_unlinkat, here, name, 0L)},
      {"mkdirat", syscall(SYS_mkdirat, here, beside.c_str(), 0700L)},
  });
}

TEST_F(SystemCallsTest, FilesStayAsTheyAre) {
  const ScratchFolder folder;
  const std::string file = folder.Write("file", "content");
  setxattr(file.c_str(), "user.opledger", "old", 3, 0);  // some file systems do not support them
  const std::string before = StateOf(file);
  for (const AllowedWork& work :
       {AllowedWork{}, AllowedWork{.writes_files = true}, AllowedWork{true, true, true}}) {
    EXPECT_EQ(Within(work, [&] { return ChangeByName(file); }), "");
    EXPECT_EQ(StateOf(file), before);
  }
  EXPECT_EQ(Within({}, [&] { return ChangeOpen(file); }), "");
  EXPECT_EQ(StateOf(file), before);
  EXPECT_EQ(folder.Read("file"), "content");
  EXPECT_EQ(folder.Count(), 1);
  // A process that writes files may change its open files.
  EXPECT_EQ(Within({.writes_files = true},
                   [&] {
                     const int own = open(file.c_str(), O_WRONLY | O_CLOEXEC);
                     const bool set = fchmod(own, 0640) == 0 && ftruncate(own, 3) == 0;
                     return std::string(set ? "set" : "not set");
                   }),
            "set");
  EXPECT_EQ(folder.Read("file"), "con");
}

}  // namespace
}  // namespace opledger

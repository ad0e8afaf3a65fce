// Runs a command and records each system call of its processes, or makes one of them fail:
//   opledger-fail-call --report FILE [--seconds N] [--at PROCESS:CALL:N:ACTION] -- COMMAND...
// Uses ptrace and seccomp, so that only the calls of interest stop the process; filters that a
// program installs itself stay in force. The command keeps its standard input and output.
// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/sweep/calls.h"

namespace opledger::sweep {
namespace {

// PROCESS is 0 for the command, 0.1 for the first process that it starts, 0.1.2 for the second of
// that. N counts the calls of that name in that process from 1, over all its threads. ACTION is
//   an error number            the call is not made, and fails with it (close is made, then fails)
//   short                      a read or write transfers at most one byte
//   kill, interrupt, terminate a signal arrives just before the call: SIGKILL for this process,
//                              SIGINT for all (like Ctrl-C), SIGTERM for the command
// The report has a line for each call except those of kNeverFail, or only for the one that failed.
// Fields are separated by tabs: PROCESS, the program, CALL, N, 1 while the program is being loaded,
// the result ("?": it did not return), the file. The last line is "end", exit|signal|hang|left, and
// a number; "left" means that a process outlives the command.

constexpr int kTracerFailed = 125;
constexpr std::uint64_t kLoaderBytes = 1U << 18;  // maximum size of the dynamic loader's code
constexpr int kSecondsAfter = 5;  // time for which processes may outlive the command

struct Place {
  std::string process;
  std::string call;
  long number = 0;
  std::string action;
};

struct Options {
  std::string report;
  std::string folder;  // the command may change files only inside; empty: anywhere
  int seconds = 60;
  bool fails = false;
  Place at;
  std::vector<char*> command;
};

struct Process {
  std::string place;  // 0.1.2
  std::string program;
  int children = 0;
  bool executed = false;     // runs a program, no longer the tracer's own code
  bool starting = false;     // still in the C library's code before main
  std::uint64_t loader = 0;  // address of the dynamic loader's code; 0 if there is none
  std::map<long, long> calls;
};

struct Thread {
  std::size_t process = 0;
  std::string line;  // report of the current call; empty if none is watched
  std::string about;
  long fails_with = 0;
  bool changed = false;  // arguments were changed, and have to be restored
  unsigned long long rdi = 0;
  unsigned long long rdx = 0;
};

volatile std::sig_atomic_t out_of_time = 0;

void OnAlarm(int /*signal*/) { out_of_time = 1; }

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "opledger-fail-call: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(kTracerFailed);
}

Call CallOf(long number) {
  for (const Call& call : kCalls) {
    if (call.number == number) return call;
  }
  return {"?", number};
}

// Stops the process at the calls of interest; all others pass.
void InstallFilter(const Options& options) {
  std::vector<sock_filter> code;
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  const auto answer = [&](long call, unsigned with) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, with));
  };
  if (options.fails) {
    for (const Call& call : kCalls) {
      if (options.at.call == call.name) answer(call.number, SECCOMP_RET_TRACE);
    }
  } else {
    for (const long call : kNeverFail) answer(call, SECCOMP_RET_ALLOW);
  }
  const unsigned others = options.fails ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRACE;
  code.push_back(BPF_STMT(BPF_RET | BPF_K, others));
  const sock_fprog program = {static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    Fail("cannot install a filter of calls");
  }
}

// A failed call may make a program remove files by mistake. With Landlock, if the kernel has it,
// the command and its processes can only change files in `folder`, and write to devices.
void KeepTo(const std::string& folder) {
  struct __attribute__((packed)) Rule {
    std::uint64_t allowed;
    std::int32_t folder;
  };
  constexpr std::uint64_t kWrite = 1U << 1;
  constexpr std::uint64_t kChange = kWrite | 0x1FF0U;  // creating and removing files of every kind
  const std::uint64_t handled = kChange;
  const long ruleset = syscall(444, &handled, sizeof handled, 0U);  // landlock_create_ruleset
  if (ruleset < 0) return;
  const auto allow = [&](const char* path, std::uint64_t rights) {
    const Rule rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0 || syscall(445, ruleset, 1, &rule, 0U) != 0) Fail(path);
    close(rule.folder);
  };
  allow(folder.c_str(), kChange);
  allow("/dev", kChange);
  allow("/proc", kWrite);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(446, ruleset, 0U) != 0) {
    Fail("cannot keep to a folder");
  }
  close(static_cast<int>(ruleset));
}

// Starts the command, which waits until it is traced.
pid_t Start(Options& options, int (&ready)[2]) {
  if (pipe2(ready, O_CLOEXEC) != 0) Fail("cannot make a pipe");
  const pid_t process = fork();
  if (process < 0) Fail("cannot make a process");
  if (process > 0) return process;
  setpgid(0, 0);
  // The command would inherit ignored signals.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  close(ready[1]);
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) _exit(kTracerFailed);
  close(ready[0]);
  if (!options.folder.empty()) KeepTo(options.folder);
  InstallFilter(options);
  execvp(options.command[0], options.command.data());
  Fail(std::string("cannot run ") + options.command[0]);
}

std::string TextAt(pid_t thread, std::uint64_t address) {
  std::string text;
  while (text.size() < 4096) {
    std::array<char, 256> bytes;
    // Up to the end of a page, since the next one may not be mapped.
    const std::size_t size = std::min<std::size_t>(bytes.size(), 4096 - (address & 4095));
    const iovec here = {bytes.data(), size};
    const iovec there = {reinterpret_cast<void*>(address), size};  // NOLINT: of another process
    const ssize_t count = process_vm_readv(thread, &here, 1, &there, 1, 0);
    if (count <= 0) break;
    const std::string_view part(bytes.data(), static_cast<std::size_t>(count));
    text += part.substr(0, part.find('\0'));
    if (part.find('\0') != std::string_view::npos) break;
    address += static_cast<std::uint64_t>(count);
  }
  for (char& character : text) {
    if (static_cast<unsigned char>(character) < ' ') character = '?';
  }
  return text;
}

std::string LinkOf(const std::string& path) {
  std::array<char, 4096> bytes;
  const ssize_t count = readlink(path.c_str(), bytes.data(), bytes.size());
  return count < 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(count));
}

// Returns the address of the dynamic loader's code, from the auxiliary vector.
std::uint64_t LoaderOf(pid_t thread) {
  const int file =
      open(("/proc/" + std::to_string(thread) + "/auxv").c_str(), O_RDONLY | O_CLOEXEC);
  std::array<std::uint64_t, 2> entry = {};
  std::uint64_t found = 0;
  while (file >= 0 && read(file, entry.data(), sizeof entry) == sizeof entry) {
    if (entry[0] == AT_BASE) found = entry[1];
  }
  if (file >= 0) close(file);
  return found;
}

// Returns a field of the thread's status: "Tgid", its process; "PPid", the parent of that.
pid_t NumberOf(pid_t thread, const std::string& what) {
  const int file =
      open(("/proc/" + std::to_string(thread) + "/status").c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 4096> bytes = {};
  const ssize_t count = file < 0 ? 0 : read(file, bytes.data(), bytes.size() - 1);
  if (file >= 0) close(file);
  const std::string key = "\n" + what + ":";
  const char* found = count > 0 ? std::strstr(bytes.data(), key.c_str()) : nullptr;
  return found == nullptr ? thread : std::atoi(found + key.size());
}

class Tracer {
 public:
  Tracer(const Options& options, pid_t command, std::FILE* report)
      : options_(options), command_(command), report_(report) {
    Add(command, "0", "");
    processes_[0].executed = false;
  }

  // Runs until all processes have ended, or the time is over. Returns the exit status.
  int Run() {
    while (true) {
      int status = 0;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0 && errno == EINTR && out_of_time == 0) continue;
      if (thread < 0) return AtEnd(errno == ECHILD);
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        Gone(thread, status);
      } else if (WIFSTOPPED(status)) {
        Stopped(thread, status);
      }
    }
  }

 private:
  void Add(pid_t thread, const std::string& place, const std::string& program) {
    processes_.push_back({place, program, 0, true, false, 0, {}});
    threads_[thread].process = processes_.size() - 1;
  }

  int AtEnd(bool all_ended) {
    for (auto& [thread, state] : threads_) Return(state, "?");
    if (!all_ended) std::fprintf(report_, "end\t%s\t0\n", command_ended_ ? "left" : "hang");
    const bool exited = WIFEXITED(status_);
    if (command_ended_) {
      std::fprintf(report_, "end\t%s\t%d\n", exited ? "exit" : "signal",
                   exited ? WEXITSTATUS(status_) : WTERMSIG(status_));
    }
    std::fclose(report_);
    if (!command_ended_) return kTracerFailed;
    return exited ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

  void Gone(pid_t thread, int status) {
    if (const auto found = threads_.find(thread); found != threads_.end()) {
      Return(found->second, "?");
      threads_.erase(found);
    }
    ReleaseOrphans();
    if (thread != command_) return;
    status_ = status;
    command_ended_ = true;
    const itimerval limit = {{1, 0}, {kSecondsAfter, 0}};
    setitimer(ITIMER_REAL, &limit, nullptr);
  }

  // Releases threads that wait for a report of their parent, which was killed before it could
  // report them.
  void ReleaseOrphans() {
    const std::vector<pid_t> all = std::exchange(waiting_, {});
    for (const pid_t each : all) {
      if (threads_.count(NumberOf(each, "PPid")) != 0) {
        waiting_.push_back(each);
        continue;
      }
      Add(each, "?", "");
      Resume(each, PTRACE_CONT, 0);
    }
  }

  void Stopped(pid_t thread, int status) {
    const int event = status >> 16;
    const int signal = WSTOPSIG(status);
    if (threads_.count(thread) == 0) {
      // Its parent has not reported it yet.
      waiting_.push_back(thread);
      return ReleaseOrphans();
    }
    if (event == PTRACE_EVENT_SECCOMP) {
      AtCall(thread);
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
               event == PTRACE_EVENT_CLONE) {
      Made(thread, event == PTRACE_EVENT_CLONE);
      Resume(thread, threads_[thread].line.empty() ? PTRACE_CONT : PTRACE_SYSCALL, 0);
    } else if (event == PTRACE_EVENT_EXEC) {
      Executed(thread);
    } else if (event != 0) {
      Resume(thread, PTRACE_CONT, 0);
    } else if (signal == (SIGTRAP | 0x80)) {
      AtReturn(thread);
    } else {
      Resume(thread, threads_[thread].line.empty() ? PTRACE_CONT : PTRACE_SYSCALL, signal);
    }
  }

  static void Resume(pid_t thread, __ptrace_request how, int signal) {
    ptrace(how, thread, nullptr, signal);
  }

  void Made(pid_t parent, bool is_thread) {
    unsigned long made = 0;
    ptrace(PTRACE_GETEVENTMSG, parent, nullptr, &made);
    const auto thread = static_cast<pid_t>(made);
    const std::size_t index = threads_[parent].process;
    if (is_thread) {
      threads_[thread].process = index;
    } else {
      Process& process = processes_[index];
      ++process.children;
      const std::uint64_t loader = process.loader;
      Add(thread, process.place + "." + std::to_string(process.children), process.program);
      processes_.back().loader = loader;
    }
    for (std::size_t at = 0; at < waiting_.size(); ++at) {
      if (waiting_[at] != thread) continue;
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
      Resume(thread, PTRACE_CONT, 0);
      return;
    }
  }

  void Executed(pid_t thread) {
    Process& process = processes_[threads_[thread].process];
    const std::string path = LinkOf("/proc/" + std::to_string(thread) + "/exe");
    process.program = path.substr(path.rfind('/') + 1);
    process.loader = LoaderOf(thread);
    process.executed = true;
    process.starting = true;
    Resume(thread, threads_[thread].line.empty() ? PTRACE_CONT : PTRACE_SYSCALL, 0);
  }

  static std::string AboutOf(pid_t thread, const Call& call,
                             const struct __ptrace_syscall_info& info) {
    const std::uint64_t value = info.seccomp.args[call.argument];
    if (call.about == About::kPath) return TextAt(thread, value);
    if (call.about == About::kNothing) return "";
    return LinkOf("/proc/" + std::to_string(thread) + "/fd/" +
                  std::to_string(static_cast<int>(value)));
  }

  void AtCall(pid_t thread) {
    struct __ptrace_syscall_info info = {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
    Thread& state = threads_[thread];
    Process& process = processes_[state.process];
    const Call call = CallOf(static_cast<long>(info.seccomp.nr));
    if (!process.executed) return Resume(thread, PTRACE_CONT, 0);
    const long number = ++process.calls[call.number];
    const bool chosen = options_.fails && !fired_ && options_.at.number == number &&
                        options_.at.process == process.place && options_.at.call == call.name;
    if (options_.fails && !chosen) return Resume(thread, PTRACE_CONT, 0);
    // The loader's last call protects the relocated memory.
    const bool in_loader =
        process.loader != 0 && info.instruction_pointer - process.loader < kLoaderBytes;
    const bool loads = process.starting || in_loader;
    if (call.number == SYS_mprotect) process.starting = false;
    state.line = process.place + "\t" + process.program + "\t" + call.name +
                 (*call.name == '?' ? std::to_string(call.number) : "") + "\t" +
                 std::to_string(number) + "\t" + (loads ? "1" : "0");
    state.about = AboutOf(thread, call, info);
    if (chosen) return Act(thread, state, call);
    Resume(thread, PTRACE_SYSCALL, 0);
  }

  void Act(pid_t thread, Thread& state, const Call& call) {
    fired_ = true;
    const std::string& action = options_.at.action;
    struct user_regs_struct registers = {};
    ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
    state.rdi = registers.rdi;
    state.rdx = registers.rdx;
    if (action == "kill") {
      kill(NumberOf(thread, "Tgid"), SIGKILL);
    } else if (action == "interrupt") {
      kill(-command_, SIGINT);
    } else if (action == "terminate") {
      kill(command_, SIGTERM);
    } else if (action == "short") {
      state.changed = true;
      if (registers.rdx > 1) registers.rdx = 1;
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    } else if (call.number == SYS_brk) {  // it fails by returning the current break
      state.changed = true;
      registers.rdi = 0;
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    } else if (call.number == SYS_close) {
      state.fails_with = std::atol(action.c_str());
    } else {
      registers.orig_rax = ~0ULL;
      registers.rax = static_cast<unsigned long long>(-std::atol(action.c_str()));
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
      Return(state, "-" + action);
      return Resume(thread, PTRACE_CONT, 0);
    }
    Resume(thread, PTRACE_SYSCALL, 0);
  }

  void AtReturn(pid_t thread) {
    Thread& state = threads_[thread];
    struct user_regs_struct registers = {};
    ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
    if (state.fails_with != 0) {
      registers.rax = static_cast<unsigned long long>(-state.fails_with);
      state.fails_with = 0;
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }
    if (state.changed) {
      registers.rdi = state.rdi;
      registers.rdx = state.rdx;
      state.changed = false;
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }
    Return(state, std::to_string(static_cast<long long>(registers.rax)));
    Resume(thread, PTRACE_CONT, 0);
  }

  void Return(Thread& state, const std::string& result) {
    if (state.line.empty()) return;
    std::fprintf(report_, "%s\t%s\t%s\n", state.line.c_str(), result.c_str(), state.about.c_str());
    state.line.clear();
  }

  const Options& options_;
  pid_t command_;
  std::FILE* report_;
  std::vector<Process> processes_;
  std::map<pid_t, Thread> threads_;
  std::vector<pid_t> waiting_;
  bool fired_ = false;
  bool command_ended_ = false;
  int status_ = 0;
};

[[noreturn]] void Usage() {
  std::fputs(
      "usage: opledger-fail-call --report FILE [--folder FOLDER] [--seconds N]"
      " [--at PROCESS:CALL:N:ACTION] -- COMMAND...\n",
      stderr);
  std::exit(kTracerFailed);
}

Place PlaceOf(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(':', begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  if (parts.size() != 4) Usage();
  return {parts[0], parts[1], std::atol(parts[2].c_str()), parts[3]};
}

Options Read(int count, char** words) {
  Options options;
  int at = 1;
  for (; at + 1 < count && std::strcmp(words[at], "--") != 0; at += 2) {
    const std::string_view option = words[at];
    if (option == "--report") {
      options.report = words[at + 1];
    } else if (option == "--folder") {
      options.folder = words[at + 1];
    } else if (option == "--seconds") {
      options.seconds = std::atoi(words[at + 1]);
    } else if (option == "--at") {
      options.at = PlaceOf(words[at + 1]);
      options.fails = true;
    } else {
      Usage();
    }
  }
  options.command.assign(words + std::min(at + 1, count), words + count);
  if (options.command.empty() || options.report.empty()) Usage();
  options.command.push_back(nullptr);
  return options;
}

int Main(int count, char** words) {
  Options options = Read(count, words);
  std::FILE* report = std::fopen(options.report.c_str(), "we");
  if (report == nullptr) Fail(options.report);
  int ready[2];
  const pid_t command = Start(options, ready);
  constexpr unsigned long kWatched = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
                                     PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                                     PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, command, nullptr, kWatched) != 0) Fail("cannot trace");
  struct sigaction on_alarm = {};
  on_alarm.sa_handler = OnAlarm;
  sigaction(SIGALRM, &on_alarm, nullptr);
  const itimerval limit = {{1, 0}, {options.seconds, 0}};
  setitimer(ITIMER_REAL, &limit, nullptr);
  Tracer tracer(options, command, report);
  close(ready[0]);
  if (write(ready[1], "", 1) != 1) Fail("cannot start");
  close(ready[1]);
  return tracer.Run();
}

}  // namespace
}  // namespace opledger::sweep

int main(int count, char** words) { return opledger::sweep::Main(count, words); }

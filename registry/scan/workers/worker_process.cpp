// Forks workers, and handles their pipes and limits.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>
#include <utility>

#include "llvm/Support/ErrorHandling.h"
#include "registry/files/files.h"
#include "registry/files/open_file.h"
#include "registry/files/repeated.h"
#include "registry/platform/sandbox.h"

#if defined(OPLEDGER_ADDRESS_SANITIZER)
// LLVM's allocators poison memory that they have not handed out, but only in headers, which are
// compiled here with the sanitizer. Code in LLVM's archives hands out memory that is still
// poisoned.
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
#endif

namespace opledger::scan {
namespace {

constexpr int kNoMemory = 90;  // exit status of a worker that reached its memory limit

// A worker sends its answers before it waits, and at the latest after this time.
constexpr std::chrono::milliseconds kUnsentTime{20};

// Set in worker processes.
int answers_of_this_worker = -1;
AnswerBuffer* unsent_of_this_worker = nullptr;

[[maybe_unused]] std::size_t AddressSpace() {
  std::size_t pages = 0;
  Diagnostics ignored;
  if (const auto text = ReadFile("/proc/self/statm", 4096, ignored)) {
    pages = std::strtoull(text->c_str(), nullptr, 10);
  }
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void LimitMemory([[maybe_unused]] std::size_t megabytes) {
#if !defined(OPLEDGER_ADDRESS_SANITIZER)  // its shadow memory needs the whole address space
  rlim_t bytes = AddressSpace() + (megabytes << 20);
  rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::set_new_handler([] { _exit(kNoMemory); });
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { _exit(kNoMemory); });
}

// Keeps the output of a crashing Clang out of ours. A worker only needs sources and pipes.
void Silence() {
#if !defined(OPLEDGER_ADDRESS_SANITIZER)
  int nothing = OpenExisting("/dev/null");
  if (nothing < 0) return;
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) Redirect(nothing, stream);
  close(nothing);
#endif
}

// Reads requests from the pipe, as many at a time as are available.
class Inbox {
 public:
  explicit Inbox(int file) : file_(file) {}

  // Returns the next request if it is complete.
  std::optional<std::string_view> Next() {
    std::string_view rest = std::string_view(bytes_).substr(at_);
    if (rest.size() < Frame::kHead) return std::nullopt;
    const std::size_t size = Frame::Read(rest).size;
    if (rest.size() - Frame::kHead < size) return std::nullopt;
    at_ += Frame::kHead + size;
    return rest.substr(Frame::kHead, size);
  }
  // Waits for more. Returns false at the end of the requests.
  bool Wait() {
    bytes_.erase(0, std::exchange(at_, 0));
    char chunk[1 << 14];
    ssize_t got = 0;
    do {
      got = read(file_, chunk, sizeof chunk);
    } while (got < 0 && errno == EINTR);
    if (got > 0) bytes_.append(chunk, static_cast<std::size_t>(got));
    return got > 0;
  }

 private:
  int file_;
  std::string bytes_;
  std::size_t at_ = 0;
};

[[noreturn]] void Serve(int requests, int answers, AnswerBuffer& unsent,
                        const WorkerPool::Work& work) {
  answers_of_this_worker = answers;
  unsent_of_this_worker = &unsent;
  Inbox inbox(requests);
  auto sent = std::chrono::steady_clock::now();
  do {
    while (std::optional<std::string_view> request = inbox.Next()) {
      std::string answer = work(*request);
      if (answer.size() >= Frame::kFailure) FailTask("its answer is larger than 2 GB");
      if (!unsent.Add(Frame{false, answer.size()}.Head(), answer, answers)) _exit(0);
      auto now = std::chrono::steady_clock::now();
      if (now - sent < kUnsentTime) continue;
      if (!unsent.Send(answers)) _exit(0);
      sent = now;
    }
  } while (unsent.Send(answers) && inbox.Wait());
  _exit(0);
}

}  // namespace

std::string Frame::Head() const {
  auto head = static_cast<std::uint32_t>(size) | (failure ? kFailure : 0);
  return {reinterpret_cast<const char*>(&head), sizeof head};
}

std::string Frame::Of(std::string_view bytes) {
  return Frame{false, bytes.size()}.Head().append(bytes);
}

Frame Frame::Read(std::string_view bytes) {
  std::uint32_t head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return {(head & kFailure) != 0, head & ~kFailure};
}

void FailTask(std::string_view why) {
  if (answers_of_this_worker < 0) {
    std::fprintf(stderr, "opledger: a task failed outside a worker: %.*s\n",
                 static_cast<int>(why.size()), why.data());
    std::abort();
  }
  unsent_of_this_worker->Add(Frame{true, why.size()}.Head(), why, answers_of_this_worker);
  unsent_of_this_worker->Send(answers_of_this_worker);
  _exit(0);
}

bool WorkerProcess::Start(const PoolLimits& limits, const WorkerPool::Work& work,
                          const std::vector<int>& others) {
  int to_worker[2];
  int from_worker[2];
  if (pipe2(to_worker, O_CLOEXEC) != 0) return false;
  requests = to_worker[1];
  if (pipe2(from_worker, O_CLOEXEC) == 0) {
    answers = from_worker[0];
    unsent = AnswerBuffer::Make();
  }
  if (unsent == nullptr) {
    int error = errno;
    close(to_worker[0]);
    if (answers >= 0) close(from_worker[1]);
    Stop();
    errno = error;
    return false;
  }
  std::fflush(nullptr);
  pid_t parent = getpid();
  process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a hung worker must not outlive its parent
    if (getppid() != parent) _exit(0);
    // Ctrl-C goes to all processes of the terminal; the parent handles it.
    for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    for (int other : others) close(other);
    close(requests);
    close(answers);
    Silence();
    LimitMemory(limits.megabytes);
    if (limits.prepare) limits.prepare();
    if (limits.readable) EnterSandbox({*limits.readable, {}});
    Serve(to_worker[0], from_worker[1], *unsent, work);
  }
  int error = errno;
  close(to_worker[0]);
  close(from_worker[1]);
  if (process < 0) {
    Stop();
    errno = error;
    return false;
  }
  fcntl(requests, F_SETFL, O_NONBLOCK);
  return true;
}

double WorkerProcess::CpuSeconds() const {
  clockid_t clock = 0;
  timespec used = {};
  if (process <= 0 || clock_getcpuclockid(process, &clock) != 0) return 0;
  if (clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

int WorkerProcess::Kill() {
  int status = 0;
  if (process > 0) {
    kill(process, SIGKILL);  // has no effect on a process that has ended
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process = -1;
  return status;
}

void WorkerProcess::Stop() {
  if (requests >= 0) close(requests);
  if (answers >= 0) close(answers);
  Kill();
  AnswerBuffer::Free(unsent);
  *this = WorkerProcess();
}

std::string DescribeDeath(int status, const PoolLimits& limits) {
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    std::string name = strsignal(signal);
    if (signal == SIGKILL) return "the worker was killed, probably for lack of memory";
    if (signal == SIGABRT) return "the worker stopped itself (" + name + ")";
    return "the worker crashed (" + name + ")";
  }
  if (WEXITSTATUS(status) == kNoMemory) {
    return "needs more than " + std::to_string(limits.megabytes) +
           " MB of memory (--file-megabytes)";
  }
  return "the worker ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace opledger::scan

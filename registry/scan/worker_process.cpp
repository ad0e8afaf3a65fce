// Forking, pipes, limits.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "llvm/Support/ErrorHandling.h"

namespace opledger::scan {
namespace {

constexpr int kNoMemory = 90;  // exit status of a worker that met its memory limit

int answers_of_this_worker = -1;

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool ReadAll(int file, char* bytes, std::size_t size) {
  while (size > 0) {
    ssize_t got = read(file, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

[[maybe_unused]] std::size_t AddressSpace() {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void LimitMemory([[maybe_unused]] std::size_t megabytes) {
#if !defined(__SANITIZE_ADDRESS__)  // its shadow memory needs the whole address space
  rlim_t bytes = AddressSpace() + (megabytes << 20);
  rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::set_new_handler([] { _exit(kNoMemory); });
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { _exit(kNoMemory); });
}

// A worker reads sources and answers; what Clang prints as it dies is no part of our output.
void Silence() {
#if !defined(__SANITIZE_ADDRESS__)
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  close(nothing);
#endif
}

[[noreturn]] void Serve(int requests, int answers, const WorkerPool::Work& work) {
  answers_of_this_worker = answers;
  std::string request;
  char head[Frame::kHead];
  while (ReadAll(requests, head, sizeof head)) {
    request.resize(Frame::Read({head, sizeof head}).size);
    if (!ReadAll(requests, request.data(), request.size())) break;
    std::string answer = work(request);
    if (answer.size() >= Frame::kFailure) GiveUpTask("its answer is larger than 2 GB");
    if (!WriteAll(answers, Frame::Of(answer))) break;
  }
  _exit(0);
}

}  // namespace

std::string Frame::Of(std::string_view bytes) {
  auto size = static_cast<std::uint32_t>(bytes.size());
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  return framed.append(bytes);
}

Frame Frame::Read(std::string_view bytes) {
  std::uint32_t head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return {(head & kFailure) != 0, head & ~kFailure};
}

void GiveUpTask(std::string_view why) {
  if (answers_of_this_worker < 0) {
    std::fprintf(stderr, "opledger: a task was given up outside a worker: %.*s\n",
                 static_cast<int>(why.size()), why.data());
    std::abort();
  }
  std::uint32_t head = Frame::kFailure | static_cast<std::uint32_t>(why.size());
  WriteAll(answers_of_this_worker, {reinterpret_cast<const char*>(&head), sizeof head});
  WriteAll(answers_of_this_worker, why);
  _exit(0);
}

bool WorkerProcess::Start(const PoolLimits& limits, const WorkerPool::Work& work,
                          const std::vector<int>& others) {
  int to_worker[2];
  int from_worker[2];
  if (pipe2(to_worker, O_CLOEXEC) != 0) return false;
  if (pipe2(from_worker, O_CLOEXEC) != 0) {
    int error = errno;
    close(to_worker[0]);
    close(to_worker[1]);
    errno = error;
    return false;
  }
  std::fflush(nullptr);
  pid_t parent = getpid();
  process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a hung worker must not outlive its parent
    if (getppid() != parent) _exit(0);
    // Ctrl-C goes to all processes of the terminal; the parent decides what comes of it.
    for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    for (int other : others) close(other);
    close(to_worker[1]);
    close(from_worker[0]);
    Silence();
    LimitMemory(limits.megabytes);
    Serve(to_worker[0], from_worker[1], work);
  }
  int error = errno;
  close(to_worker[0]);
  close(from_worker[1]);
  requests = to_worker[1];
  answers = from_worker[0];
  if (process < 0) {
    Stop();
    errno = error;
    return false;
  }
  fcntl(requests, F_SETFL, O_NONBLOCK);
  return true;
}

int WorkerProcess::Stop() {
  int status = 0;
  if (requests >= 0) close(requests);
  if (answers >= 0) close(answers);
  if (process > 0) {
    kill(process, SIGKILL);  // does nothing to a process that has ended already
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  *this = WorkerProcess();
  return status;
}

std::string WhyItDied(int status, const PoolLimits& limits) {
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    std::string name = strsignal(signal);
    if (signal == SIGKILL) return "the worker was killed, probably for want of memory";
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

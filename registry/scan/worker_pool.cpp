// Requests and answers travel as a 4-byte length and the bytes. Each worker has a few requests
// ahead of it, so that it never waits; when it dies, the oldest unanswered one is the culprit.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>

namespace opledger::scan {
namespace {

constexpr std::size_t kAhead = 16;
constexpr std::size_t kAheadBytes = 32 << 10;  // less than a pipe holds, so sending never blocks

using Clock = std::chrono::steady_clock;

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

std::string Framed(std::string_view bytes) {
  auto size = static_cast<std::uint32_t>(bytes.size());
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  return framed.append(bytes);
}

std::size_t AddressSpace() {
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
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

[[noreturn]] void Serve(int requests, int answers, const WorkerPool::Work& work) {
  std::string request;
  std::uint32_t size;
  while (ReadAll(requests, reinterpret_cast<char*>(&size), sizeof size)) {
    request.resize(size);
    if (!ReadAll(requests, request.data(), size)) break;
    if (!WriteAll(answers, Framed(work(request)))) break;
  }
  _exit(0);
}

std::string WhyItDied(int status) {
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    if (signal == SIGABRT || signal == SIGKILL) {
      return "the worker was stopped (" + std::string(strsignal(signal)) +
             "), probably for want of memory";
    }
    return "the worker crashed (" + std::string(strsignal(signal)) + ")";
  }
  return "the worker ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

struct WorkerPool::Worker {
  pid_t process = -1;
  int requests = -1;
  int answers = -1;
  std::deque<std::size_t> sent;  // tasks without an answer, oldest first
  std::size_t sent_bytes = 0;
  std::deque<std::size_t> sent_sizes;
  Clock::time_point since;  // when the oldest began, at the latest
  std::string buffer;
};

WorkerPool::WorkerPool(PoolLimits limits, Work work) : limits_(limits), work_(std::move(work)) {
  signal(SIGPIPE, SIG_IGN);
  for (int i = 0; i < std::max(1, limits_.workers); ++i) {
    workers_.push_back(std::make_unique<Worker>());
  }
}

WorkerPool::~WorkerPool() {
  for (auto& worker : workers_) Stop(*worker);
}

void WorkerPool::Start(Worker& worker) {
  int to_worker[2];
  int from_worker[2];
  if (pipe(to_worker) != 0 || pipe(from_worker) != 0) std::abort();
  std::fflush(nullptr);
  worker.process = fork();
  if (worker.process == 0) {
    for (auto& other : workers_) {
      if (other->requests >= 0) close(other->requests);
      if (other->answers >= 0) close(other->answers);
    }
    close(to_worker[1]);
    close(from_worker[0]);
    signal(SIGINT, SIG_DFL);
    LimitMemory(limits_.megabytes);
    Serve(to_worker[0], from_worker[1], work_);
  }
  close(to_worker[0]);
  close(from_worker[1]);
  worker.requests = to_worker[1];
  worker.answers = from_worker[0];
  worker.since = Clock::now();
}

int WorkerPool::Stop(Worker& worker) {
  if (worker.process < 0) return 0;
  close(worker.requests);
  close(worker.answers);
  kill(worker.process, SIGKILL);  // does nothing to a process that has ended already
  int status = 0;
  waitpid(worker.process, &status, 0);
  worker = Worker();
  return status;
}

void WorkerPool::Send(Worker& worker, const std::vector<std::string>& requests) {
  std::string bytes;
  while (!waiting_.empty() && worker.sent.size() < kAhead) {
    std::size_t size = requests[waiting_.back()].size() + 4;
    if (!worker.sent.empty() && worker.sent_bytes + size > kAheadBytes) break;
    if (worker.sent.empty()) worker.since = Clock::now();
    bytes += Framed(requests[waiting_.back()]);
    worker.sent.push_back(waiting_.back());
    worker.sent_sizes.push_back(size);
    worker.sent_bytes += size;
    waiting_.pop_back();
  }
  if (bytes.empty()) return;
  if (worker.process < 0) Start(worker);
  WriteAll(worker.requests, bytes);  // a dead worker shows as end of file on its answers
}

bool WorkerPool::Receive(Worker& worker, const Done& done) {
  char chunk[1 << 16];
  ssize_t got = read(worker.answers, chunk, sizeof chunk);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  worker.buffer.append(chunk, static_cast<std::size_t>(got));
  std::size_t at = 0;
  std::uint32_t size;
  while (worker.buffer.size() - at >= sizeof size) {
    std::memcpy(&size, worker.buffer.data() + at, sizeof size);
    if (worker.buffer.size() - at - sizeof size < size) break;
    std::string_view answer(worker.buffer.data() + at + sizeof size, size);
    at += sizeof size + size;
    std::size_t task = worker.sent.front();
    worker.sent.pop_front();
    worker.sent_bytes -= worker.sent_sizes.front();
    worker.sent_sizes.pop_front();
    worker.since = Clock::now();
    done(task, answer, {});
  }
  worker.buffer.erase(0, at);
  return true;
}

void WorkerPool::Lose(Worker& worker, const Done& done, std::string why) {
  std::deque<std::size_t> sent = worker.sent;
  int status = Stop(worker);
  if (why.empty()) why = WhyItDied(status);
  if (sent.empty()) return;
  std::size_t culprit = sent.front();
  sent.pop_front();
  waiting_.insert(waiting_.end(), sent.rbegin(), sent.rend());
  done(culprit, {}, why);
}

void WorkerPool::Run(const std::vector<std::string>& requests, const Done& done) {
  waiting_.clear();
  for (std::size_t task = requests.size(); task-- > 0;) waiting_.push_back(task);
  for (;;) {
    std::vector<pollfd> files;
    std::vector<Worker*> busy;
    for (auto& worker : workers_) {
      Send(*worker, requests);
      if (worker->sent.empty()) continue;
      files.push_back({worker->answers, POLLIN, 0});
      busy.push_back(worker.get());
    }
    if (busy.empty()) return;
    poll(files.data(), files.size(), 200);
    for (std::size_t i = 0; i < busy.size(); ++i) {
      Worker& worker = *busy[i];
      if ((files[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !Receive(worker, done)) {
        Lose(worker, done, {});
      } else if (!worker.sent.empty() &&
                 std::chrono::duration<double>(Clock::now() - worker.since).count() >
                     limits_.seconds) {
        Lose(worker, done,
             "took more than " + std::to_string(static_cast<int>(limits_.seconds)) + " seconds");
      }
    }
  }
}

}  // namespace opledger::scan

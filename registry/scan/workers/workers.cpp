// Each worker has requests queued, so that it never waits, and sends many answers at a time, which
// saves context switches. If a worker dies, the oldest request without an answer is the cause. Only
// poll() blocks, so that a worker and its parent cannot wait for each other while both send.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/workers.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <utility>

#include "registry/scan/workers/interruption.h"
#include "registry/scan/workers/worker_process.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxQueuedTasks = 64;
constexpr std::size_t kMaxQueuedBytes = 32 << 10;
constexpr int kPollMilliseconds = 200;
// A task may take this many times its processor time in real time. It must not fail on a busy
// machine, and must end if it only waits.
constexpr double kClockFactor = 5;

using Clock = std::chrono::steady_clock;

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", seconds);
  return text;
}

}  // namespace

struct WorkerPool::Worker {
  WorkerProcess process;
  bool cannot_start = false;     // left out of this Run because it could not be started
  std::deque<std::size_t> sent;  // tasks without an answer, oldest first
  std::size_t sent_bytes = 0;
  std::size_t answered = 0;          // number of tasks since it started
  Clock::time_point since;           // start of the oldest task, or later
  double cpu_before = 0;             // processor time at `since`, in seconds
  std::string outbox;                // requests not written yet
  std::string inbox;                 // incomplete answers
  std::uint64_t received_bytes = 0;  // bytes of complete answers since it started
  std::uint32_t made = 0;            // number of answers it had made when last checked
  bool protocol_error = false;       // it sent something that cannot be an answer
};

WorkerPool::WorkerPool(PoolLimits limits, Work work, std::function<void()> on_interrupt)
    : limits_(std::move(limits)), work_(std::move(work)), on_interrupt_(std::move(on_interrupt)) {
  signal(SIGPIPE, SIG_IGN);
  for (int i = 0; i < std::max(1, limits_.workers); ++i) {
    workers_.push_back(std::make_unique<Worker>());
  }
}

WorkerPool::~WorkerPool() {
  for (auto& worker : workers_) worker->process.Stop();
}

bool WorkerPool::Start(Worker& worker) {
  std::vector<int> others;
  for (auto& other : workers_) {
    if (other->process.process < 0) continue;
    others.push_back(other->process.requests);
    others.push_back(other->process.answers);
  }
  worker.answered = 0;
  worker.received_bytes = 0;
  worker.made = 0;
  worker.protocol_error = false;
  bool started = worker.process.Start(limits_, work_, others);
  StartTimer(worker);
  return started;
}

void WorkerPool::StartTimer(Worker& worker) {
  worker.since = Clock::now();
  worker.cpu_before = worker.process.CpuSeconds();
}

bool WorkerPool::TookTooLong(const Worker& worker) const {
  const std::chrono::duration<double> taken = Clock::now() - worker.since;
  if (taken.count() <= limits_.seconds) return false;
  return taken.count() > kClockFactor * limits_.seconds ||
         worker.process.CpuSeconds() - worker.cpu_before > limits_.seconds;
}

void WorkerPool::Assign(Worker& worker, std::size_t task) {
  const std::string& request = (*requests_)[task];
  if (worker.sent.empty()) StartTimer(worker);
  worker.outbox += Frame::Of(request);
  worker.sent.push_back(task);
  worker.sent_bytes += request.size();
}

// Returns the worker's tasks from index `first` on to the waiting tasks, in order.
void WorkerPool::Requeue(Worker& worker, std::size_t first) {
  for (std::size_t i = worker.sent.size(); i-- > first;) waiting_.push_back(worker.sent[i]);
  worker.sent.clear();
  worker.sent_bytes = 0;
  worker.outbox.clear();
  worker.inbox.clear();
}

// Limits the queue, so that near the end no worker gets so many requests that others are idle.
std::size_t WorkerPool::MaxQueued() const {
  return std::clamp<std::size_t>(waiting_.size() / (2 * workers_.size() - 1), 1, kMaxQueuedTasks);
}

void WorkerPool::Fill(Worker& worker) {
  if (worker.cannot_start) return;
  while (!waiting_.empty() && worker.sent.size() < MaxQueued()) {
    std::size_t size = (*requests_)[waiting_.back()].size();
    if (!worker.sent.empty() && worker.sent_bytes + size > kMaxQueuedBytes) break;
    Assign(worker, waiting_.back());
    waiting_.pop_back();
  }
  if (worker.sent.empty() || worker.process.process > 0 || Start(worker)) return;
  start_error_ = std::string("no worker process could be started: ") + std::strerror(errno);
  worker.cannot_start = true;
  Requeue(worker, 0);
}

// Returns false, with errno set, if nothing more can be sent.
bool WorkerPool::Flush(Worker& worker) {
  ssize_t written = write(worker.process.requests, worker.outbox.data(), worker.outbox.size());
  if (written > 0) worker.outbox.erase(0, static_cast<std::size_t>(written));
  return written >= 0 || errno == EAGAIN || errno == EINTR;
}

// Returns false if nothing more will come from this worker.
bool WorkerPool::Receive(Worker& worker) {
  char chunk[1 << 16];
  ssize_t got = read(worker.process.answers, chunk, sizeof chunk);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  worker.inbox.append(chunk, static_cast<std::size_t>(got));
  return ParseFrames(worker);
}

// Takes complete answers from the inbox. Returns false if what follows is not an answer.
bool WorkerPool::ParseFrames(Worker& worker) {
  std::size_t at = 0;
  while (!worker.protocol_error && worker.inbox.size() - at >= Frame::kHead) {
    Frame frame = Frame::Read(std::string_view(worker.inbox).substr(at));
    worker.protocol_error = worker.sent.empty() || frame.size > limits_.megabytes << 20;
    if (worker.protocol_error || worker.inbox.size() - at - Frame::kHead < frame.size) break;
    std::string_view answer(worker.inbox.data() + at + Frame::kHead, frame.size);
    at += Frame::kHead + frame.size;
    worker.received_bytes += Frame::kHead + frame.size;
    if (!Accept(worker, frame.failure, answer)) return true;
  }
  worker.inbox.erase(0, at);
  return !worker.protocol_error;
}

// Returns false if that was the worker's last answer.
bool WorkerPool::Accept(Worker& worker, bool failed, std::string_view answer) {
  std::size_t task = worker.sent.front();
  worker.sent.pop_front();
  worker.sent_bytes -= (*requests_)[task].size();
  StartTimer(worker);
  ++worker.answered;
  if (!failed) {
    (*done_)(task, answer, {});
    return true;
  }
  std::string why(answer);
  worker.process.Stop();
  Requeue(worker, 0);
  (*done_)(task, {}, why);
  return false;
}

// Ends the worker, running or not, and takes the answers it had made. Returns its wait status.
int WorkerPool::KillAndDrain(Worker& worker) {
  const int status = worker.process.Kill();
  while (!worker.protocol_error && Receive(worker)) {
  }
  if (worker.process.unsent != nullptr) {
    worker.inbox = worker.process.unsent->Unsent(worker.received_bytes);
    worker.protocol_error = false;
    ParseFrames(worker);
  }
  worker.process.Stop();
  return status;
}

// `why` is empty if the worker died by itself.
void WorkerPool::HandleFailure(Worker& worker, std::string why) {
  if (worker.protocol_error) why = "its answer is too large";
  int status = KillAndDrain(worker);
  bool again = why.empty() && worker.answered > 0;
  if (why.empty()) why = DescribeDeath(status, limits_);
  if (worker.sent.empty()) return Requeue(worker, 0);
  std::size_t failed_task = worker.sent.front();
  Requeue(worker, 1);
  worker.answered = 0;
  if (again) {
    Assign(worker, failed_task);
  } else {
    (*done_)(failed_task, {}, why);
  }
}

void WorkerPool::HandleEvents(Worker& worker, short requests, short answers) {
  if ((requests & (POLLOUT | POLLERR)) != 0 && !Flush(worker)) {
    // A worker that no longer reads has died, or will not answer.
    const std::string why = std::string("could not be sent to a worker: ") + std::strerror(errno);
    HandleFailure(worker, errno == EPIPE ? std::string() : why);
    return;
  }
  if ((answers & (POLLIN | POLLHUP | POLLERR)) != 0) {
    if (!Receive(worker)) HandleFailure(worker, {});
    return;
  }
  if (std::uint32_t made = worker.process.unsent->made(); made != worker.made) {
    worker.made = made;
    StartTimer(worker);
  }
  if (!TookTooLong(worker)) return;
  HandleFailure(worker, "took more than " + Seconds(limits_.seconds) + " seconds (--file-seconds)");
}

// Ends the worker and fails all its tasks.
void WorkerPool::FailAll(Worker& worker, const std::string& why) {
  KillAndDrain(worker);
  const std::deque<std::size_t> unanswered = std::exchange(worker.sent, {});
  Requeue(worker, 0);
  for (const std::size_t task : unanswered) (*done_)(task, {}, why);
}

void WorkerPool::FailWaiting() {
  while (!waiting_.empty()) {
    std::size_t task = waiting_.back();
    waiting_.pop_back();
    (*done_)(task, {}, start_error_);
  }
}

// Waits until a worker has an answer or ends, and handles it.
void WorkerPool::Wait() {
  std::vector<pollfd> files;
  std::vector<Worker*> busy;
  for (auto& worker : workers_) {
    if (worker->sent.empty()) continue;
    short sending = worker->outbox.empty() ? 0 : POLLOUT;
    files.push_back({sending != 0 ? worker->process.requests : -1, sending, 0});
    files.push_back({worker->process.answers, POLLIN, 0});
    busy.push_back(worker.get());
  }
  if (poll(files.data(), files.size(), kPollMilliseconds) < 0) {
    if (errno == EINTR) return;
    // No worker can be heard any more, and later calls will fail, too.
    const std::string why = std::string("waiting for the workers failed: ") + std::strerror(errno);
    for (Worker* const worker : busy) FailAll(*worker, why);
    start_error_ = why;
    return FailWaiting();
  }
  for (std::size_t i = 0; i < busy.size(); ++i) {
    HandleEvents(*busy[i], files[2 * i].revents, files[2 * i + 1].revents);
  }
}

void WorkerPool::Run(const std::vector<std::string>& requests, const Done& done) {
  requests_ = &requests;
  done_ = &done;
  waiting_.clear();
  for (std::size_t task = requests.size(); task-- > 0;) waiting_.push_back(task);
  for (auto& worker : workers_) worker->cannot_start = false;
  Interruption interruption;
  for (;;) {
    if (interruption.Happened()) {
      for (auto& worker : workers_) KillAndDrain(*worker);
      if (on_interrupt_) on_interrupt_();
      interruption.Terminate();
    }
    for (auto& worker : workers_) Fill(*worker);
    bool busy = std::any_of(workers_.begin(), workers_.end(),
                            [](const auto& worker) { return !worker->sent.empty(); });
    if (!busy && waiting_.empty()) return;
    if (busy) {
      Wait();
    } else {
      FailWaiting();
    }
  }
}

}  // namespace opledger::scan

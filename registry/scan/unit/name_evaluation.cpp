// Passes the text in a memory file, so that the two processes cannot block each other.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/name_evaluation.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "registry/files/files.h"
#include "registry/platform/platform.h"
#include "registry/text/bytes.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxAnswerLength = std::size_t{16} << 20;

struct Ended {
  std::string answer;
  int status = -1;  // -1: not started
};

// Reads to the end. Returns false if there is more than the limit.
bool ReadAll(int file, std::string& text) {
  char chunk[1 << 14];
  while (text.size() < kMaxAnswerLength) {
    const ssize_t got = read(file, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return false;
}

Ended RunEvaluator(const std::string& input) {
  Ended ended;
  const std::string program = SiblingProgram("opledger-scan-ast");
  const int source = memfd_create("unit", MFD_CLOEXEC);
  int pipes[2] = {-1, -1};
  const bool ready = source >= 0 && WriteAll(source, input) && lseek(source, 0, SEEK_SET) == 0 &&
                     pipe2(pipes, O_CLOEXEC) == 0;
  if (!ready) {
    if (source >= 0) close(source);
    return ended;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program;
  char* arguments[] = {name.data(), nullptr};
  pid_t process = -1;
  const int refused = posix_spawn(&process, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(source);
  close(pipes[1]);
  if (refused == 0) {
    if (!ReadAll(pipes[0], ended.answer)) kill(process, SIGKILL);
    while (waitpid(process, &ended.status, 0) < 0 && errno == EINTR) {
    }
  }
  close(pipes[0]);
  return ended;
}

// ---- The process that runs the evaluator for a worker ----

// Pipes to that process; -1: there is none, and this process runs the evaluator.
int inputs_of_evaluator = -1;
int answers_of_evaluator = -1;

bool ReadWhole(int file, char* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = read(file, bytes + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// Sends the length, then the text.
bool SendText(int file, const std::string& text) {
  const std::uint64_t size = text.size();
  return WriteAll(file, {reinterpret_cast<const char*>(&size), sizeof size}) &&
         WriteAll(file, text);
}

std::optional<std::string> ReceiveText(int file, std::uint64_t largest) {
  std::uint64_t size = 0;
  if (!ReadWhole(file, reinterpret_cast<char*>(&size), sizeof size) || size > largest) {
    return std::nullopt;
  }
  std::string text(size, '\0');
  if (!ReadWhole(file, text.data(), size)) return std::nullopt;
  return text;
}

[[noreturn]] void ServeEvaluations(int inputs, int answers) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;
  while (const std::optional<std::string> input = ReceiveText(inputs, kLargest)) {
    const Ended ended = RunEvaluator(*input);
    if (!SendText(answers, std::to_string(ended.status)) || !SendText(answers, ended.answer)) break;
  }
  _exit(0);
}

Ended Evaluate(const std::string& input) {
  if (inputs_of_evaluator < 0) return RunEvaluator(input);
  Ended ended;
  if (!SendText(inputs_of_evaluator, input)) return ended;
  const std::optional<std::string> status = ReceiveText(answers_of_evaluator, kMaxAnswerLength);
  std::optional<std::string> answer;
  if (status) answer = ReceiveText(answers_of_evaluator, 2 * kMaxAnswerLength);
  if (!answer) return ended;
  return {std::move(*answer), std::stoi(*status)};
}

std::string WhyItEnded(int status, const EvaluationLimits& limits) {
  if (status == -1) return "opledger-scan-ast could not be started; is it installed?";
  const bool time =
      WIFSIGNALED(status) &&
      (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGKILL);
  if (time) {
    return "evaluation takes more than " +
           std::to_string(static_cast<int>(std::max(1.0, limits.seconds))) +
           " s; raise --file-seconds";
  }
  return "evaluation did not finish (a crash, or more than " + std::to_string(limits.megabytes) +
         " MB; raise --file-megabytes)";
}

std::optional<std::vector<EvaluatedName>> Read(const std::string& answer, std::size_t records) {
  ByteReader in(answer);
  std::vector<EvaluatedName> names(records);
  for (EvaluatedName& name : names) {
    name.whole = in.Number() != 0;
    name.values.resize(in.Count());
    for (std::string& value : name.values) value = in.Text();
    name.why = in.Text();
  }
  if (!in.AtEnd()) return std::nullopt;
  return names;
}

}  // namespace

void StartEvaluator() {
  int inputs[2];
  int answers[2];
  if (pipe2(inputs, O_CLOEXEC) != 0) return;
  if (pipe2(answers, O_CLOEXEC) != 0) {
    close(inputs[0]);
    close(inputs[1]);
    return;
  }
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    close(inputs[1]);
    close(answers[0]);
    ServeEvaluations(inputs[0], answers[1]);
  }
  close(inputs[0]);
  close(answers[1]);
  inputs_of_evaluator = process > 0 ? inputs[1] : -1;
  answers_of_evaluator = process > 0 ? answers[0] : -1;
}

std::vector<EvaluatedName> EvaluateNames(const std::string& text, std::size_t records,
                                         bool included, const EvaluationLimits& limits) {
  ByteWriter out;
  out.Number(static_cast<std::uint64_t>(std::max(1.0, limits.seconds)));
  out.Number(records);
  out.Number(included);
  out.Text(text);
  const Ended ended = Evaluate(out.Take());
  const bool well = ended.status != -1 && WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0;
  if (well) {
    if (auto names = Read(ended.answer, records)) return std::move(*names);
  }
  EvaluatedName unknown;
  unknown.why = WhyItEnded(ended.status, limits);
  unknown.failed = true;
  return std::vector<EvaluatedName>(records, unknown);
}

}  // namespace opledger::scan

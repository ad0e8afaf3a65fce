// The text goes by way of a file in memory, so that neither side waits for the other.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/name_evaluation.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "registry/platform/files.h"
#include "registry/platform/platform.h"
#include "registry/text/bytes.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxAnswerLength = std::size_t{16} << 20;

struct Ended {
  std::string answer;
  int status = -1;  // -1: it did not start
};

// Reads to the end. False: there is more than anybody needs.
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

std::vector<EvaluatedName> EvaluateNames(const std::string& text, std::size_t records,
                                         const EvaluationLimits& limits) {
  ByteWriter out;
  out.Number(static_cast<std::uint64_t>(std::max(1.0, limits.seconds)));
  out.Number(records);
  out.Text(text);
  const Ended ended = RunEvaluator(out.Take());
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

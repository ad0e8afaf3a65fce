// Causes faults on demand, in opledger-scan-faults only:
// OPLEDGER_FAULT="crash:a.cc,hang@outline:b.cc" makes a worker fail that is about to read such a
// file (matched by the end of its path): crash, abort, hang, memory (exhausts it), stack
// (overflows), exit, try (calls that a sandbox denies). Without @STAGE: when it extracts facts.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "registry/scan/workers/worker_hook.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {
namespace {

volatile unsigned sink = 0;
volatile int deepest = 1 << 30;

unsigned Recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth < deepest) sink = Recurse(depth + 1) + frame[0];
  return sink;
}

void Eat() {
  for (;;) {
    char* bytes = new char[1 << 20];
    std::memset(bytes, 1, 1 << 20);
    sink = sink + bytes[sink & 1];
  }
}

// Tries forbidden operations; answers with their errors: "read 13, write 13, ...".
void TryEverything() {
  std::string told;
  const auto tell = [&](const char* what, long result) {
    told += (told.empty() ? "" : ", ") + std::string(what) + " " +
            std::to_string(result < 0 ? errno : 0);
  };
  tell("read", open("/etc/passwd", O_RDONLY));
  tell("write", open("src/written", O_WRONLY | O_CREAT, 0600));
  tell("overwrite", open("src/unit_00.cc", O_WRONLY));
  tell("truncate", truncate("src/unit_00.cc", 3));
  tell("remove", unlink("src/unit_00.cc"));
  tell("socket", socket(AF_UNIX, SOCK_STREAM, 0));
  tell("signal", kill(getppid(), 0));
  char program[] = "/bin/true";
  char* const arguments[] = {program, nullptr};
  const pid_t process = fork();
  tell("fork", process);
  if (process == 0) _exit(0);
  tell("run", execv(program, arguments));
  FailTask(told);
}

void Fail(std::string_view kind) {
  if (kind == "try") TryEverything();
  if (kind == "crash") raise(SIGSEGV);
  if (kind == "abort") std::abort();
  if (kind == "exit") _exit(7);
  if (kind == "memory") Eat();
  if (kind == "stack") Recurse(0);
  if (kind == "hang") {
    for (;;) sink = sink + 1;
  }
}

}  // namespace

void WorkerHook(std::string_view stage, std::string_view path) {
  const char* faults = std::getenv("OPLEDGER_FAULT");
  std::string_view rest = faults == nullptr ? "" : faults;
  while (!rest.empty()) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view fault = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    std::size_t colon = std::min(fault.find(':'), fault.size());
    std::string_view kind = fault.substr(0, colon);
    std::size_t at = std::min(kind.find('@'), kind.size());
    std::string_view when = at == kind.size() ? "facts" : kind.substr(at + 1);
    if (when == stage && path.ends_with(fault.substr(std::min(colon + 1, fault.size())))) {
      Fail(kind.substr(0, at));
    }
  }
}

}  // namespace opledger::scan

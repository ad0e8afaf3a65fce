// Runs programs. One loop reads both outputs. The time until the program ends afterward is limited
// too.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "registry/files/files.h"
#include "registry/files/open_file.h"
#include "registry/files/repeated.h"

namespace opledger {
namespace {

constexpr int kExecFailed = 127;

// Splits pieces of output into lines.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& take) : take_(take) {}
  void Add(std::string_view piece) {
    rest_.append(piece);
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      take_(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() < kLongest) return;
    take_(rest_);
    rest_.clear();
  }
  void End() {
    if (!rest_.empty()) take_(rest_);
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;  // longer lines are split

  const std::function<void(std::string_view)>& take_;
  std::string rest_;
};

enum class Followed : std::uint8_t { kEnded, kStopped, kFailed, kSilent, kHeldOpen };

// Reads from an output that is ready, and clears its `file.fd` at the end. Returns why reading the
// child is finished, or nullopt to continue.
std::optional<Followed> ReadSome(pollfd& file, const TakePiece& take) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(file.fd, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return std::nullopt;
  if (count < 0) return Followed::kFailed;
  if (count == 0) file.fd = -1;
  const std::string_view piece(buffer.data(), static_cast<std::size_t>(count));
  if (piece.empty() || take(piece)) return std::nullopt;
  return Followed::kStopped;
}

// Reads the outputs of a child until they end, until nothing more is wanted or arrives, or until a
// call fails and sets errno. `errors` is -1 if standard error is inherited.
Followed Follow(ChildWatch& watch, int output, int errors, const SiblingStreams& streams,
                const TakePiece& take) {
  Lines lines(streams.said);
  const TakePiece add_lines = [&lines](std::string_view piece) {
    lines.Add(piece);
    return true;
  };
  pollfd waits[] = {{output, POLLIN, 0}, {errors, POLLIN, 0}, {streams.wake, POLLIN, 0}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    switch (watch.Wait(waits, 2)) {
      case ChildWatch::Event::kFailed:
        return Followed::kFailed;
      case ChildWatch::Event::kSilent:
        return Followed::kSilent;
      case ChildWatch::Event::kHeldOpen:
        return Followed::kHeldOpen;
      case ChildWatch::Event::kLeftOpen:  // everything that the program wrote has been read
        lines.End();
        return Followed::kEnded;
      case ChildWatch::Event::kReady:
        break;
    }
    if (waits[2].revents != 0 && !streams.go_on()) return Followed::kStopped;
    for (pollfd* const each : {&waits[0], &waits[1]}) {
      if (each->fd < 0 || each->revents == 0) continue;
      const auto done = ReadSome(*each, each == &waits[1] ? add_lines : take);
      if (done) return *done;
    }
  }
  lines.End();
  return Followed::kEnded;
}

// Returns a file in memory with these contents, positioned at its start, or -1 with errno set.
int FileOf(const std::string& bytes) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  if (file >= 0 && WriteAll(file, bytes) && lseek(file, 0, SEEK_SET) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

// Formats a number of seconds: "60 s", "0.5 s".
std::string SecondsText(double seconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g s", seconds);
  return text.data();
}

// Returns the exit status of the program or reports why there is none.
std::optional<int> Report(const Child& child, Followed followed, int status, int error,
                          Diagnostics& diagnostics) {
  switch (followed) {
    case Followed::kStopped:
      return std::nullopt;
    case Followed::kFailed:
      diagnostics.MarkIncomplete();
      return diagnostics.Error(
          {}, "cannot read the output of " + child.name + ": " + std::strerror(error));
    case Followed::kHeldOpen:
      return diagnostics.Error(
          {}, child.name + " has ended, but a process that it started still writes to its output");
    case Followed::kSilent: {
      const double seconds = child.limit.seconds;
      return diagnostics.Error({},
                               child.limit.work_counts
                                   ? child.name + " has been inactive for " + SecondsText(seconds)
                                   : NoAnswerText(child.name, seconds) + child.asked,
                               child.remedy);
    }
    case Followed::kEnded:
      break;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != kExecFailed) return WEXITSTATUS(status);
  if (!WIFSIGNALED(status)) return diagnostics.Error({}, "cannot start " + child.name);
  return diagnostics.Error(
      {}, child.name + " was killed by signal " + std::to_string(WTERMSIG(status)));
}

// Puts a program with a limit on silence in its own group, so that its descendants can be ended
// with it. Ctrl-C, which reaches only this process's group, then ends it through the parent-death
// signal.
void LeadGroup(const Child& child) {
  if (child.limit.work_counts || setpgid(0, 0) != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

}  // namespace

std::string NoAnswerText(const std::string& name, double seconds) {
  return name + " has not answered for " + SecondsText(seconds);
}

std::vector<char*> ArgumentVector(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void Become(const Child& child, const std::vector<char*>& arguments, int input, int output,
            int errors) {
  LeadGroup(child);
  if (!Redirect(output, STDOUT_FILENO)) _exit(kExecFailed);
  if (child.streams.silent) Redirect(OpenExisting("/dev/null"), STDERR_FILENO);
  if (errors >= 0) Redirect(errors, STDERR_FILENO);
  if (input >= 0 && !Redirect(input, STDIN_FILENO)) _exit(kExecFailed);
  if (child.git == GitOf::kElsewhere) {
    // As listed by `git rev-parse --local-env-vars`.
    for (const char* const name :
         {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS",
          "GIT_CONFIG_COUNT", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE",
          "GIT_PREFIX", "GIT_IMPLICIT_WORK_TREE"}) {
      unsetenv(name);
    }
  }
  if (child.git != GitOf::kNone) {
    setenv("GIT_NO_LAZY_FETCH", "1", 1);
    setenv("GIT_NO_REPLACE_OBJECTS", "1", 1);  // so that a commit has the contents of its id
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    setenv("GIT_TERMINAL_PROMPT", "0", 1);
    setenv("GIT_PAGER", "cat", 1);
    if (!child.objects.empty()) {
      constexpr const char* kVariable = "GIT_ALTERNATE_OBJECT_DIRECTORIES";
      const char* const set = std::getenv(kVariable);
      setenv(kVariable, (child.objects + (set != nullptr ? std::string(":") + set : "")).c_str(),
             1);
    }
  }
  if (child.in_path) execvp(child.program.c_str(), arguments.data());
  execv(child.program.c_str(), arguments.data());
  _exit(kExecFailed);
}

std::optional<int> RunChild(const Child& child, std::vector<std::string> words,
                            const TakePiece& take, Diagnostics& diagnostics) {
  const std::vector<char*> pointers = ArgumentVector(words);
  const bool watched = static_cast<bool>(child.streams.said);
  const Descriptor input(child.has_input ? FileOf(child.streams.input) : -1);
  int ends[2] = {-1, -1};
  int errors[2] = {-1, -1};
  const bool ready = (!child.has_input || input.get() >= 0) && pipe2(ends, O_CLOEXEC) == 0 &&
                     (!watched || pipe2(errors, O_CLOEXEC) == 0);
  const pid_t process = ready ? fork() : -1;
  if (process < 0) {
    const int error = errno;
    for (const int end : {ends[0], ends[1], errors[0], errors[1]}) {
      if (end >= 0) close(end);
    }
    return diagnostics.Error({}, "cannot start " + child.name + ": " + std::strerror(error));
  }
  if (process == 0) Become(child, pointers, input.get(), ends[1], errors[1]);
  close(ends[1]);
  if (watched) close(errors[1]);
  ChildWatch watch(process, child.limit);
  Followed followed = Follow(watch, ends[0], errors[0], child.streams, take);
  const int error = errno;
  close(ends[0]);
  if (watched) close(errors[0]);
  std::optional<int> status;
  if (followed == Followed::kEnded || followed == Followed::kHeldOpen) status = watch.WaitForEnd();
  if (followed == Followed::kEnded && !status) followed = Followed::kSilent;
  return Report(child, followed, status ? *status : watch.End(), error, diagnostics);
}

}  // namespace opledger

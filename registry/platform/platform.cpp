// Where the program is installed, and running others: fork, exec, a pipe.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/platform.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "registry/platform/files.h"
#include "registry/platform/open_file.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The folder of the running program. Where /proc is not there, as the program was called.
fs::path ProgramDirectory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) return program.parent_path();
  const auto* const called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return called == nullptr ? fs::path(".") : fs::path(called).parent_path();
}

constexpr int kExecFailed = 127;

// Null-terminated, as exec wants it. Points into `words`.
std::vector<char*> ArgumentVector(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool CheckProgram(const std::string& name, const std::string& path, Diagnostics& diagnostics) {
  if (access(path.c_str(), X_OK) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) {
    diagnostics.MarkIncomplete();
    return diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(errno));
  }
  const bool scanner = name.starts_with("opledger-scan");
  return diagnostics.Error(
      {}, "there is no " + name + " beside opledger",
      scanner ? "this build has no scanner: build with Clang (OPLEDGER_SCANNER=ON), "
                "or check an earlier scan with --operators"
              : "install all programs of one build into one folder");
}

using TakePiece = std::function<bool(std::string_view)>;

TakePiece AppendTo(std::string& text) {
  return [&text](std::string_view piece) {
    text.append(piece);
    return true;
  };
}

// Whose repository a child reads.
enum class GitOf : std::uint8_t { kNone, kHere, kElsewhere };

// What a child of ours is.
struct Child {
  std::string name;     // for messages
  std::string program;  // a path, or a name to be found in PATH
  GitOf git = GitOf::kNone;
  bool in_path = false;    // PATH is searched for it
  bool has_input = false;  // of its own; else it has our standard input
  SiblingStreams streams = {};
  std::string objects = {};  // of git: where more are, as GIT_ALTERNATE_OBJECT_DIRECTORIES has it
};

// Gives lines of what comes in pieces.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& take) : take_(take) {}
  void Add(std::string_view piece) {
    rest_.append(piece);
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
      take_(std::string_view(rest_).substr(0, end));
      rest_.erase(0, end + 1);
    }
  }
  void End() {
    if (!rest_.empty()) take_(rest_);
  }

 private:
  const std::function<void(std::string_view)>& take_;
  std::string rest_;
};

enum class Followed { kEnded, kStopped, kFailed };

// Reads the outputs of a child until they end (`errors` is -1 where they pass through), until
// nothing more is wanted of it, or until a read fails, which errno then tells.
Followed Follow(int output, int errors, const SiblingStreams& streams, const TakePiece& take) {
  Lines lines(streams.said);
  std::array<char, 65536> buffer;
  pollfd waits[] = {{output, POLLIN, 0}, {errors, POLLIN, 0}, {streams.wake, POLLIN, 0}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (poll(waits, std::size(waits), -1) < 0) {
      if (errno == EINTR) continue;
      return Followed::kFailed;
    }
    if (waits[2].revents != 0 && !streams.go_on()) return Followed::kStopped;
    for (pollfd* const each : {&waits[0], &waits[1]}) {
      if (each->fd < 0 || each->revents == 0) continue;
      const ssize_t count = read(each->fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Followed::kFailed;
      if (count == 0) {
        each->fd = -1;
        continue;
      }
      const std::string_view piece(buffer.data(), static_cast<std::size_t>(count));
      if (each == &waits[1]) {
        lines.Add(piece);
      } else if (!take(piece)) {
        return Followed::kStopped;
      }
    }
  }
  lines.End();
  return Followed::kEnded;
}

// A file in memory, to be read from its start; -1 with errno set.
int FileOf(const std::string& bytes) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  if (file >= 0 && WriteAll(file, bytes) && lseek(file, 0, SEEK_SET) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

[[noreturn]] void Become(const Child& child, const std::vector<char*>& arguments, int input,
                         int output, int errors) {
  if (dup2(output, STDOUT_FILENO) < 0) _exit(kExecFailed);
  if (child.streams.silent) dup2(OpenExisting("/dev/null"), STDERR_FILENO);
  if (errors >= 0) dup2(errors, STDERR_FILENO);
  if (input >= 0) dup2(input, STDIN_FILENO);
  if (child.git == GitOf::kElsewhere) {
    // As `git rev-parse --local-env-vars` has them.
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
    setenv("GIT_NO_REPLACE_OBJECTS", "1", 1);  // a commit is what its id says
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

std::optional<int> Run(const Child& child, std::vector<std::string> words, const TakePiece& take,
                       Diagnostics& diagnostics) {
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
  const Followed followed = Follow(ends[0], errors[0], child.streams, take);
  const int error = errno;
  close(ends[0]);
  if (watched) close(errors[0]);
  if (followed != Followed::kEnded) kill(process, SIGTERM);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (followed == Followed::kFailed) {
    diagnostics.MarkIncomplete();
    return diagnostics.Error(
        {}, "cannot read the output of " + child.name + ": " + std::strerror(error));
  }
  if (followed == Followed::kStopped) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) != kExecFailed) return WEXITSTATUS(status);
  return diagnostics.Error({}, WIFSIGNALED(status) ? child.name + " was killed by signal " +
                                                         std::to_string(WTERMSIG(status))
                                                   : "cannot start " + child.name);
}

}  // namespace

std::string DataDirectory() {
  // For tests, and for data that was installed elsewhere.
  const char* chosen = std::getenv("OPLEDGER_DATA_DIR");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return (ProgramDirectory() / "../share/opledger").lexically_normal().string();
}

std::string SiblingProgram(const std::string& name) { return (ProgramDirectory() / name).string(); }

std::vector<std::string> ShippedLists(const std::string& dialect, Diagnostics& diagnostics) {
  std::vector<std::string> lists;
  // A dialect given as a path has no shipped lists.
  if (dialect.empty() || dialect.front() == '.' || dialect.find('/') != std::string::npos) {
    return lists;
  }
  std::error_code error;
  const fs::path folder = fs::path(DataDirectory()) / "lists" / dialect;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") lists.push_back(entry->path().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    diagnostics.Error({.path = folder.string()}, "cannot be listed: " + error.message());
    diagnostics.MarkIncomplete();
  }
  std::sort(lists.begin(), lists.end());
  return lists;
}

std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics,
                              const SiblingStreams& streams) {
  const std::string path = SiblingProgram(name);
  if (!CheckProgram(name, path, diagnostics)) return std::nullopt;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  output.clear();
  return Run({name, path, GitOf::kNone, false, !streams.input.empty(), streams}, std::move(words),
             AppendTo(output), diagnostics);
}

std::string GitDirectoryOf(const std::string& folder) {
  constexpr std::size_t kLargest = 4096;
  constexpr std::string_view kBefore = "gitdir: ";
  std::error_code error;
  const fs::path place = fs::absolute(fs::path(folder) / ".git", error);
  const fs::file_status status = error ? fs::file_status() : fs::symlink_status(place, error);
  if (error) return {};
  if (fs::is_directory(status)) return place.string();
  Diagnostics ignored;
  const std::optional<std::string> text = ReadFile(place.string(), kLargest, ignored);
  if (!text || !text->starts_with(kBefore)) return {};
  const std::string named = text->substr(kBefore.size(), text->find('\n') - kBefore.size());
  return (place.parent_path() / named).lexically_normal().string();
}

namespace {

// The top of the working tree that `folder` lies in, or an empty path if it lies in none.
fs::path FindTop(const std::string& folder) {
  std::error_code error;
  fs::path top = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  if (!top.has_filename()) top = top.parent_path();
  while (!error && !fs::exists(top / ".git", error)) {
    if (top == top.parent_path()) return {};
    top = top.parent_path();
  }
  return error ? fs::path() : top;
}

// In the hook of a submodule of which the project around it is checked.
bool IsHookOfSubmodule(const std::string& folder) {
  const char* const git_dir = std::getenv("GIT_DIR");
  const fs::path top = git_dir == nullptr ? fs::path() : FindTop(folder);
  if (top.empty()) return false;
  std::error_code error;
  const fs::path around = fs::weakly_canonical(GitDirectoryOf(top.string()), error);
  const fs::path given = error ? fs::path() : fs::weakly_canonical(git_dir, error);
  return !error && given.string().starts_with(around.string() + "/modules/");
}

// Where GIT_DIR is set, as in a hook of a linked work tree, git takes the current folder for the
// top of the work tree, which a project in a folder of its own is not: this says where that is.
std::vector<std::string> WorkTreeArguments(const std::string& folder) {
  const char* const git_dir = std::getenv("GIT_DIR");
  if (git_dir == nullptr || std::getenv("GIT_WORK_TREE") != nullptr) return {};
  const fs::path top = FindTop(folder);
  if (top.empty()) return {};
  return {"--git-dir=" + (top / git_dir).string(), "--work-tree=" + top.string()};
}

// Nothing that a repository's files could make git run.
std::vector<std::string> SafeGit(const std::string& folder) {
  std::vector<std::string> words = {"git"};
  if (!folder.empty()) words.insert(words.end(), {"-C", folder});
  words.insert(words.end(),
               {"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
                "core.attributesFile=/dev/null", "-c", "diff.external="});
  return words;
}

// Git in a folder: what it is, and its words.
Child GitIn(const std::string& folder, const std::vector<std::string>& arguments,
            std::vector<std::string>& words) {
  words = SafeGit(folder);
  const bool elsewhere = IsHookOfSubmodule(folder);
  if (!elsewhere) {
    for (std::string& word : WorkTreeArguments(folder)) words.push_back(std::move(word));
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  return {"git", "git", elsewhere ? GitOf::kElsewhere : GitOf::kHere, true, true};
}

// Where a repository keeps its objects: of a linked work tree, where the others' are.
std::string ObjectsOf(const std::string& git_dir) {
  constexpr std::size_t kLargest = 4096;
  Diagnostics ignored;
  const fs::path place(git_dir);
  const auto common = ReadFile((place / "commondir").string(), kLargest, ignored);
  if (!common) return (place / "objects").string();
  return (place / common->substr(0, common->find('\n')) / "objects").lexically_normal().string();
}

// Of these git directories, as GIT_ALTERNATE_OBJECT_DIRECTORIES has it; a path that holds a
// separator is quoted.
std::string AlternateObjects(const std::vector<std::string>& git_dirs) {
  std::string list;
  for (const std::string& git_dir : git_dirs) {
    std::string quoted = "\"";
    for (const char c : ObjectsOf(git_dir)) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    list += (list.empty() ? "" : ":") + quoted + '"';
  }
  return list;
}

}  // namespace

std::optional<int> RunGit(const std::string& folder, const std::vector<std::string>& arguments,
                          const std::string& input, std::string& output, Diagnostics& diagnostics) {
  output.clear();
  std::vector<std::string> words;
  Child child = GitIn(folder, arguments, words);
  child.streams.input = input;
  // What git says of a repository holds names of files and revisions.
  child.streams.said = [](std::string_view line) {
    std::fputs((Printable(line) + "\n").c_str(), stderr);
  };
  return Run(child, std::move(words), AppendTo(output), diagnostics);
}

std::optional<int> RunGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                            std::string& output, Diagnostics& diagnostics) {
  output.clear();
  std::vector<std::string> words = SafeGit({});
  words.insert(words.end(), {"--git-dir=" + git_dir, "--work-tree=."});
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child = {"git", "git", GitOf::kElsewhere, true, true};
  child.streams.silent = true;
  return Run(child, std::move(words), AppendTo(output), diagnostics);
}

GitProcess::GitProcess(const std::string& folder, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& others)
    : started_by_(getpid()) {
  std::vector<std::string> words;
  Child child = GitIn(folder, arguments, words);
  child.streams.silent = true;
  child.objects = AlternateObjects(others);
  const std::vector<char*> pointers = ArgumentVector(words);
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0) process_ = fork();
  if (process_ == 0) Become(child, pointers, in[0], out[1], -1);
  held_ = in[0];
  to_ = in[1];
  from_ = out[0];
  if (out[1] >= 0) close(out[1]);
}

GitProcess::~GitProcess() {
  for (const int end : {to_, held_, from_}) {
    if (end >= 0) close(end);
  }
  // A process that was forked since is not its parent.
  int status = 0;
  while (process_ > 0 && started_by_ == getpid() && waitpid(process_, &status, 0) < 0 &&
         errno == EINTR) {
  }
}

void ExecSibling(const std::string& name, const std::vector<std::string>& arguments,
                 Diagnostics& diagnostics) {
  const std::string path = SiblingProgram(name);
  if (!CheckProgram(name, path, diagnostics)) return;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execv(path.c_str(), ArgumentVector(words).data());
  diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(errno));
}

}  // namespace opledger

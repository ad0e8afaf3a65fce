// Runs git: its environment and options, limits on its output, and long-running git processes.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/run_git.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "registry/files/files.h"
#include "registry/platform/child_watch.h"
#include "registry/platform/run_program.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestText = std::size_t{16} << 20;
constexpr std::size_t kLargestListing = std::size_t{1} << 30;
constexpr std::size_t kLongestRecord = std::size_t{1} << 20;
constexpr double kSecondsToEnd = 5;  // for a git whose input was closed

// Global, because git is run from many places of a process, and one that does not answer would
// otherwise cost each of them the timeout.
double g_timeout = 60;                // 0: no limit
std::optional<Diagnostic> g_trouble;  // set if git does not answer or its output is invalid

}  // namespace

void SetGitTimeout(double seconds) { g_timeout = seconds; }
double GitTimeout() { return g_timeout; }
std::optional<Diagnostic> GitTrouble() { return g_trouble; }
void ForgetGitTrouble() { g_trouble.reset(); }

std::string GitDirectoryOf(const std::string& folder) {
  constexpr std::size_t kLargest = 4096;
  constexpr std::string_view kBefore = "gitdir: ";
  std::error_code error;
  const std::filesystem::path place =
      std::filesystem::absolute(std::filesystem::path(folder) / ".git", error);
  const std::filesystem::file_status status =
      error ? std::filesystem::file_status() : std::filesystem::symlink_status(place, error);
  if (error) return {};
  if (std::filesystem::is_directory(status)) return place.string();
  Diagnostics ignored;
  const std::optional<std::string> text = ReadFile(place.string(), kLargest, ignored);
  if (!text || !text->starts_with(kBefore)) return {};
  const std::string named = text->substr(kBefore.size(), text->find('\n') - kBefore.size());
  return (place.parent_path() / named).lexically_normal().string();
}

namespace {

// Returns the top of the working tree that contains `folder`, or an empty path.
std::filesystem::path FindTop(const std::string& folder) {
  std::error_code error;
  std::filesystem::path top =
      std::filesystem::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  if (!top.has_filename()) top = top.parent_path();
  while (!error && !std::filesystem::exists(top / ".git", error)) {
    if (top == top.parent_path()) return {};
    top = top.parent_path();
  }
  return error ? std::filesystem::path() : top;
}

// Returns whether this is a hook of a submodule that checks its superproject.
bool IsHookOfSubmodule(const std::string& folder) {
  const char* const git_dir = std::getenv("GIT_DIR");
  const std::filesystem::path top = git_dir == nullptr ? std::filesystem::path() : FindTop(folder);
  if (top.empty()) return false;
  std::error_code error;
  const std::filesystem::path around =
      std::filesystem::weakly_canonical(GitDirectoryOf(top.string()), error);
  const std::filesystem::path given =
      error ? std::filesystem::path() : std::filesystem::weakly_canonical(git_dir, error);
  return !error && given.string().starts_with(around.string() + "/modules/");
}

// If GIT_DIR is set, as in a hook of a linked worktree, git assumes that the current folder is the
// top of the worktree. This is wrong for a project in a subfolder, so the top is passed explicitly.
std::vector<std::string> WorkTreeArguments(const std::string& folder) {
  const char* const git_dir = std::getenv("GIT_DIR");
  if (git_dir == nullptr || std::getenv("GIT_WORK_TREE") != nullptr) return {};
  const std::filesystem::path top = FindTop(folder);
  if (top.empty()) return {};
  return {"--git-dir=" + (top / git_dir).string(), "--work-tree=" + top.string()};
}

// Disables everything that a repository's files could make git run.
std::vector<std::string> SafeGit(const std::string& folder) {
  std::vector<std::string> words = {"git"};
  if (!folder.empty()) words.insert(words.end(), {"-C", folder});
  words.insert(words.end(),
               {"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
                "core.attributesFile=/dev/null", "-c", "diff.external="});
  return words;
}

// Returns how to run git in a folder, and its command line in `words`.
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

// Returns the objects folder of a repository. A linked worktree shares that of its main repository.
std::string ObjectsOf(const std::string& git_dir) {
  constexpr std::size_t kLargest = 4096;
  Diagnostics ignored;
  const std::filesystem::path place(git_dir);
  const auto common = ReadFile((place / "commondir").string(), kLargest, ignored);
  if (!common) return (place / "objects").string();
  return (place / common->substr(0, common->find('\n')) / "objects").lexically_normal().string();
}

// Formats the objects folders of these git directories for GIT_ALTERNATE_OBJECT_DIRECTORIES. Paths
// are quoted.
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

// Splits git's output into records that end with a given character.
class Records {
 public:
  Records(GitRecords form, const TakeRecord& take) : form_(form), take_(take) {}

  // Returns false if no more is wanted, or if there is too much output (see problem()).
  bool Add(std::string_view piece) {
    taken_ += piece.size();
    if (taken_ > kLargestListing) return Refuse("git printed more than 1 GiB");
    while (!piece.empty()) {
      const std::size_t end = piece.find(form_.end);
      const std::string_view part = piece.substr(0, end);
      if (rest_.size() + part.size() > kLongestRecord) {
        return Refuse("git printed a record of more than 1 MiB");
      }
      if (end == std::string_view::npos) {
        rest_.append(part);
        return true;
      }
      rest_.append(part);
      if (++count_ > form_.most) {
        return Refuse("git listed more than " + std::to_string(form_.most) + " items");
      }
      const bool wanted = take_(rest_);
      rest_.clear();
      if (!wanted) return false;
      piece.remove_prefix(end + 1);
    }
    return true;
  }
  // Handles the end of the output, where the last record may be unterminated.
  void End() {
    if (!rest_.empty()) take_(rest_);
  }
  const std::string& problem() const { return problem_; }

 private:
  bool Refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  GitRecords form_;
  const TakeRecord& take_;
  std::string rest_;
  std::size_t taken_ = 0;  // bytes
  std::size_t count_ = 0;
  std::string problem_;
};

// Returns a command line for messages, such as "git ls-tree -r -z HEAD".
std::string CommandText(const std::vector<std::string>& arguments) {
  constexpr std::size_t kLongest = 200;
  std::string text = "git";
  for (const std::string& word : arguments) {
    if (text.size() + word.size() > kLongest) return text + " ...";
    text += ' ' + word;
  }
  return text;
}

Failure Report(const Diagnostic& error, Diagnostics& diagnostics) {
  return diagnostics.Error(error.location, error.message, error.hint);
}

// Runs git unless an earlier run failed to answer.
std::optional<int> RunLimited(Child child, std::vector<std::string> words,
                              const std::vector<std::string>& arguments, const TakePiece& take,
                              Diagnostics& diagnostics) {
  if (g_trouble) return Report(*g_trouble, diagnostics);
  child.limit = {g_timeout, false};
  child.asked = ": " + CommandText(arguments);
  child.remedy =
      "run this command to see what it waits for, or raise the limit: --git-timeout SECONDS";
  Diagnostics own;
  const std::optional<int> status = RunChild(child, std::move(words), take, own);
  if (!own.has_errors()) return status;
  if (own.incomplete()) diagnostics.MarkIncomplete();
  const Diagnostic& error = own.all().front();
  const bool is_missing = error.message == "cannot start git";
  if (!is_missing) g_trouble = error;
  return Report(error, diagnostics);
}

std::optional<int> RefuseOutput(const std::vector<std::string>& arguments,
                                const std::string& problem, Diagnostics& diagnostics) {
  g_trouble = Diagnostic{Severity::kError, {}, problem + ": " + CommandText(arguments)};
  return Report(*g_trouble, diagnostics);
}

std::optional<int> RunForText(Child child, std::vector<std::string> words,
                              const std::vector<std::string>& arguments, std::string& output,
                              Diagnostics& diagnostics) {
  output.clear();
  bool fits = true;
  const TakePiece append = [&](std::string_view piece) {
    fits = output.size() + piece.size() <= kLargestText;
    if (fits) output.append(piece);
    return fits;
  };
  const auto status =
      RunLimited(std::move(child), std::move(words), arguments, append, diagnostics);
  if (fits) return status;
  output = {};
  return RefuseOutput(arguments, "git printed more than 16 MiB", diagnostics);
}

std::optional<int> RunForRecords(Child child, std::vector<std::string> words,
                                 const std::vector<std::string>& arguments, Records records,
                                 Diagnostics& diagnostics) {
  const TakePiece take = [&](std::string_view piece) { return records.Add(piece); };
  const auto status = RunLimited(std::move(child), std::move(words), arguments, take, diagnostics);
  if (!records.problem().empty()) return RefuseOutput(arguments, records.problem(), diagnostics);
  if (status) records.End();
  return status;
}

// Shows git's error messages, which may contain names of files and revisions.
void ShowComplaints(Child& child) {
  child.streams.said = [](std::string_view line) {
    std::fputs((Printable(line) + "\n").c_str(), stderr);
  };
}

Child GitOfDirectory(const std::string& git_dir, const std::vector<std::string>& arguments,
                     std::vector<std::string>& words) {
  words = SafeGit({});
  words.insert(words.end(), {"--git-dir=" + git_dir, "--work-tree=."});
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child = {"git", "git", GitOf::kElsewhere, true, true};
  child.streams.silent = true;
  return child;
}

}  // namespace

std::optional<int> RunGit(const std::string& folder, const std::vector<std::string>& arguments,
                          const std::string& input, std::string& output, Diagnostics& diagnostics) {
  std::vector<std::string> words;
  Child child = GitIn(folder, arguments, words);
  child.streams.input = input;
  ShowComplaints(child);
  return RunForText(child, std::move(words), arguments, output, diagnostics);
}

std::optional<int> ReadGit(const std::string& folder, const std::vector<std::string>& arguments,
                           GitRecords form, const TakeRecord& take, Diagnostics& diagnostics) {
  std::vector<std::string> words;
  Child child = GitIn(folder, arguments, words);
  ShowComplaints(child);
  return RunForRecords(child, std::move(words), arguments, Records(form, take), diagnostics);
}

std::optional<int> RunGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                            std::string& output, Diagnostics& diagnostics) {
  std::vector<std::string> words;
  const Child child = GitOfDirectory(git_dir, arguments, words);
  return RunForText(child, std::move(words), arguments, output, diagnostics);
}

std::optional<int> ReadGitOf(const std::string& git_dir, const std::vector<std::string>& arguments,
                             GitRecords form, const TakeRecord& take, Diagnostics& diagnostics) {
  std::vector<std::string> words;
  const Child child = GitOfDirectory(git_dir, arguments, words);
  return RunForRecords(child, std::move(words), arguments, Records(form, take), diagnostics);
}

std::string ReadErrorText(int error) {
  if (error == EPROTO) return "git has ended or sent an invalid answer";
  if (error != ETIMEDOUT || GitTimeout() <= 0) return std::strerror(error);
  return NoAnswerText("git", GitTimeout());
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
  if (process_ > 0) watch_ = std::make_unique<ChildWatch>(process_, SilenceLimit{g_timeout, false});
}

bool GitProcess::Write(std::string_view text) {
  errno = EPIPE;
  return process_ > 0 && WriteAll(to_, text);
}

long GitProcess::Read(char* bytes, std::size_t size) {
  errno = EPIPE;
  if (process_ <= 0) return -1;
  for (;;) {
    pollfd file = {from_, POLLIN, 0};
    const ChildWatch::Event event = watch_->Wait({&file, 1}, 1);
    if (event == ChildWatch::Event::kLeftOpen || event == ChildWatch::Event::kHeldOpen) return 0;
    if (event == ChildWatch::Event::kFailed) return -1;
    if (event == ChildWatch::Event::kSilent) {
      End(true);
      errno = ETIMEDOUT;
      return -1;
    }
    const ssize_t count = read(from_, bytes, size);
    if (count >= 0 || errno != EINTR) return count;
  }
}

// Waits for git to end by itself unless `at_once`. Does not wait in a process that was forked
// later, which is not git's parent.
void GitProcess::End(bool at_once) {
  for (int* const end : {&to_, &held_, &from_}) {
    if (*end >= 0) close(*end);
    *end = -1;
  }
  if (process_ > 0 && started_by_ == getpid()) {
    ChildWatch watch(process_, {kSecondsToEnd, false});
    if (at_once || !watch.WaitForEnd()) watch.End();
  }
  process_ = -1;
}

GitProcess::~GitProcess() { End(false); }

}  // namespace opledger

// fork, exec, a pipe.
// SPDX-License-Identifier: Apache-2.0
#include "checker/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "registry/data_directory.h"

namespace opledger {
namespace {

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
  const bool scanner = name.starts_with("opledger-scan");
  diagnostics.Error({}, "there is no " + name + " beside opledger",
                    scanner ? "this build has no scanner: build with Clang (OPLEDGER_SCANNER=ON), "
                              "or check an earlier scan with --operators"
                            : "install the programs of one build into one folder");
  return false;
}

std::string ReadAll(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics) {
  const std::string path = SiblingProgram(name);
  if (!CheckProgram(name, path, diagnostics)) return std::nullopt;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = ArgumentVector(words);
  int ends[2];
  const pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(errno));
    return std::nullopt;
  }
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(path.c_str(), pointers.data());
    _exit(kExecFailed);
  }
  close(ends[1]);
  output = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != kExecFailed) return WEXITSTATUS(status);
  diagnostics.Error({}, WIFSIGNALED(status)
                            ? name + " was killed by signal " + std::to_string(WTERMSIG(status))
                            : "cannot start " + name);
  return std::nullopt;
}

void BecomeSibling(const std::string& name, const std::vector<std::string>& arguments,
                   Diagnostics& diagnostics) {
  const std::string path = SiblingProgram(name);
  if (!CheckProgram(name, path, diagnostics)) return;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execv(path.c_str(), ArgumentVector(words).data());
  diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(errno));
}

}  // namespace opledger

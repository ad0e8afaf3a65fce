// ONNX Runtime as a child: a Python program reads the inputs from files, runs the model, and says
// how many CPU seconds a run took.
// SPDX-License-Identifier: Apache-2.0
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "kernels/bench.h"
#include "kernels/npy_file.h"
#include "kernels/parallel.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX declares it nowhere

namespace opledger {
namespace {

// Arguments: the model, threads, runs, and for each input its name and file.
constexpr const char* kProgram = R"py(
import sys, time
try:
    import numpy, onnxruntime
except ImportError as error:
    print("problem", error)
    sys.exit()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[2])
options.inter_op_num_threads = 1
options.log_severity_level = 4
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
begin = time.process_time()
try:
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    given = dict(zip(sys.argv[4::2], map(numpy.load, sys.argv[5::2])))
    plan = time.process_time() - begin
    session.run(None, given)
    runs = []
    for _ in range(int(sys.argv[3])):
        begin = time.process_time()
        session.run(None, given)
        runs.append(time.process_time() - begin)
    print(sorted(runs)[len(runs) // 2], plan)
except Exception as error:
    print("problem", str(error).splitlines()[0])
)py";

// What a program prints; none: it could not be started.
std::optional<std::string> OutputOf(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; failed == 0 && (got = read(ends[0], piece.data(), piece.size())) > 0;) {
    output.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (failed != 0) return std::nullopt;
  waitpid(child, nullptr, 0);
  return output;
}

// A new folder that goes with this.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "opledger-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::optional<Timing> TimeOnnxRuntime(const std::string& python, const std::string& model,
                                      const ModelInputs& inputs, const BenchOptions& options,
                                      std::string& problem) {
  const TemporaryFolder folder;
  std::vector<std::string> command = {python,
                                      "-c",
                                      kProgram,
                                      model,
                                      std::to_string(Threads()),
                                      std::to_string(std::max(1, options.runs))};
  for (const auto& [name, tensor] : inputs.tensors) {
    Diagnostics ignored;
    const std::string file = folder.path() + "/" + std::to_string(command.size()) + ".npy";
    if (folder.path().empty() || !WriteNpy(file, tensor.type, tensor.data.get(), ignored)) {
      problem = "its inputs could not be written to a temporary folder";
      return std::nullopt;
    }
    command.insert(command.end(), {name, file});
  }
  const auto output = OutputOf(command);
  if (!output) {
    problem = "'" + python + "' could not be started";
    return std::nullopt;
  }
  constexpr std::string_view kProblem = "problem ";
  Timing timing;
  const char* end = output->data() + output->size();
  const auto run = std::from_chars(output->data(), end, timing.run);
  if (run.ec != std::errc() || run.ptr == end ||
      std::from_chars(run.ptr + 1, end, timing.plan).ec != std::errc()) {
    problem = output->rfind(kProblem, 0) == 0
                  ? output->substr(kProblem.size(), output->find('\n') - kProblem.size())
                  : "'" + python + "' said nothing";
    return std::nullopt;
  }
  return timing;
}

}  // namespace opledger

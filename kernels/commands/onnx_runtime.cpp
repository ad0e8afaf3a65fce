// ONNX Runtime as a child: a Python program reads the inputs from files, runs the model, and says
// how many seconds a run took, of CPU time and by the clock.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <sstream>

#include "kernels/commands/commands.h"
#include "kernels/machine/parallel.h"
#include "kernels/tensor/npy_file.h"
#include "registry/platform/platform.h"

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
    runs, clock = [], []
    for _ in range(int(sys.argv[3])):
        begin, begun = time.process_time(), time.perf_counter()
        session.run(None, given)
        clock.append(time.perf_counter() - begun)
        runs.append(time.process_time() - begin)
    print(sorted(runs)[len(runs) // 2], sorted(clock)[len(clock) // 2], plan)
except Exception as error:
    print("problem", str(error).splitlines()[0])
)py";

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
  std::vector<std::string> command = {"-c", kProgram, model, std::to_string(Threads()),
                                      std::to_string(std::max(1, options.runs))};
  Diagnostics ignored;
  for (const auto& [name, tensor] : inputs.tensors) {
    const std::string file = folder.path() + "/" + std::to_string(command.size()) + ".npy";
    if (folder.path().empty() || !WriteNpy(file, tensor.type, tensor.data.get(), ignored)) {
      problem = "its inputs could not be written to a temporary folder";
      return std::nullopt;
    }
    command.insert(command.end(), {name, file});
  }
  std::string output;
  if (!RunProgram(python, command, output, ignored)) {
    problem = "'" + python + "' could not be started";
    return std::nullopt;
  }
  constexpr std::string_view kProblem = "problem ";
  Timing timing;
  std::istringstream numbers(output);
  numbers.imbue(std::locale::classic());
  if (!(numbers >> timing.run >> timing.elapsed >> timing.plan)) {
    problem = output.rfind(kProblem, 0) == 0
                  ? output.substr(kProblem.size(), output.find('\n') - kProblem.size())
                  : "'" + python + "' said nothing";
    return std::nullopt;
  }
  return timing;
}

}  // namespace opledger

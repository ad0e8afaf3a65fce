// Uses ONNX Runtime's I/O binding: inputs and outputs are bound once, and a run is one call. Python
// adds about a microsecond. If an output's rank differs from the model's declaration, ONNX Runtime
// does not reuse its buffer; such outputs are bound before each run.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/onnx_runtime.h"

namespace opledger {
namespace {

// Arguments: the model, the number of threads, and the name and file of each input.
constexpr const char* kProgram = R"py(
import sys, time

def say(*words):
    print(*words, flush=True)

def memory(key):
    for line in open("/proc/self/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024

def bind_outputs():
    binding.clear_binding_outputs()
    for output in session.get_outputs():
        binding.bind_output(output.name)

def run():
    if bind_again:
        bind_outputs()
    session.run_with_iobinding(binding)

def timed(least):
    run()
    runs, clock = [], []
    while len(runs) < least or sum(runs) < 5e-3:
        begin, begun = time.process_time(), time.perf_counter()
        run()
        clock.append(time.perf_counter() - begun)
        runs.append(time.process_time() - begin)
    return sorted(runs)[len(runs) // 2], sorted(clock)[len(clock) // 2]

try:
    import numpy, onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(sys.argv[2])
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        open("/proc/self/clear_refs", "w").write("5")
        start = memory("VmRSS")
    except OSError:
        start = None
    begin = time.process_time()
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    plan = time.process_time() - begin
    binding = session.io_binding()
    for name, path in zip(sys.argv[3::2], sys.argv[4::2]):
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(numpy.load(path)))
    bind_again = False
    bind_outputs()
    run()
    try:
        run()
    except Exception:
        bind_again = True
        run()
    say("ready", plan, 0, onnxruntime.__version__)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            say("ran", *timed(int(words[1])))
        else:
            say("memory", "-" if start is None else memory("VmHWM") - start)
except Exception as error:
    say("problem", (str(error) or type(error).__name__).splitlines()[0])
)py";

}  // namespace

ChildProcess StartOnnxRuntime(const std::string& python, const std::string& model, int threads,
                              const std::vector<std::pair<std::string, std::string>>& inputs) {
  std::vector<std::string> arguments = {"-c", kProgram, model, std::to_string(threads)};
  for (const auto& [name, file] : inputs) arguments.insert(arguments.end(), {name, file});
  return {python, arguments};
}

}  // namespace opledger

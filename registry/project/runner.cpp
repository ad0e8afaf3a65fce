// Chooses the program that runs models. The oneDNN runner is started once before it is used:
// missing libraries are detected only after exec, when it is too late to use the other runner.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/runner.h"

#include <unistd.h>

#include <cstdlib>

#include "registry/platform/platform.h"
#include "registry/project/version.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

// Strips paths: "PROGRAM: error while loading shared libraries: WHY" and "PROGRAM: WHY (required by
// FILE)" become "WHY".
std::string WithoutPaths(std::string line) {
  for (const std::string& prefix : {SiblingProgram(kOnednnRunner) + ": ",
                                    std::string("error while loading shared libraries: ")}) {
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
  }
  return line.substr(0, line.find(" (required by "));
}

}  // namespace

OnednnRunner TryOnednnRunner() {
  OnednnRunner runner;
  runner.installed = access(SiblingProgram(kOnednnRunner).c_str(), F_OK) == 0;
  if (!runner.installed) return runner;
  SiblingStreams streams;
  std::string said;
  streams.said = [&said](std::string_view line) {
    if (said.empty()) said = line;
  };
  std::string output;
  Diagnostics messages;
  const auto status = RunSibling(kOnednnRunner, {"--version"}, output, messages, streams);
  if (status != 0) {
    if (said.empty() && !messages.all().empty()) said = messages.all().front().message;
    runner.problem = said.empty() ? "it exits with an error" : WithoutPaths(said);
    return runner;
  }
  const std::string line = output.substr(0, output.find('\n'));
  runner.version = line.substr(line.find(' ') + 1);
  if (!runner.version.starts_with(Version() + std::string(","))) {
    runner.problem = "its version differs: " + runner.version;
  }
  return runner;
}

std::string ChooseRunner() {
  // Otherwise both runners would restart to set it (LetOpenMpSleep in kernels/machine).
  if (std::getenv("GOMP_SPINCOUNT") == nullptr) setenv("OMP_WAIT_POLICY", "passive", 0);
  const OnednnRunner runner = TryOnednnRunner();
  return runner.installed && runner.problem.empty() ? kOnednnRunner : kRunner;
}

}  // namespace opledger

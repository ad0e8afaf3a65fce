// What a process gives up before it reads what others wrote, so that a mistake in a parser, ours or
// Clang's, costs one file: other files to read, all writing, running programs, the network. By
// Landlock and seccomp, each where the kernel has it; without them the process runs on as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct Sandbox {
  std::vector<std::string>
      read;  // folders with all below them, and files; those not there are none
  std::vector<std::string> write;  // the same; they can be read, too
  bool runs_programs = false;      // and starts processes, by which they are in the sandbox as well
};

// For good, and for all processes that this one starts.
void EnterSandbox(const Sandbox& sandbox);

// For a program that reads what its command line names: the folders of those files, the working
// folder, our own data, and what the system says of itself. It writes into the folders of
// `outputs` (empty ones stand for none) and into `cache`.
Sandbox SandboxOf(const std::vector<std::string>& words, const std::vector<std::string>& outputs,
                  const std::string& cache);

// What this kernel has: "Landlock 7, seccomp", "none".
std::string SandboxOfKernel();

}  // namespace opledger

// What a process gives up before it reads what others wrote, so that a mistake in a parser, ours or
// Clang's, costs one file: other files to read, all writing, other programs, the network. By
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
  bool computes = false;           // makes machine code, and binds threads to processors
  bool becomes_program = false;    // which is in the sandbox as well; no process is started
};

// For good, for all threads that are started from here on, and the program that this one becomes.
void EnterSandbox(const Sandbox& sandbox);

// For a program that reads what its command line names: the folders of those files, our own data,
// and what the system says of itself; of the current folder only what is named. `values`: what
// ValuesOf() gives. It writes into the folders of `outputs` (empty ones stand for none) and into
// `cache`, a folder that is made, or empty.
Sandbox SandboxOf(const std::vector<std::string>& values, const std::vector<std::string>& outputs,
                  const std::string& cache);

// Lets it read a precision list that is named, and the lists which that extends: they may lie
// anywhere below the current folder. `list` may be empty.
void AddList(const std::string& list, Sandbox& sandbox);

// What this kernel has: "Landlock 7, seccomp", "none".
std::string SandboxOfKernel();

}  // namespace opledger

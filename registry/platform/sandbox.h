// Gives up privileges before reading untrusted files, so that a bug in a parser (opledger's or
// Clang's) affects only one file: reading other files, writing, running programs and network access
// are forbidden. Uses Landlock and seccomp as far as the kernel supports them; without them, the
// process continues unrestricted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct Sandbox {
  std::vector<std::string> read;   // folders (recursively) and files; missing ones are ignored
  std::vector<std::string> write;  // likewise; these can also be read
  bool computes = false;           // generates machine code and binds threads to processors
  bool becomes_program = false;  // execs a program, which stays in the sandbox; starts no processes
};

// Enters the sandbox permanently, for all threads started afterward and for the program that this
// process execs.
void EnterSandbox(const Sandbox& sandbox);

// Returns the sandbox of a program that reads the files on its command line. It may read the
// folders of these files, opledger's data, and information about the system, but nothing else in
// the current folder. `values` is the result of ValuesOf(). It may write to the folders of
// `outputs` (empty names are ignored) and to the folder `cache` (created if needed; may be empty).
Sandbox SandboxOf(const std::vector<std::string>& values, const std::vector<std::string>& outputs,
                  const std::string& cache);

// Allows reading a precision list and the lists that it extends, which may be anywhere below the
// current folder. `list` may be empty.
void AddList(const std::string& list, Sandbox& sandbox);

// Describes the kernel's support: "Landlock 7, seccomp", "none".
std::string SandboxOfKernel();

}  // namespace opledger

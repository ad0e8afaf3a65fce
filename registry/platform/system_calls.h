// Restricts the system calls of a process in the sandbox to a list that depends on its task. All
// others fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// Tasks besides reading files and writing to open files, which every process in the sandbox may do.
struct AllowedWork {
  bool writes_files = false;     // creates, renames and removes files, and sets their attributes
  bool computes = false;         // generates machine code and binds threads to processors
  bool becomes_program = false;  // execs another program; starts no processes
};

// Restricts the process permanently, including threads that this one starts later and a program
// that the process execs. Requires PR_SET_NO_NEW_PRIVS. Refused calls fail with EPERM; calls newer
// than Linux 5.0 fail with ENOSYS, which makes C libraries use older ones. Returns false if the
// kernel has no filters or they are not implemented for this processor.
bool AllowSystemCalls(const AllowedWork& work);

// Returns whether filters are available on this kernel and processor.
bool HasSystemCallFilters();

}  // namespace opledger

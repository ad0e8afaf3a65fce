// Which system calls a process may make in the sandbox: a list of those that are allowed, by what
// the process is there for. All others fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// Beside reading files and writing to what is open, which every process in the sandbox does.
struct AllowedWork {
  bool writes_files = false;     // makes, renames and removes them, and sets what belongs to them
  bool computes = false;         // makes machine code, and binds threads to processors
  bool becomes_program = false;  // replaces itself by another; starts no process
};

// For good, for all threads that this one starts, and for a program that the process becomes. Only
// after PR_SET_NO_NEW_PRIVS. Refused calls fail with EPERM, those newer than Linux 5.0 with ENOSYS,
// by which C libraries know that an older one is to be used. False: the kernel has no filters, or
// they are not known for this processor.
bool AllowSystemCalls(const AllowedWork& work);

// Whether this kernel and this processor have such filters.
bool HasSystemCallFilters();

}  // namespace opledger

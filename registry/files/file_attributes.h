// Who may do what with a file: its mode, owner, extended attributes and access-control list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

namespace opledger {

// Gives the file `to` what the file `from`, whose status is `status`, has. The owner stays where
// only the superuser may change it, and so do attributes of the system (security.*, trusted.*).
// `from` -1: mode and owner only. False with errno set.
bool CopyAttributes(int from, const struct stat& status, int to);

// The mode that open() would give a new file in the folder: 0666 without what the process's mask or
// the folder's default access-control list takes away.
mode_t ModeOfNewFile(int folder);

}  // namespace opledger

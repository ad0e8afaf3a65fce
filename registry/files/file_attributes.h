// Who may do what with a file: its mode, owner, extended attributes and access-control list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <string>

namespace opledger {

// Gives the file `to` what the file `from`, whose status is `status`, has. The owner stays where
// only the superuser may change it, and so do attributes of the system (security.*, trusted.*). If
// the group cannot be kept, the other one gets no more than everybody has.
// `from` -1: mode and owner only. False with errno set.
bool CopyAttributes(int from, const struct stat& status, int to);

// The permissions of the file, of `other` where that is not there, and all where neither is: what
// is made of a file that not everybody may read is nothing for everybody either.
mode_t PermissionsOf(const std::string& path, const std::string& other = {});

// The mode that open() would give a new file in the folder: 0666 without what the process's mask or
// the folder's default access-control list takes away.
mode_t ModeOfNewFile(int folder);

}  // namespace opledger

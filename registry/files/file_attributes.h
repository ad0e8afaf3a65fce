// Copies the owner, mode, extended attributes and access-control list of a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <string>

namespace opledger {

// Copies the attributes of the file `from`, whose status is `status`, to the file `to`. The owner
// is not copied unless this process may do so; nor are system attributes (security.*, trusted.*).
// If the group cannot be copied, the file's group gets no more permissions than others have. If
// `from` is -1, copies only mode and owner. Returns false and sets errno on failure.
bool CopyAttributes(int from, const struct stat& status, int to);

// Returns the permissions of the file, or those of `other` if the file does not exist, or 0777 if
// neither exists. Used for files derived from `path`, so that they are no more accessible than it
// is.
mode_t PermissionsOf(const std::string& path, const std::string& other = {});

// Returns the mode that open() would give a new file in the folder: 0666 reduced by the umask or by
// the folder's default access-control list.
mode_t ModeOfNewFile(int folder);

}  // namespace opledger

// Copies ownership and permissions of files. Access-control lists are extended attributes in a
// layout defined by the kernel (include/uapi/linux/posix_acl_xattr.h): a version, then entries of
// tag, permissions and id.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/file_attributes.h"

#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace opledger {
namespace {

constexpr mode_t kWanted = 0666;  // mode requested for a new file
constexpr const char* kAccessList = "system.posix_acl_access";
constexpr const char* kDefaultList = "system.posix_acl_default";

bool IsOfSystem(std::string_view name) {
  return name.starts_with("security.") || name.starts_with("trusted.");
}

// Returns nullopt and sets errno on failure.
std::optional<std::string> ReadAttribute(int file, const char* name) {
  const ssize_t size = fgetxattr(file, name, nullptr, 0);
  if (size < 0) return std::nullopt;
  std::string value(static_cast<std::size_t>(size), '\0');
  const ssize_t count = fgetxattr(file, name, value.data(), value.size());
  if (count < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(count));
  return value;
}

bool CopyExtended(int from, int to) {
  const ssize_t size = flistxattr(from, nullptr, 0);
  // The file system has no attributes, or a sandbox does not support the call.
  if (size < 0) return errno == EOPNOTSUPP || errno == ENOSYS || errno == EPERM;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t listed = flistxattr(from, names.data(), names.size());
  if (listed < 0) return false;
  names.resize(static_cast<std::size_t>(listed));
  // Removes what the folder's default list gave the new file. The list of the old file is copied
  // below.
  fremovexattr(to, kAccessList);
  for (std::size_t at = 0; at < names.size(); at += std::strlen(names.c_str() + at) + 1) {
    const char* const name = names.c_str() + at;
    const std::optional<std::string> value = ReadAttribute(from, name);
    if (!value && errno == ENODATA) continue;  // removed in the meantime
    const bool copied = value && fsetxattr(to, name, value->data(), value->size(), 0) == 0;
    if (!copied && !IsOfSystem(name)) return false;
  }
  return true;
}

enum Tag : std::uint16_t { kOwner = 1, kGroup = 4, kMask = 16, kOthers = 32 };

std::uint16_t Half(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) |
                                    static_cast<unsigned char>(bytes[at + 1]) << 8);
}

// Returns the part of `mode` that a default access-control list permits.
mode_t ModeBy(std::string_view list, mode_t mode) {
  constexpr std::size_t kHeader = 4;
  constexpr std::size_t kEntry = 8;
  mode_t owner = 7;
  mode_t group = 7;
  mode_t others = 7;
  bool masked = false;
  for (std::size_t at = kHeader; at + kEntry <= list.size(); at += kEntry) {
    const std::uint16_t tag = Half(list, at);
    const mode_t permissions = Half(list, at + 2) & 7U;
    if (tag == kOwner) owner = permissions;
    if (tag == kMask || (tag == kGroup && !masked)) group = permissions;
    masked = masked || tag == kMask;
    if (tag == kOthers) others = permissions;
  }
  return mode & (owner << 6 | group << 3 | others);
}

}  // namespace

bool CopyAttributes(int from, const struct stat& status, int to) {
  const bool owned = fchown(to, status.st_uid, status.st_gid) == 0;
  // The group can be set if this user is a member of it.
  if (!owned && fchown(to, static_cast<uid_t>(-1), status.st_gid) != 0 && errno != EPERM &&
      errno != ENOSYS && errno != EOPNOTSUPP) {
    return false;
  }
  if (from >= 0 && !CopyExtended(from, to)) return false;
  mode_t mode = status.st_mode & (owned ? 07777 : 0777);
  struct stat now = {};
  if (fstat(to, &now) != 0) return false;
  // A different group gets no more permissions than others have.
  constexpr mode_t kGroupBits = 070;
  if (now.st_gid != status.st_gid) mode &= ~kGroupBits | (mode & 07) << 3;
  // Last, because changing the owner clears bits, and an access-control list sets others.
  return fchmod(to, mode) == 0;
}

mode_t PermissionsOf(const std::string& path, const std::string& other) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 && stat(other.c_str(), &status) != 0) return 0777;
  return status.st_mode & 0777;
}

mode_t ModeOfNewFile(int folder) {
  const std::optional<std::string> list = ReadAttribute(folder, kDefaultList);
  if (list) return ModeBy(*list, kWanted);
  const mode_t mask = umask(077);  // the only way to read it is to set it
  umask(mask);
  return kWanted & ~mask;
}

}  // namespace opledger

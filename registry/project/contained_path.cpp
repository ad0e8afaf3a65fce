// Checks that paths named in files stay inside the root.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/contained_path.h"

#include <filesystem>

#include "registry/source/source.h"

namespace opledger {

bool IsInside(const std::string& path, const std::string& root) {
  const Source current = DiskSource();
  return current.At(root.empty() ? "." : root).Holds(current.Absolute(path));
}

bool IsRelative(const std::string& written) {
  return !written.empty() && written.front() != '/' && written.find('\0') == std::string::npos;
}

bool StaysBelow(const std::string& written) {
  if (!IsRelative(written)) return false;
  const std::filesystem::path normal = std::filesystem::path(written).lexically_normal();
  return *normal.begin() != "..";
}

}  // namespace opledger

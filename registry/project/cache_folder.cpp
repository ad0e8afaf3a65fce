// Finds the cache folder by the XDG Base Directory Specification.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/cache_folder.h"

#include <cstdlib>

namespace opledger {
namespace {

// Returns the value of a variable that holds an absolute path. Other values must be ignored.
std::string AbsoluteVariable(const char* name) {
  const char* const set = std::getenv(name);
  return set != nullptr && *set == '/' ? set : "";
}

}  // namespace

CacheFolder FindCacheFolder() {
  constexpr const char* kOwn = "OPLEDGER_CACHE_DIR";
  if (const char* set = std::getenv(kOwn); set != nullptr && *set != '\0') return {set, kOwn};
  if (const std::string cache = AbsoluteVariable("XDG_CACHE_HOME"); !cache.empty()) {
    return {cache + "/opledger", "XDG_CACHE_HOME"};
  }
  if (const std::string home = AbsoluteVariable("HOME"); !home.empty()) {
    return {home + "/.cache/opledger", "HOME"};
  }
  return {};
}

std::string CacheFolderOf(const char* program) {
  const std::string all = FindCacheFolder().path;
  return all.empty() ? all : all + '/' + program;
}

}  // namespace opledger

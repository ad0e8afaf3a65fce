// The files of a project in a git revision or in the index.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "checker/git/git.h"
#include "registry/source/source.h"

namespace opledger {

inline constexpr std::size_t kLargestSetting = std::size_t{64} << 20U;  // bytes

struct RevisionSource {
  Source source;  // its root is that of the project
  std::vector<Submodule> submodules;
};

// `root` is that of the project. `keep`: cache the listings of submodules. Returns nullopt, with an
// error, if git fails.
std::optional<RevisionSource> OpenRevision(const std::string& root, const std::string& revision,
                                           bool keep, Diagnostics& diagnostics);
std::optional<RevisionSource> OpenIndex(const std::string& root, bool keep,
                                        Diagnostics& diagnostics);

}  // namespace opledger

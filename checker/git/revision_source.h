// The files of a project as a git revision has them, or as they are staged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "checker/git/git.h"
#include "registry/source/source.h"

namespace opledger {

inline constexpr std::size_t kLargestSetting = std::size_t{64}
                                               << 20U;  // bytes, of lists and the like

struct RevisionSource {
  Source source;  // its root is the project's
  std::vector<Submodule> submodules;
};

// `root`: the project's. None, with an error, where git cannot say. `keep`: what git said of
// submodules is kept in the cache.
std::optional<RevisionSource> OpenRevision(const std::string& root, const std::string& revision,
                                           bool keep, Diagnostics& diagnostics);
std::optional<RevisionSource> OpenIndex(const std::string& root, bool keep,
                                        Diagnostics& diagnostics);

}  // namespace opledger

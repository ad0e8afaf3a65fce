// Holds a manifest against a list of names that somebody else made: what is missing, what is extra.
//   ["Abs", "Add"] + operators Abs, Acos  ->  recall 0.500, precision 0.500, two places
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

struct Verdict {
  bool equal = false;
  std::string text;  // for people: the differences with their places, then a line of figures
};

// `path` holds a JSON array of strings: operators or aliases, or all of them with a version
// ("Abs-13"). An exempt operator may be in the list, and need not be; nor need one that is not
// registered in a file of `among` (globs), where there are any. None, with a diagnostic, where the
// file is no such array.
std::optional<Verdict> Verify(const Manifest& manifest, const std::string& path,
                              const std::vector<std::string>& among, Diagnostics& diagnostics);

}  // namespace opledger::scan

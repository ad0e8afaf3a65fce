// The files that `opledger init` writes: a project file in which every key is explained, with what
// holds where it is not given, and lists to start from. JSON has no comments: explanations stand in
// "$comment", which every reader here skips.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"

namespace opledger {

// `dialect_choice` is the name or path that goes into the file; `lists` are paths.
std::string StarterProjectFile(const std::string& dialect_choice, const Dialect& dialect,
                               const std::vector<std::string>& off,
                               const std::vector<std::string>& lists);

// A list without an entry. `unlisted` as in the list.
std::string StarterList(const std::string& framework, const std::string& dtype,
                        const std::string& unlisted);

// The text of a shipped list with its "unlisted": a line more, where it has none.
std::string WithUnlisted(std::string text, const std::string& unlisted);

}  // namespace opledger

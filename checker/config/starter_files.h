// The files that `opledger init` writes: a project file in which every key is explained with its
// default, and lists to start from. JSON has no comments, so explanations are in "$comment", which
// all readers skip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"

namespace opledger {

// `dialect_choice` is the name or path to write. `off` are rules to turn off; `lists` are paths.
std::string StarterProjectFile(const std::string& dialect_choice, const Dialect& dialect,
                               const std::vector<std::string>& off,
                               const std::vector<std::string>& lists);

// Returns a list without entries. `unlisted` is written as given.
std::string StarterList(const std::string& framework, const std::string& dtype,
                        const std::string& unlisted);

// Returns the text of a shipped list with "unlisted" added, or unchanged if it has one.
std::string WithUnlisted(std::string text, const std::string& unlisted);

}  // namespace opledger

// What the lists of other frameworks teach: how far each kind of clue can be trusted, and which
// policies go with which clues. File: registry/habits/policies.json, which
// tests/checker/suggestions_test.py makes; schemas/policy-habits.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "checker/candidates/classified_list.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The fewest operators with a clue that is worth keeping.
inline constexpr double kFewestWithClue = 2;

struct Habits {
  std::array<double, kClueKindCount> weights = {};  // none is negative
  PolicyCounts operators = {};                      // every framework's lists share a vote each
  std::map<Clue, PolicyCounts> clues;               // only what is shared among frameworks
};

std::string WriteHabits(const Habits& habits);
// The shipped ones.
std::optional<Habits> ReadHabits(Diagnostics& diagnostics);
std::optional<Habits> ParseHabits(std::string path, std::string text, Diagnostics& diagnostics);

}  // namespace opledger

// Suggests names ("did you mean") by edit distance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// Returns the optimal string alignment distance (insertions, deletions, replacements, swaps of
// adjacent characters), or `limit` + 1 if it is greater than `limit`.
int EditDistance(std::string_view a, std::string_view b, int limit);

// Returns the name in lower case without '_' and '-'. Names with the same key differ only in naming
// style: "LayerNorm", "layer_norm" -> "layernorm".
std::string SpellingKey(std::string_view name);

// Returns the first of the known names nearest to `word`, within two edits (one edit for words of
// up to four letters), or nullopt. Names with the same spelling key have distance 0.
std::optional<std::string> NearestName(std::string_view word,
                                       const std::vector<std::string>& known);

// Returns "did you mean 'X'?", or an empty string.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

// Like DidYouMean. If no name is near, suggests up to three names that begin with the word or
// contain it between separators: "stale" -> "did you mean 'stale-entry'?". For small sets of words,
// such as rules; too many operators begin alike.
std::string Proposal(std::string_view word, const std::vector<std::string>& known);

// Like Proposal. If nothing fits, returns "it can be A, B or C", or an empty string if there are no
// choices.
std::string ChoiceHint(std::string_view word, const std::vector<std::string>& choices);

}  // namespace opledger

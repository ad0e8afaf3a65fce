// "did you mean": the nearest of some known names, by edit distance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// Optimal string alignment distance (insert, delete, replace, swap of neighbours), or `limit` + 1
// when it is greater than `limit`.
int EditDistance(std::string_view a, std::string_view b, int limit);

// What remains of a name without case, '_' and '-': names of one spelling key differ by their
// naming pattern alone. "LayerNorm", "layer_norm" -> "layernorm"
std::string SpellingKey(std::string_view name);

// The known name nearest to `word` within two edits (one, for words of up to four letters);
// the first of equals. Names of one spelling key have no distance.
std::optional<std::string> NearestName(std::string_view word,
                                       const std::vector<std::string>& known);

// "did you mean 'X'?", or empty.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

// The same, or where nothing is near up to three names that begin with the word, or else have it
// between their '-' or '_': "stale" -> "did you mean 'stale-entry'?". For words that a user chooses
// among some dozens, such as rules; of operators too many begin alike.
std::string Proposal(std::string_view word, const std::vector<std::string>& known);

// The same, or where nothing fits "it can be A, B or C"; empty where there are none.
std::string ChoiceHint(std::string_view word, const std::vector<std::string>& choices);

}  // namespace opledger

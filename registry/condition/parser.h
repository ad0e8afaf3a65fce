// Parses an #if expression into a canonical tree (tree.h). Supports the whole grammar of C++
// preprocessor expressions. NAME(...) is an opaque atom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "registry/condition/tree.h"

namespace opledger {

// Returns nullptr if the text is not a valid expression. If it is deeper than kMaxConditionDepth,
// also sets `too_deep`.
ConditionTree ParseConditionTree(std::string_view text, bool* too_deep = nullptr);

// Returns the atom unparsable("TEXT") for text that cannot be parsed. The atom itself can be
// parsed.
ConditionTree UnparsableAtom(std::string_view text);
bool IsUnparsableAtom(std::string_view name);

// Returns the condition that the macro expands to the text: NAME == 3 for a number, otherwise the
// atom is(NAME,text).
ConditionTree ValueTree(std::string_view macro, std::string_view text);
// Returns the macro and the text of an is() atom, or nullopt for any other name.
std::optional<std::pair<std::string, std::string>> PartsOfValueAtom(std::string_view name);
// Returns the tokens of the text with only the spaces they need, as in atoms.
std::string CanonicalTokens(std::string_view text);

}  // namespace opledger

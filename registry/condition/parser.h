// Text of an #if expression -> canonical tree (tree.h). The whole of C++'s grammar for
// preprocessor expressions; NAME(...) is an opaque atom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "registry/condition/tree.h"

namespace opledger {

// Returns nullptr if the text is no valid expression, or one deeper than kMaxConditionDepth, which
// sets `too_deep`.
ConditionTree ParseConditionTree(std::string_view text, bool* too_deep = nullptr);

// An atom for text that cannot be parsed: unparsable("TEXT"), which can.
ConditionTree UnparsableAtom(std::string_view text);
bool IsUnparsableAtom(std::string_view name);

// That the macro expands to the text: NAME == 3 for a number, else the atom is(NAME,text).
ConditionTree ValueTree(std::string_view macro, std::string_view text);
// The macro and the text of such an atom.
std::optional<std::pair<std::string, std::string>> PartsOfValueAtom(std::string_view name);
// The tokens of a text without blanks where none is needed, which is how atoms are written.
std::string CanonicalTokens(std::string_view text);

}  // namespace opledger

// Text of an #if expression -> canonical tree (tree.h). The whole of C++'s grammar for
// preprocessor expressions; NAME(...) is an opaque atom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/condition/tree.h"

namespace opledger {

// None (nullptr) where the text is no valid expression, or one deeper than kMaxConditionDepth.
ConditionTree ParseConditionTree(std::string_view text);

// An atom for text that cannot be parsed: unparsable("TEXT"), which can.
ConditionTree UnparsableAtom(std::string_view text);
bool IsUnparsableAtom(std::string_view name);

}  // namespace opledger

// Tokens of an #if expression. Comments, line continuations and white space separate tokens.
//   defined(A) && B >= 0x10  ->  identifier punctuator identifier punctuator punctuator ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/condition/tree.h"

namespace opledger {

struct ConditionToken {
  enum class Kind { kIdentifier, kNumber, kCharacter, kString, kPunctuator, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // C++'s alternative spellings already replaced: "&&" for `and`
};

// Returns the tokens followed by kEnd, or nullopt if a literal or a comment is unterminated.
std::optional<std::vector<ConditionToken>> LexCondition(std::string_view text);

// Parses 0x1F, 0b1, 017, 1'000, 201703L, 1ull. Returns nullopt for floating-point numbers, invalid
// digits and values over 64 bits.
std::optional<ConditionInteger> ParseInteger(std::string_view number);

// Parses 'a', '\n', '\x41', 'ab', L'a' (prefixed literals must be ASCII), with GCC's values.
std::optional<ConditionInteger> ParseCharacter(std::string_view literal);

// Returns whether `c` is a letter, digit, underscore, dollar sign or part of a UTF-8 sequence.
bool IsIdentifierByte(char c);

}  // namespace opledger

// Tokens as the matcher keeps them, and their canonical text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/TokenKinds.h"

namespace opledger::scan {

struct TextToken {
  clang::tok::TokenKind kind;
  std::string text;
  clang::SourceLocation location;
};

using TokenSpan = std::span<const TextToken>;

// "ElemwiseType<1, 1>": a space after a comma and between words, what stands in braces as {...}.
std::string CanonicalText(TokenSpan tokens);

// The tokens as one text, with a space between words only; what stands in braces included.
std::string DenseText(TokenSpan tokens);

// The value of string literals, joined, parentheses around them allowed; none for anything else.
std::optional<std::string> StringValue(TokenSpan tokens);

// The string literals after the `return` that has most of them; without `return`, all of them.
std::string ReturnedStrings(TokenSpan tokens);

// Splits at commas that stand in no bracket, template arguments included.
std::vector<TokenSpan> SplitArguments(TokenSpan tokens);

// The raw tokens of a text.
std::vector<TextToken> RawTokens(const std::string& text);

bool OpensBracket(clang::tok::TokenKind kind);  // ( [ {
bool ClosesBracket(clang::tok::TokenKind kind);

// Where the bracket that opens at `open` closes; the end where it does not.
std::size_t ClosingBracket(TokenSpan tokens, std::size_t open);

// The calls in `tokens` of functions named in `wanted`, as tokens: "f ( a , b ) ; g ( c ) ;".
std::string CallsOf(TokenSpan tokens, const std::vector<std::string>& wanted);

// The argument of that index, counted from 0; empty where there is none.
TokenSpan ArgumentAt(const std::vector<TokenSpan>& arguments, int index);

}  // namespace opledger::scan

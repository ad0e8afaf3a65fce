// The tokens of a file without directives, for the analysis of reachable code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

template <typename List>
bool IsIn(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Words that begin a statement that leaves the enclosing block.
inline constexpr std::string_view kLeaving[] = {"return", "co_return", "throw",
                                                "break",  "continue",  "goto"};

// The tokens of some branches of a file, with brackets matched. Tokens have indices. Text() of an
// index out of range is empty.
class CodeView {
 public:
  // `branches`: the branch of each token.
  CodeView(TokenSpan all, const std::vector<int>& branches, const Outline& outline, int branch);

  int size() const { return static_cast<int>(tokens_.size()); }
  std::string_view Text(int at) const {
    return at < 0 || at >= size() ? std::string_view() : tokens_[at]->text;
  }
  bool Is(int at, std::string_view text) const { return Text(at) == text; }
  bool IsName(int at) const;
  Offset OffsetOf(int at) const { return tokens_[at]->begin; }
  // Returns the token at the offset, or -1 if no token begins there.
  int Find(Offset place) const;
  // Returns the matching bracket, size() if it is missing, or `at` if the token is not a bracket.
  int Partner(int at) const { return partners_[at]; }
  // Returns the innermost open bracket around the token, or -1 if there is none.
  int Parent(int at) const { return parents_[at]; }
  // Returns the next token, skipping the brackets that this token opens.
  int Next(int at) const;
  // Returns whether all brackets before the token are matched.
  bool IsPairedTo(int at) const { return at < unpaired_; }
  // Returns whether lines left out after `begin` and before `end` may be more than whole
  // statements.
  bool HasGap(int begin, int end) const;
  // Returns the places where lines left out before the token have a statement that begins with
  // kLeaving.
  const std::vector<Offset>& LeavingBefore(int at) const;

 private:
  void AddGap(TokenSpan left_out);
  void Pair();

  std::vector<const TextToken*> tokens_;
  std::vector<int> partners_;
  std::vector<int> parents_;
  std::vector<int> gaps_;  // tokens before which an unclear part was left out
  std::map<int, std::vector<Offset>> leaving_;
  int unpaired_;
};

class SourceCode {
 public:
  SourceCode(std::string_view text, const Outline& outline);

  const std::vector<TextToken>& tokens() const { return text_.tokens; }
  // Returns the tokens that are present if the branch is: its own, and those of the branches around
  // it.
  const CodeView& View(int branch);
  const CodeView& ViewAt(Offset place) { return View(outline_.BranchAt(place)); }
  // Returns the tokens with this text, as indices into tokens().
  const std::vector<int>& Mentions(std::string_view text);

 private:
  const Outline& outline_;
  LexedText text_;
  std::vector<int> branches_;  // of each token
  std::map<int, std::unique_ptr<CodeView>> views_;
  std::map<std::string_view, std::vector<int>> mentions_;
};

// Returns the token after the statement that begins at `at`, at most `limit`.
int StatementEnd(const CodeView& view, int at, int limit);

// Returns the token after the label (case 1:, default:, name:) at `at`, or `at` if there is none.
int LabelEnd(const CodeView& view, int at);

// Returns whether code from `begin` to `end` has a label, or a case of a switch around it, and so
// may be jumped to.
bool HasLabel(const CodeView& view, int begin, int end);

// Returns whether there is a goto, or a case that is not directly in the braces of its switch.
// Loops and unreachable code may then be entered in the middle.
bool HasJumpInto(const CodeView& view, int begin, int end);

// The parts of an if statement.
struct IfParts {
  int condition = 0;  // its '('
  int then = 0;
  int otherwise = 0;  // 0 if there is no else
  int end = 0;
};
IfParts PartsOfIf(const CodeView& view, int at, int limit);

}  // namespace opledger::scan

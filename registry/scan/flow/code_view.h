// The tokens of a file for the analysis of what runs, without the lines of directives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

template <typename List>
bool IsIn(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// What begins a statement that leaves what is around it.
inline constexpr std::string_view kLeaving[] = {"return", "co_return", "throw",
                                                "break",  "continue",  "goto"};

// The tokens of some branches of a file, with their brackets matched. Tokens are numbered; outside
// of them all texts are empty.
class CodeView {
 public:
  // `branches`: of each token.
  CodeView(TokenSpan all, const std::vector<int>& branches, const Outline& outline, int branch);

  int size() const { return static_cast<int>(tokens_.size()); }
  std::string_view Text(int at) const {
    return at < 0 || at >= size() ? std::string_view() : tokens_[at]->text;
  }
  bool Is(int at, std::string_view text) const { return Text(at) == text; }
  bool IsName(int at) const;
  Offset OffsetOf(int at) const { return tokens_[at]->begin; }
  // The token at the place; -1: none begins there.
  int Find(Offset place) const;
  // The bracket that belongs to the one at `at`, size() if there is none; of others, `at`.
  int Partner(int at) const { return partners_[at]; }
  // The innermost open bracket around the token; -1: none.
  int Parent(int at) const { return parents_[at]; }
  // Behind the token, or behind the brackets that it opens.
  int Next(int at) const;
  // Whether all brackets before the token are paired.
  bool IsPairedTo(int at) const { return at < unpaired_; }
  // Whether lines left out after `begin` and before `end` may be more than whole statements.
  bool HasGap(int begin, int end) const;
  // Where lines left out right before the token hold a statement that begins with kLeaving.
  const std::vector<Offset>& LeavingBefore(int at) const;

 private:
  void AddGap(TokenSpan left_out);
  void Pair();

  std::vector<const TextToken*> tokens_;
  std::vector<int> partners_;
  std::vector<int> parents_;
  std::vector<int> gaps_;  // tokens before which something unclear was left out
  std::map<int, std::vector<Offset>> leaving_;
  int unpaired_;
};

class SourceCode {
 public:
  SourceCode(std::string_view text, const Outline& outline);

  const std::vector<TextToken>& tokens() const { return text_.tokens; }
  // What is there where this branch is: it and the ones around it.
  const CodeView& View(int branch);
  const CodeView& ViewAt(Offset place) { return View(outline_.BranchAt(place)); }
  // The tokens of this text, by number in tokens().
  const std::vector<int>& Mentions(std::string_view text);

 private:
  const Outline& outline_;
  LexedText text_;
  std::vector<int> branches_;  // of each token
  std::map<int, std::unique_ptr<CodeView>> views_;
  std::map<std::string_view, std::vector<int>> mentions_;
};

// Of the statement that begins at `at`: the token behind it, `limit` at most.
int StatementEnd(const CodeView& view, int at, int limit);

// The same of a label: case 1:, default:, name:. Where none begins it is `at`.
int LabelEnd(const CodeView& view, int at);

// Whether something from `begin` to `end` may be jumped to: a label, or a case of a switch around.
bool HasLabel(const CodeView& view, int begin, int end);

// Whether there is a goto, or a case that does not stand right in the braces of its switch, so that
// loops and dead code may be entered in their middle.
bool HasJumpInto(const CodeView& view, int begin, int end);

// The parts of an if.
struct IfParts {
  int condition = 0;  // its '('
  int then = 0;
  int otherwise = 0;  // 0: there is no else
  int end = 0;
};
IfParts PartsOfIf(const CodeView& view, int at, int limit);

}  // namespace opledger::scan

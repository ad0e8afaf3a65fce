// Lines of branches that are left out are usually whole statements. Records the places where they
// may not be.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/flow/code_view.h"

#include <algorithm>

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

std::string_view Closing(std::string_view open) {
  return open == "(" ? ")" : open == "[" ? "]" : "}";
}

// Replaces alternative tokens, such as digraphs and `and`, by the usual ones.
std::string_view Canonical(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kOther[] = {
      {"<%", "{"}, {"%>", "}"},  {"<:", "["},   {":>", "]"},
      {"%:", "#"}, {"or", "||"}, {"and", "&&"}, {"not", "!"}};
  for (const auto& [other, usual] : kOther) {
    if (text == other) return usual;
  }
  return text;
}

bool StartsStatement(std::string_view before) {
  return before.empty() || before == ";" || before == "{" || before == "}" || before == ":";
}

// Returns whether one of the statements, outside all brackets, begins with kLeaving.
bool HasLeaving(TokenSpan statements) {
  int depth = 0;
  bool starts = true;
  for (const TextToken& token : statements) {
    if (depth == 0 && starts && IsIn(kLeaving, token.text)) return true;
    depth += OpensBracket(token.kind);
    depth -= ClosesBracket(token.kind);
    starts = token.text == ";" || token.text == "}";
  }
  return false;
}

}  // namespace

CodeView::CodeView(TokenSpan all, const std::vector<int>& branches, const Outline& outline,
                   int branch) {
  std::vector<bool> taken(outline.branches.size(), false);
  for (int b = branch; b != kNoBranch; b = outline.branches[b].parent) taken[b] = true;
  for (std::size_t b = 0; b < taken.size(); ++b) {
    if (outline.branches[b].guard) taken[b] = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].directive) continue;
    if (branches[i] == kNoBranch || taken[branches[i]]) {
      tokens_.push_back(&all[i]);
      continue;
    }
    const std::size_t begin = i;
    while (i + 1 < all.size() && !all[i + 1].directive && branches[i + 1] == branches[begin]) {
      ++i;
    }
    AddGap(all.subspan(begin, i + 1 - begin));
  }
  Pair();
}

void CodeView::AddGap(TokenSpan left_out) {
  int depth = 0;
  bool inside = true;
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    depth += OpensBracket(left_out[i].kind);
    depth -= ClosesBracket(left_out[i].kind);
    inside = inside && depth >= 0;
    const bool jumps =
        left_out[i].Is("case") || left_out[i].Is("default") ||
        (left_out[i].Is(":") && i > 0 && (i == 1 || StartsStatement(left_out[i - 2].text)));
    inside = inside && !jumps;
  }
  const std::string_view before = Text(size() - 1);
  const std::string_view first = left_out.front().text;
  const std::string_view last = left_out.back().text;
  const bool statements = StartsStatement(before) && (last == ";" || last == "}");
  const bool items = (before == "," || before == "{" || before == "(") && last == ",";
  if (!inside || depth != 0 || (!statements && !items) || first == "else" || first == "while" ||
      first == "catch") {
    gaps_.push_back(size());
  } else if (statements && HasLeaving(left_out)) {
    leaving_[size()].push_back(left_out.front().begin);
  }
}

const std::vector<Offset>& CodeView::LeavingBefore(int at) const {
  static const std::vector<Offset> none;
  const auto found = leaving_.find(at);
  return found == leaving_.end() ? none : found->second;
}

void CodeView::Pair() {
  partners_.resize(tokens_.size());
  parents_.assign(tokens_.size(), -1);
  unpaired_ = size();
  std::vector<int> open;
  for (int i = 0; i < size(); ++i) partners_[i] = OpensBracket(tokens_[i]->kind) ? size() : i;
  for (int i = 0; i < size(); ++i) {
    const std::string_view text = Text(i);
    if (ClosesBracket(tokens_[i]->kind)) {
      if (open.empty() || text != Closing(Text(open.back()))) {
        unpaired_ = i;
        return;
      }
      partners_[open.back()] = i;
      partners_[i] = open.back();
      open.pop_back();
    }
    parents_[i] = open.empty() ? -1 : open.back();
    if (OpensBracket(tokens_[i]->kind)) open.push_back(i);
  }
  if (!open.empty()) unpaired_ = open.front();
}

bool CodeView::IsName(int at) const {
  return at >= 0 && at < size() && tokens_[at]->kind == tok::raw_identifier;
}

int CodeView::Find(Offset place) const {
  const auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), place,
                       [](const TextToken* token, Offset at) { return token->begin < at; });
  if (found == tokens_.end() || (*found)->begin != place) return -1;
  return static_cast<int>(found - tokens_.begin());
}

int CodeView::Next(int at) const {
  return at < 0 || at >= size() ? at + 1 : std::max(partners_[at], at) + 1;
}

bool CodeView::HasGap(int begin, int end) const {
  const auto next = std::upper_bound(gaps_.begin(), gaps_.end(), begin);
  return next != gaps_.end() && *next <= end;
}

SourceCode::SourceCode(std::string_view text, const Outline& outline)
    : outline_(outline), text_(text) {
  int branch = kNoBranch;
  bool moved = true;  // a directive was passed
  for (TextToken& token : text_.tokens) {
    moved = moved || token.directive;
    if (moved && !token.directive) {
      branch = outline.BranchAt(token.begin);
      moved = false;
    }
    token.text = Canonical(token.text);
    branches_.push_back(branch);
  }
}

const CodeView& SourceCode::View(int branch) {
  std::unique_ptr<CodeView>& view = views_[branch];
  if (view == nullptr) view = std::make_unique<CodeView>(text_.tokens, branches_, outline_, branch);
  return *view;
}

const std::vector<int>& SourceCode::Mentions(std::string_view text) {
  if (mentions_.empty()) {
    for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
      const TextToken& token = text_.tokens[i];
      if (!token.IsName() && !token.Is(tok::numeric_constant)) continue;
      mentions_[token.text].push_back(static_cast<int>(i));
    }
  }
  static const std::vector<int> none;
  const auto found = mentions_.find(text);
  return found == mentions_.end() ? none : found->second;
}

int LabelEnd(const CodeView& view, int at) {
  if (view.Is(at, "case")) {
    for (int i = at + 1, choices = 0; i < view.size(); i = view.Next(i)) {
      if (view.Is(i, ";") || view.Is(i, "}")) break;
      choices += view.Is(i, "?");
      if (view.Is(i, ":") && choices-- == 0) return i + 1;
    }
    return at;
  }
  return view.IsName(at) && view.Is(at + 1, ":") ? at + 2 : at;
}

IfParts PartsOfIf(const CodeView& view, int at, int limit) {
  IfParts parts;
  int i = at + 1;
  while (i < limit && !view.Is(i, "(") && !view.Is(i, "{")) ++i;  // skips constexpr, ! consteval
  parts.condition = i;
  parts.then = view.Is(i, "(") ? view.Next(i) : i;
  parts.end = StatementEnd(view, parts.then, limit);
  if (parts.end < limit && view.Is(parts.end, "else")) {
    parts.otherwise = parts.end + 1;
    parts.end = StatementEnd(view, parts.otherwise, limit);
  }
  return parts;
}

namespace {

// Returns the token after a declaration or expression. A block after a call ends it: MACRO(x) {...}
int ExpressionEnd(const CodeView& view, int at, int limit) {
  for (int i = at; i < limit;) {
    if (view.Is(i, ";")) return i + 1;
    if (view.Is(i, "}")) return i;
    const bool block = view.Is(i, "{");
    i = view.Next(i);
    if (block && i < limit && (view.IsName(i) || view.Is(i, "{"))) return i;
  }
  return limit;
}

int DoEnd(const CodeView& view, int at, int limit) {
  int i = StatementEnd(view, at + 1, limit);
  if (!view.Is(i, "while")) return i;
  i = view.Next(i + 1);
  return std::min(view.Is(i, ";") ? i + 1 : i, limit);
}

}  // namespace

int StatementEnd(const CodeView& view, int at, int limit) {
  while (view.Is(at, "[") && view.Is(at + 1, "[")) at = view.Next(at);
  if (at >= limit) return limit;
  const std::string_view text = view.Text(at);
  if (text == "{") return std::min(view.Next(at), limit);
  if (const int label = LabelEnd(view, at); label > at) return StatementEnd(view, label, limit);
  if (text == "if") return PartsOfIf(view, at, limit).end;
  if (text == "while" || text == "for" || text == "switch") {
    return view.Is(at + 1, "(") ? StatementEnd(view, view.Next(at + 1), limit) : limit;
  }
  if (text == "do") return DoEnd(view, at, limit);
  if (text == "else") return StatementEnd(view, at + 1, limit);
  if (text == "try") {
    int end = StatementEnd(view, at + 1, limit);
    while (end < limit && view.Is(end, "catch")) {
      end = StatementEnd(view, view.Next(end + 1), limit);
    }
    return end;
  }
  return ExpressionEnd(view, at, limit);
}

bool HasJumpInto(const CodeView& view, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    if (view.Is(i, "goto")) return true;
    const bool label = view.Is(i, "case") ||
                       (view.Is(i, "default") && !view.Is(i - 1, "=") && view.Is(i + 1, ":"));
    if (!label) continue;
    const int brace = view.Parent(i);
    const bool of_switch = brace > 0 && view.Is(brace, "{") && view.Is(brace - 1, ")") &&
                           view.Is(view.Partner(brace - 1) - 1, "switch");
    const bool governed = view.Is(i - 1, ")") || view.Is(i - 1, "else") || view.Is(i - 1, "do");
    if (!of_switch || governed) return true;
  }
  return false;
}

bool HasLabel(const CodeView& view, int begin, int end) {
  int own = begin;  // cases before this token belong to an inner switch
  for (int i = begin; i < end; ++i) {
    if (view.Is(i, "switch")) own = std::max(own, StatementEnd(view, i, end));
    if (i >= own && (view.Is(i, "case") || (view.Is(i, "default") && view.Is(i + 1, ":")))) {
      return true;
    }
    const std::string_view before = view.Text(i - 1);
    const bool starts = before == ";" || before == "{" || before == "}" || before == ")" ||
                        before == ":" || before == "else" || before == "do" || i == begin;
    if (starts && view.IsName(i) && view.Is(i + 1, ":") && !view.Is(i, "default") &&
        !view.Is(i, "public") && !view.Is(i, "private") && !view.Is(i, "protected")) {
      return true;
    }
  }
  return false;
}

}  // namespace opledger::scan

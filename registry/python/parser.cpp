// The parser's tokens and nodes; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser.h"

#include <algorithm>
#include <utility>

#include "registry/python/parser_state.h"

namespace opledger {
namespace {

constexpr int kMaxPythonHeight = 1000;

}  // namespace

std::optional<PythonTree> ParsePython(std::shared_ptr<const SourceText> source,
                                      Diagnostics& diagnostics) {
  std::optional<std::vector<PythonToken>> tokens = LexPython(*source, diagnostics);
  if (!tokens) return std::nullopt;
  return PythonParser(std::move(source), std::move(*tokens)).Run(false, diagnostics);
}

std::optional<PythonTree> ParsePythonStatements(std::shared_ptr<const SourceText> source,
                                                Diagnostics& diagnostics) {
  std::optional<std::vector<PythonToken>> tokens = LexPythonStatements(*source, diagnostics);
  if (!tokens) return std::nullopt;
  return PythonParser(std::move(source), std::move(*tokens)).Run(true, diagnostics);
}

PythonParser::PythonParser(std::shared_ptr<const SourceText> source,
                           std::vector<PythonToken> tokens)
    : source_(std::move(source)), tokens_(std::move(tokens)), tree_(source_) {}

std::optional<PythonTree> PythonParser::Run(bool tolerant, Diagnostics& diagnostics) {
  diagnostics_ = tolerant ? &diagnostics : nullptr;
  tree_.root_ = Module();
  if (!failed_) return std::move(tree_);
  Report(diagnostics);
  return std::nullopt;
}

void PythonParser::Report(Diagnostics& diagnostics) {
  source_->Report(Severity::kError, source_->At(place_.begin, place_.end), std::move(message_), "",
                  diagnostics);
}

const PythonToken& PythonParser::Ahead(std::size_t count) const {
  return tokens_[std::min(position_ + count, tokens_.size() - 1)];
}

bool PythonParser::IsOperator(std::string_view text) const {
  return Is(TokenKind::kOperator) && Current().text == text;
}

bool PythonParser::IsWord(std::string_view text) const {
  return Is(TokenKind::kName) && Current().text == text;
}

bool PythonParser::IsIdentifier() const {
  return Is(TokenKind::kName) && !IsPythonKeyword(Current().text);
}

void PythonParser::Advance() {
  const TokenKind kind = Current().kind;
  const bool structure = kind == TokenKind::kNewline || kind == TokenKind::kIndent ||
                         kind == TokenKind::kDedent || kind == TokenKind::kEnd;
  if (!structure) last_end_ = Current().end;
  if (position_ + 1 < tokens_.size()) ++position_;
}

bool PythonParser::AcceptOperator(std::string_view text) {
  if (!IsOperator(text)) return false;
  Advance();
  return true;
}

bool PythonParser::AcceptWord(std::string_view text) {
  if (!IsWord(text)) return false;
  Advance();
  return true;
}

void PythonParser::ExpectOperator(std::string_view text) {
  if (!AcceptOperator(text)) Fail("expected '" + std::string(text) + "'");
}

void PythonParser::ExpectWord(std::string_view text) {
  if (!AcceptWord(text)) Fail("expected '" + std::string(text) + "'");
}

std::string_view PythonParser::Identifier() {
  if (!IsIdentifier()) {
    Fail("expected a name");
    return {};
  }
  const std::string_view text = Current().text;
  Advance();
  return text;
}

PythonId PythonParser::Fail(std::string message) {
  const PythonToken& token = Current();
  return FailAt(token.begin, std::max(token.end, token.begin + 1), std::move(message));
}

PythonId PythonParser::FailAt(std::uint32_t begin, std::uint32_t end, std::string message) {
  if (!failed_) {
    failed_ = true;
    message_ = std::move(message);
    const auto size = static_cast<std::uint32_t>(source_->text().size());
    place_ = {std::min(begin, size), std::min(end, size)};
  }
  position_ = tokens_.size() - 1;
  return 0;
}

PythonParser::Mark PythonParser::Here() const {
  return {position_, tree_.nodes_.size(), tree_.children_.size(), last_end_};
}

void PythonParser::GoBack(const Mark& mark) {
  failed_ = false;
  position_ = mark.position;
  last_end_ = mark.last_end;
  tree_.nodes_.resize(mark.nodes);
  heights_.resize(mark.nodes);
  tree_.children_.resize(mark.children);
}

PythonId PythonParser::Add(PythonKind kind, std::uint32_t begin, std::string_view text,
                           std::span<const PythonId> children) {
  if (failed_) return 0;
  int height = 0;
  for (const PythonId child : children) height = std::max<int>(height, heights_[child]);
  PythonNode node;
  node.kind = kind;
  node.begin = begin;
  node.end = std::max(begin, last_end_);
  node.text = text;
  node.first_child = static_cast<std::uint32_t>(tree_.children_.size());
  node.child_count = static_cast<std::uint32_t>(children.size());
  if (height == kMaxPythonHeight) {
    return FailAt(node.begin, node.end, "expressions are nested too deeply");
  }
  tree_.children_.insert(tree_.children_.end(), children.begin(), children.end());
  tree_.nodes_.push_back(node);
  heights_.push_back(static_cast<std::uint16_t>(height + 1));
  return static_cast<PythonId>(tree_.nodes_.size() - 1);
}

PythonId PythonParser::Add(PythonKind kind, std::uint32_t begin, std::string_view text,
                           std::initializer_list<PythonId> children) {
  return Add(kind, begin, text, std::span(children.begin(), children.size()));
}

std::string_view PythonParser::Keep(std::string text) {
  return tree_.texts_.emplace_back(std::move(text));
}

}  // namespace opledger

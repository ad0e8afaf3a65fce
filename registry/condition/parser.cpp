// Recursive-descent parser of #if expressions; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/parser.h"

#include <map>
#include <utility>

#include "registry/condition/lexer.h"

namespace opledger {
namespace {

using TokenKind = ConditionToken::Kind;
using Op = ConditionOperator;

struct BinaryLevel {
  Op op;
  int precedence;
};

constexpr int kLowestBinary = 5;
constexpr std::string_view kUnparsable = "unparsable(";
constexpr std::string_view kIs = "is(";

const BinaryLevel* FindBinary(const ConditionToken& token) {
  static const std::map<std::string, BinaryLevel> kLevels = {
      {"|", {Op::kBitOr, 5}},       {"^", {Op::kBitXor, 6}},       {"&", {Op::kBitAnd, 7}},
      {"==", {Op::kEqual, 8}},      {"!=", {Op::kNotEqual, 8}},    {"<", {Op::kLess, 9}},
      {"<=", {Op::kLessEqual, 9}},  {">", {Op::kGreater, 9}},      {">=", {Op::kGreaterEqual, 9}},
      {"<<", {Op::kShiftLeft, 10}}, {">>", {Op::kShiftRight, 10}}, {"+", {Op::kAdd, 11}},
      {"-", {Op::kSubtract, 11}},   {"*", {Op::kMultiply, 12}},    {"/", {Op::kDivide, 12}},
      {"%", {Op::kRemainder, 12}},
  };
  if (token.kind != TokenKind::kPunctuator) return nullptr;
  const auto level = kLevels.find(token.text);
  return level == kLevels.end() ? nullptr : &level->second;
}

// Returns whether two tokens would be read differently if written without a space.
bool NeedsSpace(char last, char next) {
  const bool quote = next == '"' || next == '\'';
  if (IsIdentifierByte(last)) return IsIdentifierByte(next) || quote;
  return last == '/' && (next == '/' || next == '*');
}

// Every method returns nullptr after an error. The first error ends the parse.
class Parser {
 public:
  explicit Parser(std::vector<ConditionToken> tokens) : tokens_(std::move(tokens)) {}

  ConditionTree Run() {
    ConditionTree tree = Comma();
    return tree && Current().kind == TokenKind::kEnd ? Checked(tree) : nullptr;
  }
  bool too_deep() const { return too_deep_; }

 private:
  const ConditionToken& Current() const { return tokens_[position_]; }
  bool Is(std::string_view punctuator) const {
    return Current().kind == TokenKind::kPunctuator && Current().text == punctuator;
  }
  bool Accept(std::string_view punctuator) {
    if (!Is(punctuator)) return false;
    ++position_;
    return true;
  }

  ConditionTree Comma() {
    ConditionTree left = ChoiceLevel();
    while (left && Accept(",")) {
      const ConditionTree right = ChoiceLevel();
      left = right ? Checked(Binary(Op::kComma, left, right)) : nullptr;
    }
    return left;
  }

  ConditionTree ChoiceLevel() {
    if (++nesting_ > 2 * kMaxConditionDepth) {
      too_deep_ = true;
      return nullptr;
    }
    ConditionTree result = Or();
    if (result && Accept("?")) {
      const ConditionTree first = Comma();
      const ConditionTree second = first && Accept(":") ? ChoiceLevel() : nullptr;
      result = second ? Checked(Choice(result, first, second)) : nullptr;
    }
    --nesting_;
    return result;
  }

  ConditionTree Or() {
    std::vector<ConditionTree> operands;
    do {
      operands.push_back(And());
      if (!operands.back()) return nullptr;
    } while (Accept("||"));
    return operands.size() == 1 ? operands[0] : Checked(Disjunction(operands));
  }

  ConditionTree And() {
    std::vector<ConditionTree> operands;
    do {
      operands.push_back(BinaryFrom(kLowestBinary));
      if (!operands.back()) return nullptr;
    } while (Accept("&&"));
    return operands.size() == 1 ? operands[0] : Checked(Conjunction(operands));
  }

  ConditionTree BinaryFrom(int minimum) {
    ConditionTree left = UnaryLevel();
    while (left) {
      const BinaryLevel* level = FindBinary(Current());
      if (level == nullptr || level->precedence < minimum) return left;
      ++position_;
      const ConditionTree right = BinaryFrom(level->precedence + 1);
      left = right ? Checked(Binary(level->op, left, right)) : nullptr;
    }
    return nullptr;
  }

  ConditionTree UnaryLevel() {
    // A loop, because "!!!!...!A" must not recurse once per character.
    std::vector<char> operators;
    while (Is("!") || Is("-") || Is("+") || Is("~")) {
      operators.push_back(Current().text[0]);
      ++position_;
    }
    ConditionTree tree = Primary();
    for (; tree && !operators.empty(); operators.pop_back()) {
      if (operators.back() == '!') tree = Checked(Negation(tree));
      if (operators.back() == '-') tree = Checked(Unary(Op::kMinus, tree));
      if (operators.back() == '~') tree = Checked(Unary(Op::kComplement, tree));
    }
    return tree;
  }

  ConditionTree Primary() {
    if (Accept("(")) {
      ConditionTree tree = Comma();
      return Accept(")") ? tree : nullptr;
    }
    const ConditionToken& token = Current();
    if (token.kind == TokenKind::kIdentifier) return Name();
    std::optional<ConditionInteger> value;
    if (token.kind == TokenKind::kNumber) value = ParseInteger(token.text);
    if (token.kind == TokenKind::kCharacter) value = ParseCharacter(token.text);
    if (!value) return nullptr;
    ++position_;
    return Integer(*value);
  }

  ConditionTree Name() {
    std::string name = Current().text;
    ++position_;
    if (name == "defined") return DefinedOperator();
    if (Is("(")) return Call(std::move(name));
    if (name == "true" || name == "false") return Integer({name == "true" ? 1u : 0u, false});
    return Macro(std::move(name));
  }

  ConditionTree DefinedOperator() {
    const bool enclosed = Accept("(");
    if (Current().kind != TokenKind::kIdentifier) return nullptr;
    std::string name = Current().text;
    ++position_;
    if (enclosed && !Accept(")")) return nullptr;
    return DefinedMacro(std::move(name));
  }

  // Reads NAME(...) up to the matching parenthesis, with spaces only where tokens need them.
  ConditionTree Call(std::string text) {
    int open = 0;
    do {
      const ConditionToken& token = Current();
      if (token.kind == TokenKind::kEnd) return nullptr;
      if (NeedsSpace(text.back(), token.text.front())) text += ' ';
      text += token.text;
      if (Is("(")) ++open;
      if (Is(")")) --open;
      ++position_;
    } while (open > 0);
    return Opaque(std::move(text));
  }

  ConditionTree Checked(const ConditionTree& tree) {
    too_deep_ = too_deep_ || tree->depth > kMaxConditionDepth;
    return too_deep_ ? nullptr : tree;
  }

  std::vector<ConditionToken> tokens_;
  std::size_t position_ = 0;
  int nesting_ = 0;
  bool too_deep_ = false;
};

}  // namespace

ConditionTree ParseConditionTree(std::string_view text, bool* too_deep) {
  auto tokens = LexCondition(text);
  if (!tokens) return nullptr;
  Parser parser(std::move(*tokens));
  ConditionTree tree = parser.Run();
  if (too_deep != nullptr) *too_deep = parser.too_deep();
  return tree;
}

bool IsUnparsableAtom(std::string_view name) { return name.starts_with(kUnparsable); }

ConditionTree UnparsableAtom(std::string_view text) {
  std::string atom(kUnparsable);
  atom += '"';
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      atom += ' ';
      continue;
    }
    if (c == '"' || c == '\\') atom += '\\';
    atom += c;
  }
  return Opaque(atom + "\")");
}

std::string CanonicalTokens(std::string_view text) {
  std::string canonical;
  const auto tokens = LexCondition(text);
  if (!tokens) return std::string(text);
  for (const ConditionToken& token : *tokens) {
    if (token.kind == TokenKind::kEnd) break;
    if (!canonical.empty() && NeedsSpace(canonical.back(), token.text.front())) canonical += ' ';
    canonical += token.text;
  }
  return canonical;
}

ConditionTree ValueTree(std::string_view macro, std::string_view text) {
  const auto tokens = LexCondition(text);
  if (tokens && tokens->size() == 2 && tokens->front().kind == TokenKind::kNumber) {
    if (const auto number = ParseInteger(tokens->front().text)) {
      return Binary(Op::kEqual, Macro(std::string(macro)), Integer(*number));
    }
  }
  const std::string atom =
      std::string(kIs) + std::string(macro) + "," + CanonicalTokens(text) + ")";
  const ConditionTree tree = ParseConditionTree(atom);
  return tree ? tree : UnparsableAtom(atom);
}

std::optional<std::pair<std::string, std::string>> PartsOfValueAtom(std::string_view name) {
  const std::size_t comma = name.find(',');
  if (!name.starts_with(kIs) || !name.ends_with(')') || comma == std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(std::string(name.substr(kIs.size(), comma - kIs.size())),
                   std::string(name.substr(comma + 1, name.size() - comma - 2)));
}

}  // namespace opledger

// Finds the statements that may register, and their identifiers:
//   NNVM_REGISTER_OP(a) .x(F<M>) [&]{ CHECK(y); } ;  ->  a, x, F, M
// Ignores CHECK, since code in braces does not affect the registration.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/statement_walk.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <optional>
#include <set>

#include "registry/scan/lex/hash_set.h"
#include "registry/scan/lex/raw_lexer.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

bool Fits(tok::TokenKind open, tok::TokenKind close) {
  return (open == tok::l_paren && close == tok::r_paren) ||
         (open == tok::l_square && close == tok::r_square) ||
         (open == tok::l_brace && close == tok::r_brace);
}

// Returns whether the word may keep a block from running to its end.
bool IsControl(std::string_view word) {
  constexpr std::string_view kControl[] = {"if",     "else", "return", "for",  "while",
                                           "switch", "goto", "throw",  "break"};
  return word.size() < 7 &&
         std::find(std::begin(kControl), std::end(kControl), word) != std::end(kControl);
}

class Walk {
 public:
  Walk(std::string_view text, const Outline& outline, const NameSet& leading,
       const std::optional<NameSet>& plain, const NameSet& classes, bool any)
      : lexer_(text),
        outline_(outline),
        leading_(leading),
        plain_(plain),
        classes_(classes),
        all_(any),
        any_(any) {
    for (const std::string& name : leading) {
      leading_hashes_.set(HashIdentifier(name) % leading_hashes_.size());
    }
  }

  Statements Run();

 private:
  static constexpr Offset kNoPiece = std::numeric_limits<Offset>::max();

  // An open bracket and the token before it: MACRO in MACRO( ... NAME ...
  struct Open {
    tok::TokenKind kind;
    RawToken head;

    bool brace() const { return kind == tok::l_brace; }
  };
  struct State {
    std::vector<Open> open;
    bool inside = false;     // inside a statement that may register
    std::size_t number = 0;  // index of that statement
    bool complete = false;   // a ';' ended it inside the arguments of a call
    std::size_t depth = 0;   // number of brackets open where it began
    int braces = 0;          // open braces since then
    bool opens = false;      // a block may follow the macro that it begins with
    bool variable = false;   // it begins with a class that registers
    bool returns = false;    // after the arrow of a lambda, which a block follows
    std::size_t block = 0;   // number of brackets open in the block that it opened, or 0
    RawToken previous;       // the identifier directly before this token, otherwise of another kind
    int calls = 0;           // open brackets other than braces
    std::size_t spaces = 0;  // number of outermost open brackets that are braces of namespaces
    // The text since the last ';' or brace outside calls: the offset of its first token, and
    // whether it names a leading macro.
    Offset piece = kNoPiece;
    bool named = false;
    bool skips = false;  // it has && or a similar operator
  };

  void Directive();
  void Conditional(int branch);
  void EndBranch();
  void EndGroup();
  void BeginPiece();
  void NamePiece();
  bool IsNamespace() const;
  void EndPiece();
  std::vector<Range> Idle() const;
  void Code();
  void Identifier();
  void Close();
  void Begin(Offset at);
  void Join();
  void NextInBlock();
  bool InCallOfBlock() const;
  bool DefinesClass() const;
  bool Initializes() const;
  void MarkGroup(int branch);
  bool Leads(std::string_view name) const {
    return leading_hashes_[HashIdentifier(name) % leading_hashes_.size()] &&
           leading_.contains(name);
  }
  static void AddName(NameSet& names, std::string_view name) {
    auto at = names.lower_bound(name);
    if (at == names.end() || *at != name) names.emplace_hint(at, name);
  }
  bool DirectiveGoesOn() const { return !token_.starts_line && !token_.Is(tok::eof); }

  RawLexer lexer_;
  RawToken token_;
  const Outline& outline_;
  const NameSet& leading_;
  const std::optional<NameSet>& plain_;
  const NameSet& classes_;
  const bool all_;                    // all text may register
  bool any_;                          // all text from here on may register
  bool leads_ = false;                // the last token leads
  std::bitset<4096> leading_hashes_;  // filter, because few names in the text lead
  std::size_t next_branch_ = 0;
  // An open group: the state at its #if, and that of a branch that ended inside a statement.
  struct Group {
    State before;
    std::optional<State> left_open;
    Offset piece = kNoPiece;  // first piece that one of its branches left unfinished
    bool named = false;       // one of these pieces names a leading macro
  };
  std::vector<Group> groups_;
  std::vector<int> open_branches_;  // innermost last
  State state_;
  Statements found_;
  std::set<int> marked_;
  std::vector<Range> code_;              // runs of tokens without a directive between them
  std::vector<Range> named_;             // pieces that name a leading macro
  std::vector<std::string_view> words_;  // of the current piece
  bool after_directive_ = true;
  bool matched_ = true;  // all brackets so far match, and branches agree
};

// Marks the group of the branch and every conditional around it.
void Walk::MarkGroup(int branch) {
  for (; branch != kNoBranch; branch = outline_.branches[branch].parent) {
    if (outline_.branches[branch].guard) continue;
    if (!marked_.insert(outline_.FirstOf(branch)).second) return;
  }
}

void Walk::Conditional(int branch) {
  const Branch& opened = outline_.branches[branch];
  if (opened.previous == kNoBranch) {
    groups_.push_back({state_, std::nullopt, kNoPiece, false});
    open_branches_.push_back(branch);
    if (state_.inside && state_.braces == 0) {
      MarkGroup(branch);
      const std::size_t outside = state_.block != 0 ? state_.block : state_.depth;
      if (state_.open.size() > outside && !state_.open[outside].brace()) {
        found_.all[state_.number].splits.push_back({branch, state_.open[outside].head.begin});
      }
    }
  } else if (!groups_.empty()) {
    EndBranch();
    state_ = groups_.back().before;
    open_branches_.back() = branch;
  }
}

void Walk::EndBranch() {
  if (state_.inside) Join();
  Group& group = groups_.back();
  const auto& open = group.before.open;
  matched_ =
      matched_ && std::equal(open.begin(), open.end(), state_.open.begin(), state_.open.end(),
                             [](const Open& a, const Open& b) { return a.kind == b.kind; });
  group.piece = std::min(group.piece, state_.piece);
  group.named = group.named || state_.named;
}

void Walk::EndGroup() {
  EndBranch();
  Group& group = groups_.back();
  // A chain that only some branches end continues for the others.
  if (!state_.inside && group.left_open) state_ = *group.left_open;
  state_.piece = std::min(group.piece, group.before.piece);
  state_.named = group.named || group.before.named;
  groups_.pop_back();
  open_branches_.pop_back();
}

// Called for each token outside directives, before it is processed.
void Walk::BeginPiece() {
  if (after_directive_) code_.push_back({token_.begin, token_.end});
  after_directive_ = false;
  code_.back().end = token_.end;
  // Removing text must not make a '#' the first token of a line, or cut a literal.
  if (token_.Is(tok::unknown)) matched_ = false;
  any_ = any_ || (leads_ && token_.Is(tok::semi));  // such as: auto& add = Register;
  leads_ = false;
  if (any_ && !open_branches_.empty()) MarkGroup(open_branches_.back());
  if (state_.piece != kNoPiece) return;
  state_.piece = token_.begin;
  if (token_.Is(tok::hash) || token_.Is(tok::hashhash)) matched_ = false;
}

void Walk::NamePiece() {
  if (state_.skips || state_.open.size() > state_.spaces) found_.in_code = true;
  if (state_.named) return;
  state_.named = true;
  Range piece{state_.piece, token_.end};
  while (!named_.empty() && named_.back().end >= piece.begin) {
    piece.begin = std::min(piece.begin, named_.back().begin);
    named_.pop_back();
  }
  named_.push_back(piece);
}

// Returns whether this '{' opens a namespace or extern "C".
bool Walk::IsNamespace() const {
  if (words_.empty()) return false;
  return words_.front() == "namespace" || (words_.size() == 1 && words_.front() == "extern") ||
         (words_.size() > 1 && words_.front() == "inline" && words_[1] == "namespace");
}

// Called after the token has been processed.
void Walk::EndPiece() {
  if (state_.named) named_.back().end = token_.end;
  const bool ends = token_.Is(tok::semi) || token_.Is(tok::l_brace) || token_.Is(tok::r_brace);
  if (!ends || state_.calls > 0) return;
  state_.piece = kNoPiece;
  state_.named = false;
  state_.skips = false;
  words_.clear();
}

// Returns the code without the pieces that name a leading macro.
std::vector<Range> Walk::Idle() const {
  std::vector<Range> idle;
  // Anything in a block may register.
  if (any_ || plain_ || !matched_ || !state_.open.empty() || !groups_.empty()) return idle;
  auto piece = named_.begin();
  for (Range run : code_) {
    while (piece != named_.end() && piece->end <= run.begin) ++piece;
    for (auto in = piece; in != named_.end() && in->begin < run.end; ++in) {
      if (run.begin < in->begin) idle.push_back({run.begin, in->begin});
      run.begin = std::min(std::max(run.begin, in->end), run.end);
    }
    if (run.begin < run.end) idle.push_back(run);
  }
  return idle;
}

void Walk::Directive() {
  Offset hash = token_.begin;
  lexer_.Next(token_);
  const std::string_view name = DirectiveGoesOn() ? lexer_.Text(token_) : std::string_view();
  const bool end = name == "endif";
  const bool initializes = state_.inside && state_.variable && state_.open.size() > state_.depth;
  if ((state_.block != 0 || initializes) && name.starts_with("include")) {
    found_.includes.push_back(hash);
  }
  while (DirectiveGoesOn()) lexer_.Next(token_);
  after_directive_ = true;
  if (end && !groups_.empty()) {
    EndGroup();
  } else if (next_branch_ < outline_.branches.size() &&
             outline_.branches[next_branch_].directive == hash) {
    Conditional(static_cast<int>(next_branch_++));
  }
}

// A statement that several branches leave open is one statement, which continues after #endif.
void Walk::Join() {
  std::optional<State>& left = groups_.back().left_open;
  if (left && left->number != state_.number) {
    Statement& into = found_.all[left->number];
    into.identifiers.merge(found_.all[state_.number].identifiers);
    into.branches.merge(found_.all[state_.number].branches);
    const std::vector<Split>& splits = found_.all[state_.number].splits;
    into.splits.insert(into.splits.end(), splits.begin(), splits.end());
    state_.number = left->number;
  }
  left = state_;
}

void Walk::Begin(Offset at) {
  state_.inside = true;
  state_.braces = 0;
  state_.complete = false;
  state_.block = 0;
  state_.depth = state_.open.size();
  // An argument is part of the statement of the outermost call.
  while (state_.depth > 0 && !state_.open[state_.depth - 1].brace()) --state_.depth;
  state_.number = found_.all.size();
  Statement& statement = found_.all.emplace_back();
  statement.begin = at;
  for (const Open& open : state_.open) {
    if (open.head.Is(tok::raw_identifier)) {
      AddName(statement.identifiers, lexer_.Text(open.head));
    }
  }
  // An earlier macro may decide whether the argument is kept: WHEN(X)(NNVM_REGISTER_OP(a);)
  if (state_.calls == 0) return;
  for (const std::string_view word : words_) AddName(statement.identifiers, word);
}

// Returns whether the last open bracket is in the arguments of a call, not directly in the block.
bool Walk::InCallOfBlock() const {
  return std::any_of(state_.open.begin() + static_cast<std::ptrdiff_t>(state_.block) - 1,
                     state_.open.end(), [](const Open& open) { return !open.brace(); });
}

// Begins a new statement, because each statement of a block counts separately.
void Walk::NextInBlock() {
  state_.number = found_.all.size();
  found_.all.emplace_back().begin = token_.end;
}

void Walk::Identifier() {
  std::string_view name = lexer_.Text(token_);
  words_.push_back(name);
  if (state_.block != 0 && IsControl(name)) found_.in_code = true;
  if (state_.block != 0 && Leads(name)) {
    if (!open_branches_.empty()) MarkGroup(open_branches_.back());
    state_.braces = 0;
  } else if (Leads(name)) {
    NamePiece();
    leads_ = true;
    any_ = any_ || classes_.contains(name);
    if (!open_branches_.empty()) MarkGroup(open_branches_.back());
    if (!state_.inside) {
      Begin(token_.begin);
      name = lexer_.Text(token_);
      state_.opens = plain_ && !plain_->contains(name);
      state_.variable = classes_.contains(name) && !DefinesClass();
    } else if (state_.open.size() == state_.depth && classes_.contains(name)) {
      state_.variable = !DefinesClass();  // after a call without ';'
    }
    if (state_.braces > 0) {  // a registration in braces inside a statement
      state_.braces = 0;
      state_.depth = state_.open.size();
    }
  }
  if (state_.inside && state_.braces == 0) {
    Statement& statement = found_.all[state_.number];
    AddName(statement.identifiers, name);
    statement.branches.insert(open_branches_.empty() ? kNoBranch : open_branches_.back());
  }
  state_.previous = token_;
}

void Walk::Close() {
  matched_ = matched_ && !state_.open.empty() && Fits(state_.open.back().kind, token_.kind);
  if (state_.open.empty()) return;
  state_.calls -= !state_.open.back().brace();
  bool brace = state_.open.back().brace();
  state_.open.pop_back();
  state_.spaces = std::min(state_.spaces, state_.open.size());
  if (!state_.inside) return;
  if (state_.block != 0 && state_.open.size() < state_.block) {  // the end of the block
    state_.inside = false;
    state_.block = 0;
    return;
  }
  if (state_.open.size() < state_.depth ||
      (state_.complete && state_.open.size() == state_.depth)) {
    state_.inside = false;
  } else if (brace && state_.braces > 0) {
    --state_.braces;
  }
}

bool Walk::DefinesClass() const {
  return std::any_of(words_.begin(), words_.end(),
                     [](std::string_view word) { return word == "class" || word == "struct"; });
}

// Returns whether the brace opens an initializer: Register all[] = {{"a", 1}, ROW("b")};
bool Walk::Initializes() const {
  return state_.inside && state_.variable && state_.braces == 0 && state_.block == 0 &&
         !state_.returns && !state_.previous.Is(tok::r_paren);
}

void Walk::Code() {
  switch (token_.kind) {
    case tok::raw_identifier:
      return Identifier();
    case tok::l_paren:
    case tok::l_square:
      state_.open.push_back({token_.kind, state_.previous});
      ++state_.calls;
      break;
    case tok::arrow:
      state_.returns = state_.previous.Is(tok::r_paren);
      break;
    case tok::l_brace:
      if (Initializes()) {
        state_.open.push_back({token_.kind, {}});
        break;
      }
      if (state_.inside && state_.open.size() == state_.depth) {
        state_.inside = state_.opens && state_.block == 0;
        if (state_.inside) state_.block = state_.depth + 1;
      }
      state_.spaces += state_.open.size() == state_.spaces && IsNamespace();
      state_.open.push_back({token_.kind, {}});
      state_.returns = false;
      if (state_.inside && (state_.block == 0 || InCallOfBlock())) ++state_.braces;
      break;
    case tok::r_paren:
    case tok::r_square:
    case tok::r_brace:
      Close();
      break;
    case tok::semi:
      if (state_.inside && state_.open.size() == state_.depth) state_.inside = false;
      if (state_.inside && state_.block != 0) {
        if (state_.open.size() == state_.block) NextInBlock();
        break;
      }
      state_.complete = state_.braces == 0;
      break;
    case tok::ampamp:
    case tok::pipepipe:
    case tok::question:
      state_.skips = true;
      break;
    default:
      break;
  }
  state_.previous.kind = token_.kind;
}

Statements Walk::Run() {
  for (lexer_.Next(token_); !token_.Is(tok::eof);) {
    if (token_.Is(tok::hash) && token_.starts_line) {
      Directive();
    } else {
      BeginPiece();
      Code();
      EndPiece();
      lexer_.Next(token_);
    }
  }
  for (int branch = 0; all_ && branch < static_cast<int>(outline_.branches.size()); ++branch) {
    MarkGroup(branch);  // includes branches with only macros and includes
  }
  for (int branch = 0; branch < static_cast<int>(outline_.branches.size()); ++branch) {
    if (marked_.contains(outline_.FirstOf(branch))) found_.branches.push_back(branch);
  }
  found_.idle = Idle();
  return std::move(found_);
}

}  // namespace

Statements WalkStatements(std::string_view text, const Outline& outline, const NameSet& leading,
                          const std::optional<NameSet>& plain, const NameSet& classes, bool any) {
  return Walk(text, outline, leading, plain, classes, any).Run();
}

std::optional<NameSet> PlainSinks(const Dialect& dialect) {
  if (!dialect.HasScopes()) return std::nullopt;
  NameSet plain;
  for (const Sink& sink : dialect.sinks) {
    if (!sink.scope) plain.insert(sink.macro);
  }
  return plain;
}

NameSet ClassSinks(const Dialect& dialect) {
  NameSet classes;
  for (const Sink& sink : dialect.sinks) {
    if (sink.variable) classes.insert(sink.macro);
  }
  return classes;
}

}  // namespace opledger::scan

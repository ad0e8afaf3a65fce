// NNVM_REGISTER_OP(a) .x(F<M>) [&]{ CHECK(y); } ; -> identifiers a, x, F, M; the CHECK inside
// braces decides nothing about the registration. SPDX-License-Identifier: Apache-2.0
#include "registry/scan/statement_walk.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <set>

#include "registry/scan/raw_lexer.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

class Walk {
 public:
  Walk(std::string_view text, const Outline& outline, const NameSet& leading,
       const std::optional<NameSet>& plain)
      : lexer_(text), outline_(outline), leading_(leading), plain_(plain) {
    for (const std::string& name : leading) {
      leading_hashes_.set(HashIdentifier(name) % leading_hashes_.size());
    }
  }

  Statements Run();

 private:
  // A bracket that is open, and the token before it: MACRO in MACRO( ... NAME ...
  struct Open {
    bool brace = false;
    RawToken head;
  };
  struct State {
    std::vector<Open> open;
    bool inside = false;     // a statement that may register
    std::size_t number = 0;  // which one
    bool complete = false;   // a ';' ended it inside the arguments of a call
    std::size_t depth = 0;   // how many brackets were open where it began
    int braces = 0;          // open braces since then
    bool opens = false;      // may a block follow the macro it begins with?
    std::size_t block = 0;   // how many brackets are open in the block it opened; 0: in none
    RawToken previous;       // the identifier right before this token; else of another kind
  };

  void Directive();
  void Conditional(int branch);
  void Code();
  void Identifier();
  void Close();
  void Begin(Offset at);
  void Join();
  void NextInBlock();
  bool InCallOfBlock() const;
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
  std::bitset<4096> leading_hashes_;  // few names of the text are leading ones
  std::size_t next_branch_ = 0;
  // An open group: the state at its #if, and that of a branch which ended inside a statement.
  struct Group {
    State before;
    std::optional<State> left_open;
  };
  std::vector<Group> groups_;
  std::vector<int> open_branches_;  // innermost last
  State state_;
  Statements found_;
  std::set<int> marked_;
};

// Both this branch's group and every conditional around it matter.
void Walk::MarkGroup(int branch) {
  for (; branch != kNoBranch; branch = outline_.branches[branch].parent) {
    if (outline_.branches[branch].guard) continue;
    int first = branch;
    while (outline_.branches[first].previous != kNoBranch) {
      first = outline_.branches[first].previous;
    }
    if (!marked_.insert(first).second) return;
  }
}

void Walk::Conditional(int branch) {
  const Branch& opened = outline_.branches[branch];
  if (opened.previous == kNoBranch) {
    groups_.push_back({state_, std::nullopt});
    open_branches_.push_back(branch);
    if (state_.inside && state_.braces == 0) MarkGroup(branch);
  } else if (!groups_.empty()) {
    if (state_.inside) Join();
    state_ = groups_.back().before;
    open_branches_.back() = branch;
  }
}

void Walk::Directive() {
  Offset hash = token_.begin;
  lexer_.Next(token_);
  bool end = DirectiveGoesOn() && lexer_.Text(token_) == "endif";
  while (DirectiveGoesOn()) lexer_.Next(token_);
  if (end && !groups_.empty()) {
    // A chain that only some branches end goes on for the others.
    if (state_.inside) Join();
    if (!state_.inside && groups_.back().left_open) state_ = *groups_.back().left_open;
    groups_.pop_back();
    open_branches_.pop_back();
  } else if (next_branch_ < outline_.branches.size() &&
             outline_.branches[next_branch_].directive == hash) {
    Conditional(static_cast<int>(next_branch_++));
  }
}

// A statement that several branches leave open is one, with what follows their #endif.
void Walk::Join() {
  std::optional<State>& left = groups_.back().left_open;
  if (left && left->number != state_.number) {
    Statement& into = found_.all[left->number];
    into.identifiers.merge(found_.all[state_.number].identifiers);
    into.branches.merge(found_.all[state_.number].branches);
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
  // As an argument it is part of the statement that the outermost call is.
  while (state_.depth > 0 && !state_.open[state_.depth - 1].brace) --state_.depth;
  state_.number = found_.all.size();
  Statement& statement = found_.all.emplace_back();
  statement.begin = at;
  for (const Open& open : state_.open) {
    if (open.head.Is(tok::raw_identifier)) {
      AddName(statement.identifiers, lexer_.Text(open.head));
    }
  }
}

// Whether the bracket opened last stands in the arguments of a call, not in the block itself.
bool Walk::InCallOfBlock() const {
  return std::any_of(state_.open.begin() + static_cast<std::ptrdiff_t>(state_.block) - 1,
                     state_.open.end(), [](const Open& open) { return !open.brace; });
}

// Each statement of a block is one of its own.
void Walk::NextInBlock() {
  state_.number = found_.all.size();
  found_.all.emplace_back().begin = token_.end;
}

void Walk::Identifier() {
  std::string_view name = lexer_.Text(token_);
  if (state_.block != 0 && Leads(name)) {
    if (!open_branches_.empty()) MarkGroup(open_branches_.back());
    state_.braces = 0;
  } else if (Leads(name)) {
    if (!open_branches_.empty()) MarkGroup(open_branches_.back());
    if (!state_.inside) {
      Begin(token_.begin);
      name = lexer_.Text(token_);
      state_.opens = plain_ && !plain_->contains(name);
    }
    if (state_.braces > 0) {  // a registration inside braces inside a statement
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
  if (state_.open.empty()) return;
  bool brace = state_.open.back().brace;
  state_.open.pop_back();
  if (!state_.inside) return;
  if (state_.block != 0 && state_.open.size() < state_.block) {  // the end of its block
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

void Walk::Code() {
  switch (token_.kind) {
    case tok::raw_identifier:
      return Identifier();
    case tok::l_paren:
    case tok::l_square:
      state_.open.push_back({false, state_.previous});
      break;
    case tok::l_brace:
      if (state_.inside && state_.open.size() == state_.depth) {
        state_.inside = state_.opens && state_.block == 0;
        if (state_.inside) state_.block = state_.depth + 1;
      }
      state_.open.push_back({true, {}});
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
      Code();
      lexer_.Next(token_);
    }
  }
  for (int branch = 0; branch < static_cast<int>(outline_.branches.size()); ++branch) {
    int first = branch;
    while (outline_.branches[first].previous != kNoBranch) {
      first = outline_.branches[first].previous;
    }
    if (marked_.contains(first)) found_.branches.push_back(branch);
  }
  return std::move(found_);
}

}  // namespace

Statements WalkStatements(std::string_view text, const Outline& outline, const NameSet& leading,
                          const std::optional<NameSet>& plain) {
  return Walk(text, outline, leading, plain).Run();
}

std::optional<NameSet> PlainSinks(const Dialect& dialect) {
  if (!dialect.HasScopes()) return std::nullopt;
  NameSet plain;
  for (const Sink& sink : dialect.sinks) {
    if (!sink.scope) plain.insert(sink.macro);
  }
  return plain;
}

}  // namespace opledger::scan

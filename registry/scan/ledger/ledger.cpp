// Finds the mentions by lexing each file again into raw tokens, independently of the preprocessor.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ledger/ledger.h"

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <tuple>

#include "registry/scan/lex/hash_set.h"
#include "registry/scan/lex/raw_lexer.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// The words of the current statement that determine the form of a mention in it.
struct StatementWords {
  bool declares_class = false;  // class, struct, union, friend
  std::string alias;            // using ALIAS =
  std::string last;             // the previous token if it is a word

  void Add(std::string_view word) {
    declares_class = declares_class || word == "class" || word == "struct" || word == "union" ||
                     word == "friend";
    if (last == "using") alias = word;
    last = word;
  }
  void End() { *this = {}; }
};

Mention::Form FormOf(std::string_view name, const StatementWords& words, const RawToken& next,
                     std::string_view next_word) {
  using Form = Mention::Form;
  if (words.declares_class && (next.Is(tok::l_brace) || next.Is(tok::colon) || next.Is(tok::semi) ||
                               next_word == "final")) {
    return Form::kDefinition;
  }
  if (words.last == "using" || words.alias == name) return Form::kDefinition;
  if (next.Is(tok::coloncolon)) return Form::kQualifier;
  if (next.Is(tok::amp) || next.Is(tok::ampamp) || next.Is(tok::star)) return Form::kType;
  return Form::kUse;
}

bool InGlued(const Spots& spots, Spot spot) {
  return std::any_of(spots.glued.begin(), spots.glued.end(), [&](const auto& call) {
    return call.first.first == spot.first && call.first.second <= spot.second &&
           spot.second <= call.second;
  });
}

}  // namespace

std::vector<Mention> FindMentions(std::string_view text, const Outline& outline,
                                  const NameSet& names, const NameSet& pieces,
                                  const std::function<bool(std::string_view)>& glues) {
  std::vector<Mention> mentions;
  std::bitset<4096> hashes;  // of the wanted names; rejects nearly all other words
  for (const NameSet* wanted : {&names, &pieces}) {
    for (const std::string& name : *wanted) hashes.set(HashIdentifier(name) % hashes.size());
  }
  std::vector<bool> gluing;  // for each open parenthesis: whether pieces inside it count
  RawLexer lexer(text);
  RawToken token;
  StatementWords words;
  for (lexer.Next(token); !token.Is(tok::eof);) {
    if (token.Is(tok::hash) && token.starts_line) {
      lexer.SkipDirective(token);
      continue;
    }
    if (!token.Is(tok::raw_identifier)) {
      if (!pieces.empty() && token.Is(tok::l_paren)) {
        gluing.push_back((!gluing.empty() && gluing.back()) || glues(words.last));
      }
      if (token.Is(tok::r_paren) && !gluing.empty()) gluing.pop_back();
      words.last.clear();
      if (token.Is(tok::semi) || token.Is(tok::l_brace) || token.Is(tok::r_brace)) words.End();
      lexer.Next(token);
      continue;
    }
    const std::string_view word = lexer.Text(token);
    const bool candidate = hashes[HashIdentifier(word) % hashes.size()];
    const bool named = candidate && names.contains(word);
    const bool piece =
        candidate && !named && !gluing.empty() && gluing.back() && pieces.contains(word);
    if (!named && !piece) {
      words.Add(word);
      lexer.Next(token);
      continue;
    }
    Mention mention;
    mention.name = word;
    mention.offset = token.begin;
    mention.branch = outline.BranchAt(token.begin);
    lexer.Next(token);
    const std::string_view next = token.Is(tok::raw_identifier) ? lexer.Text(token) : "";
    mention.piece = piece;
    mention.form = piece ? Mention::Form::kUse : FormOf(mention.name, words, token, next);
    words.Add(mention.name);
    mentions.push_back(std::move(mention));
  }
  return mentions;
}

Location PlaceOf(const Mention& mention, const std::string& path, const LineIndex& lines) {
  Location location;
  location.path = path;
  std::tie(location.line, location.column) = lines.At(mention.offset);
  location.end_line = location.line;
  location.end_column = location.column + static_cast<int>(mention.name.size());
  return location;
}

Incomplete LeftOver(const Location& location, const std::string& name) {
  return {location, "registration",
          "this use of '" + name +
              "' matches no known form of registration; write it like the others, or list it "
              "under suspicious.except in the dialect if it registers nothing"};
}

std::string BalanceText(const Balance& balance) {
  const std::pair<const char*, int> columns[] = {
      {"registered", balance.registered},  {"in definitions", balance.definition},
      {"never compiled", balance.absent},  {"excepted by the dialect", balance.excepted},
      {"register nothing", balance.other}, {"outside the sources", balance.outside},
      {"incomplete", balance.incomplete}};
  std::string text = "uses of names that lead to a registration\n";
  int sum = 0;
  auto line = [&](const char* what, int count) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "  %-24s %7d\n", what, count);
    text += buffer;
  };
  for (const auto& [what, count] : columns) {
    if (count > 0) line(what, count);
    sum += count;
  }
  line("all", sum);
  return text;
}

int DefinitionsIn(const MacroIndex& index, const SourceTree& tree) {
  int count = 0;
  for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
    const NameSet& leading = index.LeadingIn(file);
    for (const MacroDefinition& macro : tree.files()[file].outline.macros) {
      count += static_cast<int>(
          std::count_if(macro.identifiers.begin(), macro.identifiers.end(),
                        [&](const std::string& name) { return leading.contains(name); }));
    }
  }
  return count;
}

void Spots::Clear() {
  std::vector<Offset> kept = std::move(wanted);
  *this = {};
  wanted = std::move(kept);
}

Balance& Balance::operator+=(const Balance& more) {
  registered += more.registered;
  definition += more.definition;
  absent += more.absent;
  excepted += more.excepted;
  other += more.other;
  outside += more.outside;
  incomplete += more.incomplete;
  return *this;
}

std::vector<Mention> Book(const std::vector<Mention>& mentions, int file, const Outline& outline,
                          const Spots& spots, Balance& balance) {
  std::vector<Mention> left;
  for (const Mention& mention : mentions) {
    const Spot spot{file, mention.offset};
    if (spots.read.contains(spot) || (mention.piece && InGlued(spots, spot))) {
      ++balance.registered;
    } else if (!outline.StackCondition(mention.branch).CanBeTrue()) {
      ++balance.absent;
    } else if (mention.form == Mention::Form::kDefinition || spots.declared.contains(spot)) {
      ++balance.definition;
    } else if (mention.form != Mention::Form::kUse || spots.other.contains(spot)) {
      ++balance.other;
    } else if (!spots.unexpanded.contains(spot) &&
               (spots.expanded.contains(spot) || spots.arguments.contains(spot))) {
      ++balance.other;
    } else {
      ++balance.incomplete;
      left.push_back(mention);
    }
  }
  return left;
}

}  // namespace opledger::scan

// Searches declarations backward from the call, skipping closed blocks. Compares the type that it
// finds with those of the dialect, from their ends.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/receiver.h"

#include <algorithm>
#include <optional>

#include "registry/scan/preprocess/preprocess.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

using Index = TokenStream::Index;
using Texts = std::vector<TextToken>;

// Depth of aliases of aliases and variables initialized from variables.
constexpr int kDeepest = 16;
// Number of tokens examined for the declarations of one unit's receivers.
constexpr long kMostSteps = 50'000'000;

std::string Joined(const Texts& tokens) {
  std::string text;
  for (const TextToken& token : tokens) {
    if (token.kind != tok::kw_template && token.kind != tok::kw_typename) text += token.text;
  }
  return text;
}

bool IsCv(tok::TokenKind kind) { return kind == tok::kw_const || kind == tok::kw_volatile; }

// Removes specifiers, cv-qualifiers and references around a type's name.
Texts BareType(Texts type) {
  while (!type.empty() && (IsReference(type.back().kind) || IsCv(type.back().kind))) {
    type.pop_back();
  }
  auto specifier = [](const TextToken& token) {
    switch (token.kind) {
      case tok::kw_static:
      case tok::kw_inline:
      case tok::kw_extern:
      case tok::kw_constexpr:
      case tok::kw_thread_local:
      case tok::kw_mutable:
      case tok::kw_typename:
      case tok::kw_struct:
      case tok::kw_class:
        return true;
      default:
        return IsCv(token.kind);
    }
  };
  while (!type.empty() && specifier(type.front())) type.erase(type.begin());
  return type;
}

// Returns the beginning of the postfix expression that ends at `end`: reg->x[1].Get(a)
Index ExpressionBegin(const TokenStream& tokens, Index end) {
  Index at = end;
  while (true) {
    const tok::TokenKind kind = tokens.KindAt(at);
    if (kind == tok::r_paren || kind == tok::r_square) {
      const Index open = tokens.OpeningOf(at);
      if (open == TokenStream::kNone) return at;
      const tok::TokenKind before = tokens.KindAt(open - 1);
      const bool goes_on = before == tok::identifier || before == tok::greater ||
                           before == tok::greatergreater || before == tok::r_paren ||
                           before == tok::r_square;
      if (!goes_on) return open;
      at = open - 1;
      continue;
    }
    if (kind == tok::greater || kind == tok::greatergreater) {
      const Index open = tokens.OpeningOf(at);
      if (open == TokenStream::kNone) return at;
      at = open - 1;
      if (tokens.KindAt(at) != tok::identifier) return at;  // static_cast<T>
    } else if (kind != tok::identifier && kind != tok::kw_this) {
      return at + 1;
    }
    const tok::TokenKind before = tokens.KindAt(at - 1);
    if (before == tok::coloncolon) {
      const tok::TokenKind space = tokens.KindAt(at - 2);
      if (space != tok::identifier && space != tok::greater) return at - 1;
    } else if (before != tok::period && before != tok::arrow) {
      return at;
    }
    at -= 2;
  }
}

// How a name is declared.
struct Declared {
  enum class What { kNothing, kType, kSpace, kClass, kParameterType, kVariable };
  What what = What::kNothing;
  Index at = TokenStream::kNone;
  Texts type;         // of an alias, its target; of a class, its bases
  Texts initializer;  // of a variable
};

// Returns the tokens up to a comma, a ';' or the end of the enclosing bracket.
Texts UpToComma(const TokenStream& tokens, Index begin, Index end) {
  int depth = 0;
  Index at = begin;
  for (; at < end; ++at) {
    const tok::TokenKind kind = tokens.KindAt(at);
    if (depth == 0 && (kind == tok::comma || kind == tok::semi || ClosesBracket(kind))) break;
    depth += OpensBracket(kind);
    depth -= ClosesBracket(kind);
  }
  return tokens.Tokens(begin, at);
}

// Reads a declaration after class, struct or typename, and possibly an export macro.
Declared DeclaredClass(const TokenStream& tokens, Index at, Index end) {
  using What = Declared::What;
  Declared declared;
  declared.at = at;
  const tok::TokenKind before = tokens.KindAt(at - 1);
  const tok::TokenKind next = tokens.KindAt(at + 1);
  const bool parameter = next == tok::comma || next == tok::greater || next == tok::equal;
  if (parameter && (before == tok::kw_typename || next != tok::equal)) {
    declared.what = What::kParameterType;
    return declared;
  }
  if (before == tok::kw_typename) return {};
  declared.what = What::kClass;
  for (Index i = at + 1; i < end && tokens.KindAt(i) != tok::l_brace; ++i) {
    if (tokens.KindAt(i) == tok::semi) break;
    std::vector<TextToken> one = tokens.Tokens(i, i + 1);
    declared.type.insert(declared.type.end(), one.begin(), one.end());
  }
  return declared;
}

// Returns the index before the type of the variable at `at`, whose statement begins at `begin`;
// nullopt if there is no type.
std::optional<Index> BeforeType(const TokenStream& tokens, Index begin, Index at) {
  Index type = at - 1;
  bool named = false;
  while (type >= begin) {
    const tok::TokenKind kind = tokens.KindAt(type);
    if (kind == tok::identifier || kind == tok::greater || kind == tok::greatergreater) {
      if (named) break;  // MACRO Type
      const Index first = tokens.NameBegin(type);
      if (first == type && kind != tok::identifier) return std::nullopt;
      type = first - 1;
      if (tokens.KindAt(type) == tok::coloncolon) --type;
      named = true;
    } else if (kind == tok::kw_auto && !named) {
      named = true;
      --type;
    } else if (IsReference(kind) && !named) {
      --type;
    } else if (IsCv(kind) || kind == tok::kw_static || kind == tok::kw_inline ||
               kind == tok::kw_extern || kind == tok::kw_constexpr || kind == tok::kw_typename ||
               kind == tok::kw_thread_local || kind == tok::kw_mutable || kind == tok::kw_struct ||
               kind == tok::kw_class) {
      --type;
    } else {
      break;
    }
  }
  return named ? std::optional(type) : std::nullopt;
}

// Returns how the name is declared at `at`; kNothing if this is not a declaration of it.
Declared DeclaredAt(const TokenStream& tokens, Index at, Index end) {
  using What = Declared::What;
  Declared declared;
  declared.at = at;
  const tok::TokenKind before = tokens.KindAt(at - 1);
  const tok::TokenKind next = tokens.KindAt(at + 1);
  if (before == tok::period || before == tok::arrow || before == tok::coloncolon) return {};
  if (before == tok::kw_using || before == tok::kw_namespace) {
    if (next != tok::equal) return {};
    declared.what = before == tok::kw_using ? What::kType : What::kSpace;
    declared.type = UpToComma(tokens, at + 2, end);
    return declared;
  }
  const tok::TokenKind head = tokens.KindAt(at - 2);
  const bool exported = before == tok::identifier && OpensBracket(next) &&
                        (head == tok::kw_class || head == tok::kw_struct);  // class EXPORT Name {
  if (exported || before == tok::kw_class || before == tok::kw_struct ||
      before == tok::kw_typename) {
    return DeclaredClass(tokens, at, end);
  }
  const Index begin = tokens.StatementBegin(at);
  if (tokens.KindAt(begin) == tok::kw_typedef) {
    if (next != tok::semi && next != tok::comma) return {};
    declared.what = What::kType;
    declared.type = tokens.Tokens(begin + 1, at);
    return declared;
  }
  // Type& name
  const bool typed = before == tok::identifier || before == tok::greater ||
                     before == tok::greatergreater || before == tok::kw_auto ||
                     before == tok::kw_const || IsReference(before);
  const bool declares = next == tok::equal || next == tok::semi || next == tok::comma ||
                        OpensBracket(next) || next == tok::r_paren || next == tok::colon;
  if (!typed || !declares) return {};
  const std::optional<Index> type = BeforeType(tokens, begin, at);
  if (!type) return {};
  const tok::TokenKind around = tokens.KindAt(*type);
  const bool begins = *type < begin || around == tok::l_paren || around == tok::comma ||
                      around == tok::colon || around == tok::less || around == tok::identifier ||
                      around == tok::greater || around == tok::r_paren;
  if (!begins) return {};
  declared.what = What::kVariable;
  declared.type = tokens.Tokens(*type + 1, at);
  if (next == tok::equal) declared.initializer = UpToComma(tokens, at + 2, end);
  if (next == tok::l_paren || next == tok::l_brace) {
    declared.initializer = UpToComma(tokens, at + 2, end);
  }
  return declared;
}

// Returns the innermost declaration of `name` that is visible from `end`.
Declared FindDeclaration(const TokenStream& tokens, std::string_view name, Index end, long& steps) {
  for (Index at = end - 1; at >= 0 && steps < kMostSteps; --at, ++steps) {
    const tok::TokenKind kind = tokens.KindAt(at);
    if (kind == tok::eof) break;
    if (kind == tok::r_brace) {
      // Skip a closed block and its parameters.
      const Index open = tokens.OpeningOf(at);
      if (open == TokenStream::kNone) break;
      steps += at - open;
      // The name of a skipped class is visible, and so are the members of a namespace.
      bool space = false;
      for (Index i = open - 1;
           i >= 0 &&
           (tokens.KindAt(i) == tok::identifier || tokens.KindAt(i) == tok::coloncolon ||
            tokens.KindAt(i) == tok::kw_namespace || tokens.KindAt(i) == tok::string_literal ||
            tokens.KindAt(i) == tok::kw_extern);
           --i) {
        space =
            space || tokens.KindAt(i) == tok::kw_namespace || tokens.KindAt(i) == tok::kw_extern;
      }
      if (space) continue;
      at = open;
      Index i = open - 1;
      while (tokens.KindAt(i) == tok::kw_const || tokens.KindAt(i) == tok::kw_noexcept) --i;
      if (tokens.KindAt(i) == tok::r_paren) {
        const Index parameters = tokens.OpeningOf(i);
        if (parameters == TokenStream::kNone) break;
        at = parameters;
      }
      continue;
    }
    const clang::IdentifierInfo* identifier = tokens.NameAt(at);
    if (identifier == nullptr || tokens.TextAt(at) != name) continue;
    Declared declared = DeclaredAt(tokens, at, end);
    if (declared.what != Declared::What::kNothing) return declared;
  }
  return {};
}

// Removes earlier calls of a chain: lib.def("a").def("b") -> lib. Returns the access operator
// after the object; `access` if there is no earlier call.
std::string_view SkipEarlierCalls(std::string_view access, std::vector<TextToken>& expression) {
  while (expression.size() > 3 && expression.back().kind == tok::r_paren) {
    std::size_t open = 0;
    while (open < expression.size() &&
           (expression[open].kind != tok::l_paren ||
            ClosingBracket(expression, open) + 1 != expression.size())) {
      ++open;
    }
    if (open < 3 || open == expression.size() || expression[open - 1].text != kSentinel) break;
    const TextToken& before = expression[open - 2];
    if (before.kind != tok::period && before.kind != tok::arrow) break;
    access = before.text;
    expression.resize(open - 2);
  }
  return access;
}

// Returns whether the class whose name is at `at` declares the method, returning objects of the
// class unless `any` is set.
bool DeclaresMethod(const TokenStream& tokens, Index at, std::string_view method, bool any) {
  int depth = 0;
  for (Index i = at + 1; i == at + 1 || depth > 0; ++i) {
    const tok::TokenKind kind = tokens.KindAt(i);
    if (kind == tok::eof) return false;
    depth += OpensBracket(kind);
    depth -= ClosesBracket(kind);
    if (depth != 1 || kind != tok::identifier || tokens.KindAt(i + 1) != tok::l_paren) continue;
    if (tokens.TextAt(i) != method) continue;
    const Index type = tokens.KindAt(i - 1) == tok::amp ? i - 2 : i - 1;
    if (any || tokens.TextAt(type) == tokens.TextAt(at)) return true;
  }
  return false;
}

}  // namespace

bool IsOfOtherClass(const TokenStream& tokens, Index name) {
  const Index begin = ExpressionBegin(tokens, name - 2);
  if (tokens.KindAt(begin) != tok::identifier) return false;
  long steps = 0;
  Declared declared = FindDeclaration(tokens, tokens.TextAt(begin), begin, steps);
  const bool made = tokens.KindAt(begin + 1) == tok::l_paren;
  if (declared.what == Declared::What::kVariable && !made) {
    const Texts type = BareType(declared.type);
    if (type.size() != 1) return false;
    declared = FindDeclaration(tokens, type.front().text, declared.at, steps);
  } else if (!made) {
    return false;
  }
  const bool plain = declared.what == Declared::What::kClass && declared.type.empty() &&
                     tokens.KindAt(declared.at + 1) == tok::l_brace;
  if (!plain || !DeclaresMethod(tokens, declared.at, tokens.TextAt(name), true)) return false;
  for (Index at = begin + 1; at < name; ++at) {
    const tok::TokenKind kind = tokens.KindAt(at);
    if (kind == tok::l_paren) {
      for (int depth = 1; depth > 0 && at < name;) {
        ++at;
        depth += OpensBracket(tokens.KindAt(at));
        depth -= ClosesBracket(tokens.KindAt(at));
      }
      continue;
    }
    const bool access = kind == tok::period || kind == tok::arrow;
    if (!access) return false;
    if (++at == name) return true;
    if (!DeclaresMethod(tokens, declared.at, tokens.TextAt(at), false)) return false;
  }
  return false;
}

Receiver::Receiver(const Sink& sink) : others_(sink.other_receivers) {
  for (std::string& other : others_) std::replace(other.begin(), other.end(), '/', ' ');
  for (const std::string& text : sink.receivers) {
    Wanted wanted{text, LexedText(text)};
    // nnvm::Op>::Get()-> without ::Get()->
    Texts& type = wanted.type.tokens;
    while (!type.empty() && type.back().kind != tok::coloncolon) type.pop_back();
    if (!type.empty()) type.pop_back();
    if (!type.empty() && type.front().kind == tok::coloncolon) type.erase(type.begin());
    wanted_.push_back(std::move(wanted));
  }
}

// Matches text as a glob in which '/' is not a folder separator.
bool Receiver::IsOther(std::string text) const {
  std::replace(text.begin(), text.end(), '/', ' ');
  return GlobMatchAny(others_, text);
}

bool Receiver::Names(std::string_view class_name) const {
  return std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& wanted) {
    const auto has = [&](std::string_view text) {
      return std::any_of(wanted.type.tokens.begin(), wanted.type.tokens.end(),
                         [&](const TextToken& token) { return token.text == text; });
    };
    const bool any = has(">") && !has("<");  // nn::Op>::Get(): of any template
    return any || has(class_name);
  });
}

ReceiverFit Receiver::FitOf(const TokenStream& tokens, Index name) {
  if (wanted_.empty()) return ReceiverFit::kFits;
  Index end = name - 1;
  if (tokens.KindAt(end) == tok::kw_template) --end;
  const tok::TokenKind access = tokens.KindAt(end);
  if (access != tok::period && access != tok::arrow && access != tok::coloncolon) {
    return ReceiverFit::kNone;
  }
  const Index begin = ExpressionBegin(tokens, end - 1);
  Texts expression = tokens.Tokens(begin, end);
  const std::string_view behind = SkipEarlierCalls(tokens.TextAt(end), expression);
  const std::string text = Joined(expression).append(behind);
  for (const Wanted& wanted : wanted_) {
    if (text.ends_with(wanted.text) || "::" + text == wanted.text) return ReceiverFit::kFits;
  }
  if (IsOther(text)) return ReceiverFit::kOther;
  if (access == tok::coloncolon) return FitOfType(tokens, expression, begin, 0);
  return FitOfExpression(tokens, expression, begin, 0);
}

// Compares the end of a type with the wanted one. A name without its namespaces matches.
ReceiverFit Receiver::FitOfTail(const Texts& type, const Texts& wanted) const {
  std::size_t at = type.size();
  std::size_t want = wanted.size();
  bool same = false;  // the class matches
  while (want > 0 && at > 0) {
    const TextToken& asked = wanted[want - 1];
    const TextToken& given = type[at - 1];
    if (asked.text == given.text) {
      same = same || asked.kind == tok::raw_identifier || asked.kind == tok::identifier;
      --want;
      --at;
      continue;
    }
    if (!same) return ReceiverFit::kOther;
    // With another qualifier, or none.
    const bool qualifies = asked.kind == tok::coloncolon;
    if (qualifies) return ReceiverFit::kFits;
    return ReceiverFit::kUnknown;
  }
  return same ? ReceiverFit::kFits : ReceiverFit::kOther;
}

ReceiverFit Receiver::FitOfType(const TokenStream& tokens, Texts type, Index at, int depth) {
  type = BareType(std::move(type));
  if (type.empty() || depth > kDeepest) return ReceiverFit::kUnknown;
  ReceiverFit fit = ReceiverFit::kOther;
  bool templates = false;
  for (const Wanted& wanted : wanted_) {
    const ReceiverFit one = FitOfTail(type, wanted.type.tokens);
    if (one == ReceiverFit::kFits) return one;
    if (one == ReceiverFit::kUnknown) fit = one;
    templates =
        templates || (!wanted.type.tokens.empty() && wanted.type.tokens.back().Is(tok::greater));
  }
  if (fit == ReceiverFit::kUnknown) return fit;
  if (IsOther(Joined(type))) return ReceiverFit::kOther;
  if (type.back().kind == tok::identifier)
    return FitOfName(tokens, type.back().text, at, true, depth);
  if (type.back().kind != tok::greater || !templates) return ReceiverFit::kUnknown;
  // shared_ptr<Registry<Op>>
  int angles = 0;
  std::size_t open = type.size();
  while (open > 0 && angles >= 0) {
    --open;
    angles += type[open].kind == tok::greater;
    angles += type[open].kind == tok::greatergreater ? 2 : 0;
    angles -= type[open].kind == tok::less;
    if (angles == 0) break;
  }
  const Texts held(type.begin() + static_cast<std::ptrdiff_t>(open) + 1, type.end() - 1);
  if (open + 1 < type.size() && held.size() > 1 &&
      FitOfType(tokens, held, at, depth + 1) == ReceiverFit::kFits) {
    return ReceiverFit::kFits;
  }
  // Registry<Other>: Other may be an alias of the wanted type.
  const TextToken& argument = type[type.size() - 2];
  if (argument.kind != tok::identifier) return ReceiverFit::kOther;  // Registry<int>, nested ones
  const Declared declared = FindDeclaration(tokens, argument.text, at, steps_);
  using What = Declared::What;
  if (declared.what == What::kClass) return ReceiverFit::kOther;
  if (declared.what != What::kType) return ReceiverFit::kUnknown;
  Texts aliased = BareType(declared.type);
  const ReceiverFit inner = FitOfType(tokens, aliased, declared.at, depth + 1);
  if (inner == ReceiverFit::kFits) return inner;
  aliased.push_back(type.back());
  return FitOfType(tokens, std::move(aliased), declared.at, depth + 1);
}

ReceiverFit Receiver::FitOfExpression(const TokenStream& tokens, Texts expression, Index at,
                                      int depth) {
  if (depth > kDeepest) return ReceiverFit::kUnknown;
  while (!expression.empty()) {
    const bool unary =
        IsReference(expression.front().kind) || expression.front().kind == tok::coloncolon;
    const bool parentheses = expression.front().kind == tok::l_paren &&
                             ClosingBracket(expression, 0) + 1 == expression.size();
    if (!unary && !parentheses) break;
    if (parentheses) expression.pop_back();
    expression.erase(expression.begin());
  }
  if (expression.empty()) return ReceiverFit::kUnknown;
  if (expression.size() == 1) {
    if (expression[0].kind != tok::identifier) return ReceiverFit::kUnknown;
    return FitOfName(tokens, expression[0].text, at, false, depth);
  }
  if (expression.back().kind != tok::r_paren) return ReceiverFit::kUnknown;
  // A call of an accessor or function, or a cast.
  std::size_t open = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i].kind != tok::l_paren) continue;
    const std::size_t close = ClosingBracket(expression, i);
    open = i;
    if (close + 1 >= expression.size()) break;
    i = close;
  }
  if (open == 0) return ReceiverFit::kUnknown;
  Texts callee(expression.begin(), expression.begin() + static_cast<std::ptrdiff_t>(open));
  if (callee.back().kind == tok::greater) {
    if (callee.front().kind != tok::kw_static_cast && callee.front().kind != tok::kw_dynamic_cast &&
        callee.front().kind != tok::kw_reinterpret_cast) {
      return ReceiverFit::kUnknown;
    }
    return FitOfType(tokens, Texts(callee.begin() + 2, callee.end() - 1), at, depth + 1);
  }
  if (callee.size() == 1) return FitOfName(tokens, callee[0].text, at, false, depth);
  if (callee[callee.size() - 2].kind != tok::coloncolon) return ReceiverFit::kUnknown;
  // A temporary of the class: ns::Registry().
  for (const Wanted& wanted : wanted_) {
    if (FitOfTail(callee, wanted.type.tokens) == ReceiverFit::kFits) return ReceiverFit::kFits;
  }
  callee.resize(callee.size() - 2);
  return FitOfType(tokens, std::move(callee), at, depth + 1);
}

ReceiverFit Receiver::FitOfName(const TokenStream& tokens, std::string_view name, Index at,
                                bool type, int depth) {
  if (depth > kDeepest) return ReceiverFit::kUnknown;
  using What = Declared::What;
  const Declared declared = FindDeclaration(tokens, name, at, steps_);
  switch (declared.what) {
    case What::kType:
      return FitOfType(tokens, declared.type, declared.at, depth + 1);
    case What::kClass: {
      // It may derive from the wanted class.
      if (!type || declared.type.empty()) return ReceiverFit::kOther;
      for (const Wanted& wanted : wanted_) {
        const std::string bases = Joined(declared.type);
        const Texts& asked = wanted.type.tokens;
        if (!asked.empty() && bases.find(Joined(asked)) != std::string::npos) {
          return ReceiverFit::kFits;
        }
      }
      return declared.type.front().kind == tok::colon ? ReceiverFit::kUnknown : ReceiverFit::kOther;
    }
    case What::kVariable: {
      Texts given = BareType(declared.type);
      const bool deduced = given.empty() || given.front().kind == tok::kw_auto;
      if (!deduced) {
        const ReceiverFit fit = FitOfType(tokens, given, declared.at, depth + 1);
        if (fit != ReceiverFit::kUnknown || declared.initializer.empty()) return fit;
      }
      return FitOfExpression(tokens, declared.initializer, declared.at, depth + 1);
    }
    default:
      return ReceiverFit::kUnknown;
  }
}

}  // namespace opledger::scan

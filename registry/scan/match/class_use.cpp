// Reads uses of a registering class or function whose name is not followed by arguments.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"
#include "registry/scan/tokens/call_form.h"

namespace opledger::scan {
namespace {

// Tokens that may accompany the type name in a declaration.
bool IsDeclarationWord(tok::TokenKind kind) {
  switch (kind) {
    case tok::kw_const:
    case tok::kw_volatile:
    case tok::kw_static:
    case tok::kw_inline:
    case tok::kw_constexpr:
    case tok::kw_constinit:
    case tok::kw_thread_local:
    case tok::kw_typedef:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Reads a sink's name as that of a type or of a template with arguments. Returns nullopt if it is
// the name of a function. `alias` is the name that the use declares for it, or null.
std::optional<UseEnd> Matcher::ReadAsType(const Call& use, const clang::IdentifierInfo* alias,
                                          Holder holder) {
  outer_angles_ = 0;
  if (use.sink->templates && stream_.Is(tok::less)) {
    return ReadTemplateUse(use, TemplateArguments(true));
  }
  if (stream_.Is(tok::less)) TemplateArguments();
  if (outer_angles_ == 0 && alias != nullptr) return NameAlias(use, alias, holder);
  const bool outermost = outer_angles_ == 0 && stream_.EnclosingAngle(use.at) == TokenStream::kNone;
  const bool typedefs = stream_.KindAt(stream_.StatementBegin(use.at)) == tok::kw_typedef ||
                        stream_.Is(tok::kw_typedef);
  if (typedefs && outermost) return ReadTypedef(use);
  if (holder != Holder::kNone && outermost) {
    return ReadContainer(use, holder == Holder::kContainer, false);
  }
  return use.sink->variable ? std::optional(ReadType(use)) : std::nullopt;
}

// Called at the name of a sink that was not expanded, or at an alias of one.
UseEnd Matcher::ReadBare(const Interest& interest) {
  Call use;
  use.sink = interest.sink;
  use.number = interest.number;
  use.at = stream_.position();
  use.location = stream_.token().getLocation();
  const Sink& sink = *use.sink;
  const std::size_t token = RecordedToken();
  const bool swallowed = interest.macro && Swallowed();
  const bool instantiates = sink.templates && stream_.LookAhead(0).is(tok::less) &&
                            stream_.KindAt(stream_.StatementBegin(use.at)) == tok::kw_template &&
                            stream_.KindAt(stream_.StatementBegin(use.at) + 1) != tok::less;
  const bool declares = !instantiates && DeclaresType(use.at);
  const std::string name(stream_.Spelling(stream_.token()));
  Advance();
  use_token_ = token;
  if (locator_.IsInOtherHeader(use.location)) return UseEnd::kOutside;
  if (swallowed) {
    return Unresolved(use.location, "'" + name +
                                        "(' has too few arguments, or is not closed "
                                        "before the file ends");
  }
  const tok::TokenKind asked = stream_.KindAt(stream_.Enclosing(use.at) - 1);
  if (asked == tok::kw_decltype || asked == tok::kw_sizeof) return UseEnd::kOther;
  if (!sink.is_call && !sink.variable) {
    return Unresolved(use.location,
                      "'" + name + "' is used without arguments, which cannot be tracked");
  }
  const Index begin = stream_.NameBegin(use.at);
  Index before = begin - 1;
  if (stream_.KindAt(before) == tok::coloncolon) --before;
  const clang::IdentifierInfo* alias = AliasOf(begin);
  if (alias != nullptr && !stream_.token().isOneOf(tok::coloncolon, tok::less)) {
    const bool array = stream_.Is(tok::l_square);
    return NameAlias(use, alias, array ? Holder::kContainer : interest.holder);
  }
  const bool inherits = stream_.KindAt(before) == tok::kw_using && stream_.Is(tok::coloncolon) &&
                        stream_.LookAhead(0).getIdentifierInfo() == stream_.NameAt(use.at);
  if (inherits) {
    std::erase_if(derived_, [&](const Derived& one) { return one.name == ClassAround(use.at); });
    return NameAlias(use, ClassAround(use.at));
  }
  if (declares || stream_.Is(tok::coloncolon)) {
    return declares ? UseEnd::kDeclaration : UseEnd::kOther;
  }
  if (std::optional<UseEnd> type = ReadAsType(use, alias, interest.holder)) return *type;
  if (stream_.Is(tok::l_paren)) return Made(use, {}, token);
  if (const clang::IdentifierInfo* variable = FunctionVariable(use); variable != nullptr) {
    result_.ran_on = true;  // it may be called anywhere
    return NameAlias(use, variable);
  }
  if (std::optional<UseEnd> own = NamesAnother(use)) return *own;
  const ReceiverFit fit = receivers_[use.number].FitOf(stream_, use.at);
  if (fit == ReceiverFit::kOther) return UseEnd::kOther;
  return ReadFunction(use, name);
}

// Called at the token after a function that is passed to another, which may call it:
// for_each(names,
// Add). The arguments of such calls are evaluated.
UseEnd Matcher::ReadFunction(const Call& use, const std::string& name) {
  const Sink& sink = *use.sink;
  const bool plain = sink.form == NameForm::kString && sink.receivers.empty() && !sink.templates &&
                     sink.expression.empty() && sink.prefix_argument < 0 && sink.version < 0 &&
                     sink.prefix_method.empty() && sink.table.empty() && sink.also.empty() &&
                     sink.methods.empty() && !sink.kernel && sink.chain < 0;
  if (!plain) {
    return Unresolved(
        use.location,
        "'" + name +
            "' is named but not called, so calls through it were not tracked; call it by its name");
  }
  Dynamic dynamic{locator_.WrittenAt(use.location), name, {}};
  if (context_.recorder == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return UseEnd::kRegistered;
  }
  Registration registration;
  registration.site.location = dynamic.location;
  registration.site.call = locator_.CallAt(use.location, registration.site.macro);
  registration.site.condition = locator_.ConditionAt(use.location);
  const NameRule rule{sink.form, {}, sink.prefix, sink.prefix_optional};
  result_.unknown.push_back({std::move(registration), rule, std::move(dynamic)});
  const int number = static_cast<int>(result_.unknown.size()) - 1;
  context_.recorder->AddUse(
      {use_token_, use_token_ + 1, What::kFunction, std::to_string(sink.name), number});
  return UseEnd::kRegistered;
}

// Called at the token after a function: returns NAME of "auto& NAME = Function;" or "int
// (*NAME)(const char*) = &ns::Function;". Returns null otherwise, and for methods.
const clang::IdentifierInfo* Matcher::FunctionVariable(const Call& use) const {
  if (!use.sink->receivers.empty() || !stream_.token().isOneOf(tok::semi, tok::comma)) {
    return nullptr;
  }
  Index at = stream_.NameBegin(use.at) - 1;
  if (stream_.KindAt(at) == tok::coloncolon) --at;
  if (stream_.KindAt(at) == tok::amp) --at;
  if (stream_.KindAt(at) != tok::equal) return nullptr;
  --at;
  if (stream_.KindAt(at) == tok::r_paren) {  // the parameters of its type
    at = stream_.OpeningOf(at) - 1;
    if (stream_.KindAt(at) != tok::r_paren) return nullptr;
    --at;
  }
  const Index first = stream_.StatementBegin(use.at);
  const tok::TokenKind before = stream_.KindAt(at - 1);
  const bool typed = before == tok::kw_auto || before == tok::identifier || IsTypeWord(before) ||
                     IsReference(before) || before == tok::star || before == tok::greater;
  const bool declares = first < at && typed && stream_.KindAt(first) != tok::star;
  return declares && stream_.KindAt(at) == tok::identifier ? stream_.NameAt(at) : nullptr;
}

// Handles a variable, member or enumerator that has the name of a registering function.
std::optional<UseEnd> Matcher::NamesAnother(const Call& use) {
  const clang::IdentifierInfo* name = stream_.NameAt(use.at);
  const tok::TokenKind before = stream_.KindAt(use.at - 1);
  if (before == tok::period || before == tok::arrow) {
    const bool called = stream_.Is(tok::r_paren) && stream_.LookAhead(0).is(tok::l_paren);
    return called ? std::nullopt : std::optional(UseEnd::kOther);
  }
  if (before == tok::coloncolon) {
    const bool enumerator = enums_.contains(stream_.NameAt(use.at - 2));
    return enumerator ? std::optional(UseEnd::kOther) : std::nullopt;
  }
  Variable hidden;
  hidden.depth = stream_.braces();
  const Index brace = stream_.EnclosingBrace(use.at);
  if (before == tok::l_brace || before == tok::comma) {
    bool enumerates = false;
    for (Index i = stream_.StatementBegin(brace); brace != TokenStream::kNone && i < brace; ++i) {
      const tok::TokenKind kind = stream_.KindAt(i);
      enumerates = enumerates || kind == tok::kw_enum;
      if (kind == tok::colon || !enumerates || kind != tok::identifier) continue;
      enums_.insert(stream_.NameAt(i));
      break;
    }
    if (!enumerates) return std::nullopt;
    --hidden.depth;
    AddVariable(name, std::move(hidden));
    return UseEnd::kDeclaration;
  }
  Index type = use.at - 1;
  while (IsReference(stream_.KindAt(type))) --type;
  const tok::TokenKind kind = stream_.KindAt(type);
  const bool typed = kind == tok::identifier || kind == tok::greater || IsTypeWord(kind);
  const bool ends = stream_.token().isOneOf(tok::semi, tok::equal, tok::comma, tok::l_square,
                                            tok::colon, tok::r_paren);
  if (!typed || !ends) return std::nullopt;
  if (stream_.brackets() > 0) {
    AddParameter(name, std::move(hidden), stream_.brackets() - 1);
  } else {
    AddVariable(name, std::move(hidden));
  }
  return UseEnd::kDeclaration;
}

// Returns Name of "using Name = const ns::Type", where `at` is the type's first token; null
// otherwise.
const clang::IdentifierInfo* Matcher::AliasOf(Index at) {
  Index before = at - 1;
  while (IsDeclarationWord(stream_.KindAt(before)) ||
         (stream_.KindAt(before) == tok::coloncolon && stream_.KindAt(before - 1) == tok::equal) ||
         stream_.KindAt(before) == tok::kw_typename || stream_.KindAt(before) == tok::kw_class ||
         stream_.KindAt(before) == tok::kw_struct) {
    --before;
  }
  if (stream_.KindAt(before) != tok::equal) return nullptr;
  --before;
  while (stream_.KindAt(before) == tok::r_square || stream_.KindAt(before) == tok::r_paren) {
    before = stream_.OpeningOf(before) - 1;  // [[attribute]], __attribute__((...))
    if (stream_.KindAt(before) == tok::kw___attribute) --before;
  }
  const bool names = stream_.KindAt(before - 1) == tok::kw_using;
  return names ? stream_.NameAt(before) : nullptr;
}

// Called at an alias of the class: using Name = Type;
UseEnd Matcher::NameAlias(const Call& use, const clang::IdentifierInfo* name, Holder holder) {
  if (name == nullptr || name->getName() == use.sink->macro) return UseEnd::kDeclaration;
  Interest& interest = interests_[name];
  if (interest.sink != nullptr) return UseEnd::kDeclaration;
  interest.sink = use.sink;
  interest.number = use.number;
  interest.holder = holder;
  const int file = context_.tree.Known(locator_.WrittenAt(use.location).path);
  const bool shared = file >= 0 && context_.tree.files()[static_cast<std::size_t>(file)].included;
  if (!shared || stream_.brackets() > 0) return UseEnd::kDeclaration;
  return Unresolved(use.location, "registrations in other files that use '" +
                                      name->getName().str() + "', an alias of '" + use.sink->macro +
                                      "', are not seen; add a sink of that name to the dialect");
}

// Called at the token after the type in a typedef: typedef Type A, *B, C[2]; Type typedef A;
UseEnd Matcher::ReadTypedef(const Call& use) {
  UseEnd end = UseEnd::kDeclaration;
  bool pointer = false;
  while (!stream_.token().isOneOf(tok::semi, tok::l_brace, tok::eof)) {
    if (SkipAttribute()) continue;
    pointer = (pointer || IsReference(stream_.token().getKind())) && !stream_.Is(tok::comma);
    const bool name =
        stream_.Is(tok::identifier) &&
        stream_.LookAhead(0).isOneOf(tok::semi, tok::comma, tok::l_square, tok::kw___attribute);
    if (name && !pointer) {
      const bool attribute =
          stream_.LookAhead(0).is(tok::l_square) && stream_.LookAhead(1).is(tok::l_square);
      const bool array = stream_.LookAhead(0).is(tok::l_square) && !attribute;
      const UseEnd one = NameAlias(use, stream_.token().getIdentifierInfo(),
                                   array ? Holder::kContainer : Holder::kNone);
      if (one == UseEnd::kIncomplete) end = one;
    }
    if (stream_.Is(tok::l_paren)) Group();
    Advance();
  }
  return end;
}

// Skips an attribute: [[...]], __attribute__((...)), alignas(...).
bool Matcher::SkipAttribute() {
  const bool square = stream_.Is(tok::l_square) && stream_.LookAhead(0).is(tok::l_square);
  const bool word = stream_.token().isOneOf(tok::kw___attribute, tok::kw_alignas);
  if (!square && !word) return false;
  if (word) Advance();
  Group();
  Advance();
  return true;
}

// Returns the class whose definition contains the token; null if there is none.
const clang::IdentifierInfo* Matcher::ClassAround(Index at) {
  const Index brace = stream_.EnclosingBrace(at);
  for (Index i = stream_.StatementBegin(brace); brace != TokenStream::kNone && i < brace; ++i) {
    const tok::TokenKind kind = stream_.KindAt(i);
    if (kind != tok::kw_class && kind != tok::kw_struct) continue;
    if (stream_.KindAt(i + 1) == tok::identifier) return stream_.NameAt(i + 1);
  }
  return nullptr;
}

// A parameter that is not a reference to a variable: a call may construct an object for it.
UseEnd Matcher::TakesObjects(const Call& use, bool variable) {
  const bool ends = stream_.token().isOneOf(tok::comma, tok::r_paren);
  const Index open = stream_.Enclosing(stream_.position());
  const tok::TokenKind before = stream_.KindAt(open - 1);
  const bool function = open != TokenStream::kNone && stream_.KindAt(open) == tok::l_paren &&
                        (before == tok::identifier || before == tok::r_square);
  if (variable || !ends || !function) return UseEnd::kOther;
  // The class's own functions: copies, comparisons.
  const clang::IdentifierInfo* around = ClassAround(use.at);
  const bool own = (around != nullptr && around->getName() == use.sink->macro) ||
                   stream_.TextAt(open - 1) == use.sink->macro;
  if (own) return UseEnd::kOther;
  return Unresolved(use.location,
                    "arguments of a function that takes '" + use.sink->macro +
                        "' were not tracked; let it take a non-const reference, or write " +
                        use.sink->macro + "(...) in the call");
}

// Returns whether the name at `at` only declares the class or function: class Name, using ns::Name.
bool Matcher::DeclaresType(Index at) {
  Index before = stream_.NameBegin(at) - 1;
  if (stream_.KindAt(before) == tok::coloncolon) --before;
  switch (stream_.KindAt(before)) {
    case tok::kw_class:
    case tok::kw_struct:
    case tok::kw_union: {
      const clang::Token& next = stream_.LookAhead(0);
      return !next.is(tok::identifier) || next.getIdentifierInfo()->getName() == "final";
    }
    case tok::identifier:  // class EXPORT Name
      return stream_.KindAt(before - 1) == tok::kw_class ||
             stream_.KindAt(before - 1) == tok::kw_struct;
    case tok::kw_using:
    case tok::kw_namespace:
    case tok::kw_friend:
    case tok::kw_enum:
    case tok::kw_operator:
    case tok::tilde:
    case tok::kw_extern:
      return true;
    default:
      return false;
  }
}

// Called at the brace after the name of a class: Type{"x"}, -> Type {, class A : Type {
UseEnd Matcher::ReadTypeBeforeBrace(const Call& use) {
  const std::size_t token = use_token_;
  const Index before = stream_.NameBegin(use.at) - 1;
  const bool qualified = stream_.KindAt(before) == tok::coloncolon;
  if (stream_.KindAt(before - qualified) == tok::arrow) {
    returning_.push_back({use.sink, use.number, stream_.position(), stream_.braces() + 1});
    return UseEnd::kOther;
  }
  if (!InHeadOfClass(stream_, use.at)) return Made(use, {}, token);
  AddDerived(use);
  return UseEnd::kOther;
}

// Called at the token after the name of a registering class and its template arguments.
UseEnd Matcher::ReadType(const Call& use) {
  if (outer_angles_ > 0) return ReadTemplateArgument(use);
  const std::size_t token = use_token_;
  switch (stream_.token().getKind()) {
    case tok::l_paren:
      return Made(use, {}, token);
    case tok::l_brace:
      return ReadTypeBeforeBrace(use);
    case tok::comma:
      if (InHeadOfClass(stream_, use.at)) AddDerived(use);
      return ReadParameterList(use);
    case tok::r_paren:
      return ReadCast(use);
    case tok::kw___attribute:
    case tok::kw_alignas:
      SkipAttribute();
      return ReadType(use);
    case tok::kw_const:
    case tok::kw_volatile:
    case tok::kw_static:
    case tok::kw_inline:
    case tok::kw_constexpr:
    case tok::kw_constinit:
    case tok::kw_thread_local:
      Advance();
      return ReadType(use);
    case tok::identifier:
      return ReadDeclarators(use);
    case tok::l_square: {  // new Type[2]{...}
      if (SkipAttribute()) return ReadType(use);
      Group();
      Advance();
      if (!stream_.Is(tok::l_brace)) return Nameless(use);
      const std::vector<TextToken> elements = Group();
      Advance();
      use_token_ = token;
      return ReadElements(use, elements, true);
    }
    case tok::amp:
    case tok::ampamp: {  // Type&& name{"x"}, const Type& name = {"x"}
      const clang::Token& name = stream_.LookAhead(0);
      const bool list = stream_.LookAhead(1).is(tok::l_brace) ||
                        (stream_.LookAhead(1).is(tok::equal) &&
                         stream_.LookAhead(2).isOneOf(tok::l_brace, tok::string_literal));
      if (!name.is(tok::identifier) || !list) return ReadParameterList(use);
      Advance();
      return ReadDeclarators(use);
    }
    case tok::greater:
    case tok::greatergreater:
      return ReadTemplateArgument(use);
    default:
      return stream_.KindAt(stream_.NameBegin(use.at) - 1) == tok::kw_new ? Nameless(use)
                                                                          : UseEnd::kOther;
  }
}

// Reports an object that is constructed without a name: its constructor may register one.
UseEnd Matcher::Nameless(const Call& use) {
  if (!use.sink->methods.empty()) return UseEnd::kOther;
  return Unresolved(use.location, "an object of class '" + use.sink->macro +
                                      "' is constructed without a name, so what its constructor "
                                      "registers was not tracked; pass it the name");
}

// Called at the ')' after the class: a cast, (Type)"x", or an unnamed parameter.
UseEnd Matcher::ReadCast(const Call& use) {
  const Index open = stream_.Enclosing(use.at);
  const tok::TokenKind before = stream_.KindAt(open - 1);
  const bool function = before == tok::identifier || before == tok::greater ||
                        before == tok::r_square || before == tok::kw_operator ||
                        ClosesBracket(before);
  const clang::Token& operand = stream_.LookAhead(0);
  if (before == tok::kw_noexcept || before == tok::kw_alignof) return UseEnd::kOther;
  const bool value = operand.isOneOf(tok::string_literal, tok::l_brace, tok::l_paren) ||
                     operand.is(tok::identifier);
  if (function && !operand.is(tok::string_literal)) return ReadParameterList(use);
  if (!value || stream_.KindAt(open) != tok::l_paren) return UseEnd::kOther;
  const std::size_t token = use_token_;
  Advance();
  const std::vector<TextToken> tokens = Expression();
  use_token_ = token;
  return IsMade(tokens) ? UseEnd::kOther : Made(use, tokens, token);
}

// Reads what may be a parameter (const Type&, Type&&, Type) or a template argument.
UseEnd Matcher::ReadParameterList(const Call& use) {
  const Index angle = stream_.EnclosingAngle(use.at);
  const Index open = stream_.Enclosing(use.at);
  if (angle != TokenStream::kNone && angle > open) {
    if (stream_.KindAt(angle - 1) != tok::kw_static_cast) {
      return stream_.Is(tok::comma) ? ReadTemplateArgument(use) : UseEnd::kOther;
    }
    Advance();
    return stream_.Is(tok::greater) ? ReadTemplateArgument(use) : UseEnd::kOther;
  }
  bool constant = false;
  for (Index i = use.at - 1; i > open; --i) {
    if (stream_.KindAt(i) == tok::comma) break;
    constant = constant || stream_.KindAt(i) == tok::kw_const;
  }
  const bool variable = stream_.Is(tok::amp) && !constant;
  if (stream_.token().isOneOf(tok::amp, tok::ampamp)) {
    if (stream_.LookAhead(0).is(tok::identifier)) {
      if (!stream_.LookAhead(1).isOneOf(tok::comma, tok::r_paren)) return UseEnd::kOther;
      Advance();
    } else if (!stream_.LookAhead(0).isOneOf(tok::comma, tok::r_paren)) {
      return UseEnd::kOther;
    }
    Advance();
  }
  return TakesObjects(use, variable);
}

}  // namespace opledger::scan

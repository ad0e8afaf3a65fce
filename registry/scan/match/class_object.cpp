// Finds objects of registering classes by the syntax that passes their constructor's arguments:
//   Type a("x"), b{"y"};  Type c[] = {{"z"}};  Type f() { return "w"; }  make_unique<Type>("v")
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"
#include "registry/scan/tokens/call_form.h"

namespace opledger::scan {

bool IsMaker(std::string_view name) {
  return name == "make_unique" || name == "make_shared" || name == "make_optional" ||
         name == "make_unique_for_overwrite";
}

bool IsContainer(std::string_view name) {
  for (std::string_view known : {"vector", "list", "deque", "forward_list", "set", "multiset",
                                 "unordered_set", "initializer_list", "optional", "array"}) {
    if (name == known) return true;
  }
  return false;
}
namespace {

// Templates that construct an object of their argument type only if they are given a value.
bool MakesNothing(std::string_view name) {
  for (std::string_view known : {"map",
                                 "multimap",
                                 "unordered_map",
                                 "unordered_multimap",
                                 "unique_ptr",
                                 "shared_ptr",
                                 "weak_ptr",
                                 "function",
                                 "reference_wrapper",
                                 "variant",
                                 "stack",
                                 "queue",
                                 "hash",
                                 "less",
                                 "allocator",
                                 "declval",
                                 "get",
                                 "get_if",
                                 "holds_alternative",
                                 "any_cast",
                                 "move",
                                 "forward",
                                 "ref",
                                 "cref",
                                 "swap",
                                 "static_pointer_cast",
                                 "dynamic_pointer_cast",
                                 "numeric_limits",
                                 "const_pointer_cast",
                                 "is_same_v"}) {
    if (name == known) return true;
  }
  return IsContainer(name);
}

}  // namespace

// Called at a definition of a derived class: struct Name : Type {
void Matcher::AddDerived(const Call& use) {
  Derived derived{use.sink, nullptr, use.location, stream_.braces()};
  for (Index i = stream_.StatementBegin(use.at); i < use.at; ++i) {
    const tok::TokenKind kind = stream_.KindAt(i);
    if (kind == tok::colon) break;
    if (kind == tok::identifier && stream_.TextAt(i) != "final") derived.name = stream_.NameAt(i);
  }
  if (use.sink->methods.empty()) derived_.push_back(derived);
}

// Reports derived classes that end without a constructor. A constructor passes the arguments of the
// base class and is read where it is.
void Matcher::TrackDerived() {
  const clang::IdentifierInfo* identifier = stream_.token().getIdentifierInfo();
  for (std::size_t i = 0; i < derived_.size();) {
    const Derived& one = derived_[i];
    const bool constructor = identifier != nullptr && identifier == one.name &&
                             stream_.braces() == one.depth + 1 &&
                             stream_.LookAhead(0).is(tok::l_paren);
    const bool ended = stream_.braces() == one.depth && stream_.Is(tok::semi);
    if (!constructor && !ended) {
      ++i;
      continue;
    }
    if (ended) {
      Unresolved(one.location, "the arguments that '" +
                                   (one.name == nullptr ? "a class" : one.name->getName().str()) +
                                   "' passes to its base class '" + one.sink->macro +
                                   "' were not tracked; pass them in a constructor");
    }
    derived_.erase(derived_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Called at "return" in the body of a function that returns an object of the class: return {"x"};
// return "x";
bool Matcher::ReadReturn() {
  while (!returning_.empty() && returning_.back().depth > stream_.braces()) returning_.pop_back();
  if (returning_.empty()) return false;
  const Returning from = returning_.back();
  for (Index open = stream_.EnclosingBrace(stream_.position()); open != from.body;
       open = stream_.EnclosingBrace(open)) {
    const tok::TokenKind before = stream_.KindAt(open - 1);
    const Index parameters = before == tok::r_paren ? stream_.OpeningOf(open - 1) : open;
    if (open < from.body || stream_.KindAt(parameters - 1) == tok::r_square) return false;
  }
  if (!stream_.LookAhead(0).isOneOf(tok::l_brace, tok::string_literal, tok::identifier)) {
    return false;
  }
  Call use;
  use.sink = from.sink;
  use.number = from.number;
  use.at = stream_.position();
  use.location = stream_.token().getLocation();
  const std::size_t token = RecordedToken();
  Advance();
  const clang::IdentifierInfo* object = stream_.token().getIdentifierInfo();
  const bool plain = object != nullptr && stream_.LookAhead(0).is(tok::semi);
  if (plain) {
    const auto known = interests_.find(object);
    if (known != interests_.end() && !known->second.variables.empty()) return true;
  }
  const std::vector<TextToken> tokens = Expression();
  const TokenSpan inner = Inside(tokens);
  use_token_ = token;
  if (locator_.IsInOtherHeader(use.location)) return true;
  if (!inner.empty() || NameOf(tokens) || plain) {
    Made(use, inner.empty() ? TokenSpan(tokens) : inner, token);
  }
  return true;
}

// Registers from `arguments`, or from the bracket that opens here if `arguments` is null; then
// reads the chain.
UseEnd Matcher::Made(Call call, TokenSpan arguments, std::size_t token) {
  std::vector<TextToken> tokens;
  if (arguments.data() == nullptr) {
    const bool call_form = stream_.Is(tok::l_paren);
    tokens = Group();
    if (stream_.AtEnd()) {
      return Unresolved(call.location, "the arguments of '" + call.sink->macro +
                                           "' are not closed before the file ends");
    }
    Advance();
    arguments = tokens;
    if (call_form) {
      const std::vector<TokenSpan> given = SplitArguments(arguments);
      call.arguments = given;
      if (std::optional<UseEnd> end = NoUse(call)) return *end;
    }
  }
  std::vector<TokenSpan> given = SplitArguments(arguments);
  if (given.size() == 1 && given[0].size() > 2 && call.sink->methods.empty()) {
    if (TokenSpan inner = Inside(given[0]); !inner.empty()) given = SplitArguments(inner);
  }
  call.arguments = given;
  if (call.sink->form == NameForm::kToken) {
    call.spelled = CanonicalText(call.Argument(call.sink->name));
  }
  if (given.empty() && call.sink->methods.empty()) return Nameless(call);
  if (given.empty() || IsMade(call.Argument(call.sink->name))) {
    return call.sink->methods.empty() ? UseEnd::kOther : RegisterMethods(*call.sink);
  }
  use_token_ = token;
  recorded_text_.clear();
  const bool methods = !call.sink->methods.empty();
  if (methods) {
    const Ended made = EndMade(call);
    const UseEnd end = RegisterMethods(*call.sink);
    return end == UseEnd::kOther ? made.how : end;
  }
  return Record(Register(call), token);
}

// Reports a registration whose name is at `token` to the recorder, if there is one.
UseEnd Matcher::Record(Ended ended, std::size_t token) {
  if (context_.recorder == nullptr || ended.how != UseEnd::kRegistered) return ended.how;
  TokenRecorder::Use recorded{token, 0, ended.what, std::exchange(recorded_text_, {}), -1};
  if (ended.what == What::kRecord) recorded.number = static_cast<int>(result_.unknown.size()) - 1;
  context_.recorder->AddUse(std::move(recorded));
  return ended.how;
}

// Called at a variable without an initializer: a parameter, a member, or a declaration defined
// elsewhere.
UseEnd Matcher::DeclaredWithoutValue(const Call& use, const clang::IdentifierInfo* name, Index at) {
  const UseEnd taken = TakesObjects(use, false);
  const Index brace = stream_.EnclosingBrace(use.at);
  const Index first = stream_.StatementBegin(use.at);
  bool declared = false;  // defined elsewhere
  bool fixed = false;     // static; a static member is defined elsewhere
  for (Index i = first; i < at; ++i) {
    declared = declared || stream_.KindAt(i) == tok::kw_extern;
    fixed = (fixed || stream_.KindAt(i) == tok::kw_static) && stream_.KindAt(i) != tok::kw_inline;
  }
  const bool ends = stream_.token().isOneOf(tok::semi, tok::comma) && stream_.brackets() == 0;
  const bool in_class = ends && InHeadOfClass(stream_, brace);
  const bool instantiates =
      stream_.KindAt(first) == tok::kw_template && stream_.KindAt(first + 1) != tok::less;
  declared = declared || instantiates || (in_class && fixed);
  if (ends && !declared && !in_class) return Nameless(use);
  if (!in_class || declared || !use.sink->methods.empty()) return taken;
  return Unresolved(
      use.location,
      "the member '" + name->getName().str() + "' of class '" + use.sink->macro +
          "' gets its name elsewhere, which was not tracked; initialize it where it is declared");
}

// Advances past a declarator, from its first name: Class<T>::name, name[2]. Sets its last name and
// whether it is qualified. Returns whether it declares an array.
bool Matcher::SkipDeclaratorName(const clang::IdentifierInfo*& name, bool& qualified) {
  Advance();
  while (stream_.token().isOneOf(tok::coloncolon, tok::less)) {  // Class<T>::name
    qualified = true;
    stream_.Is(tok::less) ? static_cast<void>(TemplateArguments()) : Advance();
    if (!stream_.Is(tok::identifier)) continue;
    name = stream_.token().getIdentifierInfo();
    Advance();
  }
  bool array = false;
  while (stream_.token().isOneOf(tok::l_square, tok::kw___attribute, tok::kw_alignas)) {
    if (!stream_.Is(tok::l_square)) Advance();
    array = array || (stream_.Is(tok::l_square) && !stream_.LookAhead(0).is(tok::l_square));
    Group();
    Advance();
  }
  return array;
}

// Returns whether the comma is followed by another variable of the same type, not by a parameter.
bool Matcher::IsBeforeDeclarator() const {
  return stream_.Is(tok::comma) && stream_.LookAhead(0).is(tok::identifier) &&
         stream_.LookAhead(1).isOneOf(tok::l_paren, tok::l_brace, tok::l_square, tok::equal,
                                      tok::comma, tok::semi);
}

// Called at the first name of: Type a("x"), b{"y"}, c[] = {{"z"}}, d = "w";
UseEnd Matcher::ReadDeclarators(const Call& use) {
  const std::size_t token = use_token_;
  UseEnd end = UseEnd::kOther;
  while (stream_.Is(tok::identifier)) {
    const clang::IdentifierInfo* name = stream_.token().getIdentifierInfo();
    if (name->getName() == "final") return UseEnd::kDeclaration;
    if (stream_.LookAhead(0).is(tok::identifier)) {  // UNUSED name
      Advance();
      continue;
    }
    const Index at = stream_.position();
    bool qualified = false;
    const bool array = SkipDeclaratorName(name, qualified);
    std::vector<TextToken> tokens;
    bool given = true;
    if (stream_.Is(tok::l_paren)) {
      tokens = Group();
      Advance();
      const ArgumentForm form = FormOf(SplitArguments(tokens));
      if (tokens.empty() || form == ArgumentForm::kParameters) return EndFunction(use);
    } else if (stream_.Is(tok::l_brace)) {
      tokens = Group();
      Advance();
      if (tokens.empty()) return Nameless(use);
    } else if (stream_.Is(tok::colon) && stream_.brackets() > 0) {  // for (Type name : {"x", "y"})
      Advance();
      tokens = Expression();
      use_token_ = token;
      const TokenSpan elements = Inside(tokens);
      return elements.empty() ? UseEnd::kOther : ReadElements(use, elements, true);
    } else if (stream_.Is(tok::equal)) {
      Advance();
      tokens = Expression();
      const TokenSpan inner = Inside(tokens);
      if (inner.empty()) {  // a copy, unless it is initialized from a string
        given = NameOf(tokens).has_value();
      } else {
        tokens = std::vector<TextToken>(inner.begin(), inner.end());
      }
    } else {
      given = false;
      end = DeclaredWithoutValue(use, name, at);
    }
    if (end == UseEnd::kIncomplete && !given) return end;
    Variable variable;
    variable.kind = array ? Variable::Kind::kContainer : Variable::Kind::kObject;
    variable.depth = stream_.braces();
    variable.sink = use.sink;
    AddVariable(qualified ? nullptr : name, std::move(variable));
    if (given && array) end = ReadElements(use, tokens, true);
    if (given && !array && !tokens.empty()) {
      Call one = use;
      one.at = at;
      use_token_ = token;
      end = Made(one, tokens, token);
    }
    if (!IsBeforeDeclarator()) break;
    Advance();
  }
  return end;
}

// Behind the parameters of a function that returns an object of the class.
UseEnd Matcher::EndFunction(const Call& use) {
  while (stream_.token().isOneOf(tok::kw_const, tok::kw_noexcept, tok::amp, tok::ampamp) ||
         stream_.Is(tok::identifier)) {
    Advance();
  }
  if (stream_.Is(tok::l_brace)) {
    returning_.push_back({use.sink, use.number, stream_.position(), stream_.braces() + 1});
  }
  return UseEnd::kDeclaration;
}

bool IsRange(TokenSpan arguments) { return SplitArguments(arguments).size() >= 2; }

// Reads the elements of a braced array or container: "x", {"y", f}, Type("z").
UseEnd Matcher::ReadElements(const Call& use, TokenSpan tokens, bool exact) {
  const std::size_t token = use_token_;
  UseEnd end = UseEnd::kOther;
  const std::vector<TokenSpan> elements = SplitArguments(tokens);
  // array<Type, 2> a{{{"x"}, {"y"}}};
  if (const TokenSpan all = elements.size() == 1 ? Inside(elements[0]) : TokenSpan();
      exact && !all.empty() && all.front().kind == tok::l_brace) {
    return ReadElements(use, all, exact);
  }
  for (TokenSpan element : elements) {
    if (element.empty()) continue;
    const TokenSpan inner = Inside(element);
    const bool string = NameOf(element).has_value();
    if (IsMade(inner.empty() ? element : SplitArguments(inner).front())) continue;
    if (exact && (string || !inner.empty())) {
      end = Made(use, inner.empty() ? element : inner, token);
    } else if (exact || HoldsString(element)) {
      end = Unresolved(use.location, "the element '" + CanonicalText(element) +
                                         "' in a container of '" + use.sink->macro +
                                         "' was not tracked; write " + use.sink->macro + "(...)");
    }
  }
  return end;
}

// Called at the token after the class name, as a template argument: make_unique<Type>("x"),
// vector<Type> v{{"y"}}.
UseEnd Matcher::ReadTemplateArgument(const Call& use) {
  int angles = 0;
  Index outer = TokenStream::kNone;
  for (Index next = stream_.EnclosingAngle(use.at); next != TokenStream::kNone;
       next = stream_.EnclosingAngle(next)) {
    const tok::TokenKind named = stream_.KindAt(next - 1);
    if (named != tok::identifier && named != tok::kw_static_cast) break;
    outer = next;
    ++angles;
  }
  if (outer == TokenStream::kNone) return UseEnd::kOther;
  const std::string name(stream_.TextAt(outer - 1));
  const Index begin = stream_.NameBegin(outer - 1);
  const clang::IdentifierInfo* alias = AliasOf(begin);
  const bool typedefs = stream_.KindAt(stream_.StatementBegin(outer)) == tok::kw_typedef;
  angles -= outer_angles_;
  while (angles > 0 && !stream_.token().isOneOf(tok::eof, tok::semi, tok::l_brace)) {
    angles += stream_.Is(tok::less);
    angles -= stream_.Is(tok::greater);
    angles -= stream_.Is(tok::greatergreater) ? 2 : 0;
    if (OpensBracket(stream_.token().getKind())) Group();
    Advance();
  }
  const bool direct = outer == stream_.EnclosingAngle(use.at);
  const bool head = stream_.KindAt(begin - 1) == tok::arrow || InHeadOfClass(stream_, use.at);
  if (angles != 0 || head) return UseEnd::kOther;
  const bool cast = stream_.KindAt(outer - 1) == tok::kw_static_cast;
  const std::size_t token = use_token_;
  if (stream_.Is(tok::l_paren) && direct && (cast || IsMaker(name))) return Made(use, {}, token);
  if (stream_.Is(tok::coloncolon) && stream_.LookAhead(0).is(tok::identifier) &&
      stream_.LookAhead(0).getIdentifierInfo()->getName() == "type") {
    Advance();
    Advance();
  }
  const bool exact = direct && IsContainer(name);
  const bool pointer = name.ends_with("_ptr") || name == "function" || name == "reference_wrapper";
  const Holder holder = exact ? Holder::kContainer : Holder::kUnknown;
  if (typedefs && stream_.Is(tok::identifier)) alias = stream_.token().getIdentifierInfo();
  if (alias != nullptr && !pointer) return NameAlias(use, alias, holder);
  if (alias != nullptr || typedefs) return UseEnd::kOther;
  use_token_ = token;
  if (!MakesNothing(name) && use.sink->methods.empty() && !cast) {
    const bool made = stream_.Is(tok::l_paren) && stream_.LookAhead(0).is(tok::r_paren);
    const bool variable = stream_.Is(tok::identifier) && stream_.brackets() == 0 &&
                          stream_.LookAhead(0).isOneOf(tok::semi, tok::comma);
    if (made || variable) {
      Advance();
      return Unresolved(use.location, "the use of '" + name + "' to construct class '" +
                                          use.sink->macro + "' was not tracked; write " +
                                          use.sink->macro + "(...)");
    }
  }
  return ReadContainer(use, exact, name == "optional");
}

// Called at the token after the container's '>'.
UseEnd Matcher::ReadContainer(const Call& use, bool exact, bool optional) {
  const std::size_t token = use_token_;
  const int level = stream_.brackets();
  bool parameter = false;
  const Index type = stream_.StatementBegin(use.at);
  bool constant = false;
  for (Index i = use.at - 1; i >= type && !stream_.AtEnd(); --i) {
    if (stream_.KindAt(i) == tok::comma || OpensBracket(stream_.KindAt(i))) break;
    constant = constant || stream_.KindAt(i) == tok::kw_const;
  }
  while (stream_.token().isOneOf(tok::amp, tok::ampamp, tok::star, tok::kw_const)) {
    parameter = true;
    Advance();
  }
  if (stream_.Is(tok::identifier)) {
    Variable variable;
    variable.kind = Variable::Kind::kContainer;
    variable.depth = stream_.braces();
    variable.sink = use.sink;
    variable.exact = exact;
    const clang::IdentifierInfo* name = stream_.token().getIdentifierInfo();
    const clang::Token& next = stream_.LookAhead(0);
    const bool in_parameters = parameter && next.isOneOf(tok::comma, tok::r_paren) && level > 0;
    Advance();
    if (in_parameters) {
      AddParameter(name, std::move(variable), level - 1);
      return TakesObjects(use, !constant);
    }
    const UseEnd taken = TakesObjects(use, false);
    if (taken == UseEnd::kIncomplete) return taken;
    variable.member = stream_.brackets() == 0 && ClassAround(use.at) != nullptr;
    if (variable.member) variable.depth = 0;
    AddVariable(name, std::move(variable));
  } else if (parameter) {
    return UseEnd::kOther;
  }
  if (stream_.Is(tok::equal)) Advance();
  if (stream_.Is(tok::l_brace)) {
    const std::vector<TextToken> tokens = Group();
    Advance();
    use_token_ = token;
    return ReadElements(use, tokens, exact);
  }
  if (!stream_.Is(tok::l_paren)) return UseEnd::kOther;
  const std::vector<TextToken> tokens = Group();
  Advance();
  use_token_ = token;
  if (optional && exact) return ReadElements(use, tokens, exact);
  const bool count = tokens.size() == 1 && tokens[0].kind == tok::numeric_constant;
  if (count && exact && tokens[0].text != "0") return Nameless(use);
  if (!HoldsString(tokens) && !(exact && IsRange(tokens))) return UseEnd::kOther;
  return Unresolved(use.location, "the construction of class '" + use.sink->macro +
                                      "' here was not tracked; write " + use.sink->macro +
                                      "(...) or std::make_unique<" + use.sink->macro + ">(...)");
}

}  // namespace opledger::scan

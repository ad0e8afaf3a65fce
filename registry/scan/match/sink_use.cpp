// Reads uses of sinks with arguments, or tells that a use is a declaration or another type's
// method.
// __opledger_sink(0, "abs", abs).add_alias("_np_abs")  ->  Registration{abs, alias _np_abs}
// REGISTER_KERNEL_BUILDER(Name("MatMul").Device(DEVICE_GPU).TypeConstraint<Eigen::half>("T"), C)
//   -> Registration{adds to MatMul, Kernel{"cuda", T: float16}}
// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <charconv>

#include "registry/scan/match/matcher.h"
#include "registry/scan/match/sink_definition.h"
#include "registry/scan/tokens/call_form.h"
#include "registry/scan/tokens/kernel_call.h"

namespace opledger::scan {
namespace {

// A literal that cannot be a name: false, 3.
bool IsNoString(TokenSpan tokens) {
  if (tokens.size() != 1) return false;
  const tok::TokenKind kind = tokens[0].kind;
  return kind == tok::kw_true || kind == tok::kw_false || kind == tok::numeric_constant ||
         kind == tok::char_constant || kind == tok::kw_nullptr;
}

}  // namespace

// Reads a use and reports its tokens to the recorder, if there is one.
UseEnd Matcher::ReadUse() {
  const std::size_t strange = stream_.strange();
  TokenRecorder::Use use;
  use.token = RecordedToken();
  use_token_ = use.token;
  const Ended ended = UseSink();
  result_.ran_on = result_.ran_on || stream_.strange() > strange;
  if (context_.recorder == nullptr) return ended.how;
  use.what = ended.what;
  use.text = std::exchange(recorded_text_, {});
  use.head = std::exchange(recorded_head_, {});
  use.tail = std::exchange(recorded_tail_, {});
  use.end = stream_.AtEnd() ? use.token + 1 : context_.recorder->Last();
  if (use.what == What::kRecord) use.number = static_cast<int>(result_.unknown.size()) - 1;
  context_.recorder->AddUse(std::move(use));
  return ended.how;
}

// Called at the sentinel: __opledger_sink(NUMBER, "NAME AS WRITTEN", ARGUMENTS)
Ended Matcher::UseSink() {
  Call call;
  call.location = stream_.token().getLocation();
  call.at = stream_.position();
  const std::size_t token = use_token_;
  Advance();
  if (!stream_.Is(tok::l_paren)) return {UseEnd::kOther, What::kNothing};
  std::vector<TextToken> tokens = Group();
  const bool closed = !stream_.AtEnd();
  Advance();
  use_token_ = token;
  recorded_text_.clear();
  const bool outside = locator_.IsInOtherHeader(call.location);
  if (outside && context_.recorder == nullptr) return {UseEnd::kOutside};
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  call.number = context_.sinks.size();
  if (!arguments.empty() && arguments[0].size() == 1) {
    const std::string_view text = arguments[0][0].text;
    std::from_chars(text.data(), text.data() + text.size(), call.number);
  }
  if (call.number >= context_.sinks.size() || arguments.size() < 2) {
    return {outside ? UseEnd::kOutside : UseEnd::kOther, What::kNothing};
  }
  call.sink = context_.sinks[call.number];
  if (outside) return EndOutside(call, {arguments.begin() + 2, arguments.end()});
  if (!closed) {
    return {Unresolved(call.location,
                       "'" + call.sink->macro + "(' is not closed before the file ends")};
  }
  call.spelled = StringValue(arguments[1]).value_or("");
  call.arguments = std::span(arguments).subspan(2);
  return EndCall(call);
}

// In a header that is scanned by itself: the unit only needs its declarations of sinks.
Ended Matcher::EndOutside(const Call& call, const std::vector<TokenSpan>& arguments) {
  const Sink& sink = *call.sink;
  const bool declares = sink.is_call && FormOfCall(stream_, call.at, arguments, sink.variable) ==
                                            CallForm::kDeclaration;
  if (!declares) return {UseEnd::kOutside};
  recorded_text_ = sink.macro + "(" + SourceText(arguments) + ")";
  return {UseEnd::kOutside, What::kNothing};
}

// Called at the token after the arguments.
Ended Matcher::EndCall(const Call& call) {
  if (std::optional<UseEnd> end = NoUse(call)) {
    recorded_text_ = call.sink->macro + "(" + SourceText(call.arguments) + ")";
    return {*end, What::kNothing};
  }
  const Sink& sink = *call.sink;
  if (sink.scope) {
    const bool opens = stream_.Is(tok::l_brace);
    if (!opens) return {UseEnd::kDeclaration};
    recorded_text_ = CanonicalText(call.Argument(sink.scope->receiver));
    return {OpenScopeBlock(call), What::kBlock};
  }
  if (!sink.methods.empty()) {
    NameResult(call, false);
    const Ended made = sink.variable ? EndMade(call) : Ended{};
    const UseEnd methods = RegisterMethods(sink);
    return {methods == UseEnd::kOther ? made.how : methods};
  }
  if (context_.recorder != nullptr && sink.variable && !call.arguments.empty()) {
    recorded_head_ = sink.macro + "((";
    recorded_tail_ = SourceText(call.arguments.first(1)) + ")";
    if (call.arguments.size() > 1) {
      recorded_tail_ += ", " + SourceText(call.arguments.subspan(1));
    }
    recorded_tail_ += ")";
  }
  return Register(call);
}

// Handles a variable that is initialized from a name and more arguments, not from a list of
// operators.
Ended Matcher::EndMade(const Call& call) {
  const Sink& sink = *call.sink;
  const TokenSpan argument = call.Argument(sink.name);
  if (argument.empty() || argument.front().kind == tok::l_brace || IsMade(argument)) return {};
  if (sink.methods.empty()) return Register(call);
  if (!NameOf(argument) && call.arguments.size() == 1) return {};  // a list
  ScopeMethod method;
  method.method = sink.macro;
  method.form = sink.form;
  return {RegisterInScope(method, {}, {&argument, 1}, call.location)};
}

// Returns whether the sink was redefined before the call.
bool Matcher::IsDefinedAnew(const Call& call) {
  auto [known, fresh] = defined_anew_.try_emplace(call.sink);
  if (fresh) known->second = DefinedAnew(*call.sink, context_);
  if (!known->second) return false;
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(call.location);
  return sources.getFileID(at) != sources.getMainFileID() ||
         *known->second <= sources.getFileOffset(at);
}

// Returns how the use ends if it does not register; nullopt if it does.
std::optional<UseEnd> Matcher::NoUse(const Call& call) {
  const Sink& sink = *call.sink;
  if (!sink.within.empty() && !IsWithin(sink.within, call.at)) return UseEnd::kOther;
  if (IsDefinedAnew(call)) {
    return Unresolved(call.location, "'" + sink.macro +
                                         "' was undefined and redefined, so what it registers was "
                                         "not tracked; rename one of the two");
  }
  if (sink.is_call && sink.form != NameForm::kToken && IsNoString(call.Argument(sink.name))) {
    return UseEnd::kOther;
  }
  const bool without = sink.templates && call.templates == 0;
  if (sink.is_call) {
    const std::span<const TokenSpan> given = call.arguments.subspan(call.templates);
    const std::vector<TokenSpan> arguments(given.begin(), given.end());
    CallForm form = FormOfCall(stream_, call.at, arguments, sink.variable);
    if (stream_.token().isOneOf(tok::period, tok::arrow)) form = CallForm::kCall;
    if (form == CallForm::kDeclaration) return UseEnd::kDeclaration;
    if (form == CallForm::kUnclear) {
      return Unresolved(call.location, "'" + sink.macro + "(" + SourceText(call.arguments) +
                                           ")' may be a call or the declaration of a function; "
                                           "write the name as a string, or a parameter's name");
    }
  }
  switch (receivers_[call.number].FitOf(stream_, call.at)) {
    case ReceiverFit::kFits:
      break;
    case ReceiverFit::kOther:
      return UseEnd::kOther;
    case ReceiverFit::kNone:
      if (IsHandedOn(call)) return UseEnd::kDeclaration;
      return Unresolved(
          call.location,
          "'" + sink.macro +
              "' is called without an object, so its class cannot be determined; call it on " +
              sink.receivers.front());
    case ReceiverFit::kUnknown:
      return Unresolved(call.location,
                        "the class of the method '" + sink.macro +
                            "' cannot be determined from the object; call it on " +
                            sink.receivers.front() +
                            ", or name other types in the dialect's sinks[].other_receivers");
  }
  if (IsHandedOn(call)) return UseEnd::kDeclaration;
  if (without) {
    return Unresolved(call.location, "'" + sink.macro +
                                         "' is used without template arguments, which say what it "
                                         "registers; write them out");
  }
  return std::nullopt;
}

// Returns whether the name at `at` directly follows `name<`, ignoring namespaces and class keys.
bool Matcher::IsWithin(const std::string& name, Index at) {
  Index before = stream_.NameBegin(at) - 1;
  while (stream_.KindAt(before) == tok::kw_class || stream_.KindAt(before) == tok::kw_struct ||
         stream_.KindAt(before) == tok::kw_typename) {
    --before;
  }
  return stream_.KindAt(before) == tok::less && stream_.TextAt(before - 1) == name;
}

// Returns whether the definition of a sink forwards its own parameter: the name comes from its
// callers.
bool Matcher::IsHandedOn(const Call& call) {
  const TokenSpan name = call.Argument(call.sink->name);
  return call.sink->is_call && name.size() == 1 && name[0].kind == tok::identifier &&
         IsParameterOfSink(name[0].text, call.at);
}

// Returns whether the function that is defined at `name` may be a method of the receiver's class,
// since classes of other names may have a method of the same name.
bool Matcher::MayBeMethodOf(const Receiver& receiver, Index name) {
  if (receiver.IsAny()) return true;
  if (stream_.KindAt(name - 1) == tok::coloncolon) return receiver.Names(stream_.TextAt(name - 2));
  const clang::IdentifierInfo* const around = ClassAround(name);
  return around != nullptr && receiver.Names(around->getName());
}

// Returns whether `at` is in the definition of a sink that has a parameter of this name.
bool Matcher::IsParameterOfSink(std::string_view name, Index at) {
  for (Index open = stream_.EnclosingBrace(at); open != TokenStream::kNone;
       open = stream_.EnclosingBrace(open)) {
    Index i = open - 1;
    while (true) {
      const tok::TokenKind kind = stream_.KindAt(i);
      if (kind == tok::kw_const || kind == tok::kw_noexcept || kind == tok::amp ||
          kind == tok::ampamp || kind == tok::comma || kind == tok::colon ||
          kind == tok::identifier) {
        --i;  // override, initialized members
      } else if (kind == tok::r_paren || kind == tok::r_brace) {
        const Index begin = stream_.OpeningOf(i);
        if (begin == TokenStream::kNone) break;
        if (stream_.NameAt(begin - 1) == sentinel_) {
          std::size_t number = context_.sinks.size();
          const std::string_view text = stream_.TextAt(begin + 1);
          std::from_chars(text.data(), text.data() + text.size(), number);
          bool named = false;
          for (Index of = begin + 1; of < i; ++of) named = named || stream_.TextAt(of) == name;
          return named && number < context_.sinks.size() && context_.sinks[number]->is_call &&
                 MayBeMethodOf(receivers_[number], begin - 1);
        }
        if (stream_.KindAt(begin - 1) != tok::identifier) break;
        i = begin - 2;
      } else {
        break;
      }
    }
  }
  return false;
}

// Sets the registration's name from the expanded tokens. Returns how the use ends if that fails.
std::optional<Ended> Matcher::SetNameOf(const Call& call, TokenSpan expanded,
                                        const std::string& prefix, Registration& registration) {
  const Sink& sink = *call.sink;
  if (!sink.expression.empty()) {
    const bool all = sink.parameters < 0;  // possibly a type with template arguments
    std::span<const TokenSpan> given = call.arguments.subspan(
        std::min(static_cast<std::size_t>(sink.name), call.arguments.size()));
    if (!all && given.size() > 1) given = given.first(1);
    if (SetExpression(sink, prefix, SourceText(given), call.location)) return std::nullopt;
    Chain(registration);
    return Ended{UseEnd::kRegistered};
  }
  if (sink.form == NameForm::kType) {
    if (SetTypeName(call, prefix, registration)) return std::nullopt;
    Chain(registration);
    return Ended{UseEnd::kIncomplete};
  }
  if (sink.form != NameForm::kToken) {
    if (SetName(expanded, {sink.form, {}, prefix, sink.prefix_optional}, call.location,
                registration)) {
      return std::nullopt;
    }
    Chain(registration);
    return Ended{UseEnd::kRegistered};
  }
  std::string spelled = call.spelled;
  const std::string meant = CanonicalText(expanded);
  if (meant != spelled && !expanded.empty() && ExpandsName(sink, context_)) spelled = meant;
  registration.name = prefix + spelled;
  const bool name = !spelled.empty() && std::all_of(spelled.begin(), spelled.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
  if (name) return std::nullopt;
  return Ended{Unresolved(call.location, "'" + spelled +
                                             "' is not an operator name: the argument " + "of " +
                                             sink.macro + " must be one identifier")};
}

Ended Matcher::Register(const Call& call) {
  const Sink& sink = *call.sink;
  const clang::SourceLocation location = call.location;
  const TokenSpan expanded = call.Argument(sink.name);
  Registration registration;
  const bool without = static_cast<std::size_t>(sink.name) >= call.arguments.size() ||
                       (expanded.empty() && sink.form != NameForm::kToken);
  if (without && sink.expression.empty()) {
    const UseEnd end =
        Unresolved(location, "'" + sink.macro + "' has no argument " + std::to_string(sink.name) +
                                 " here, which must be the operator's name");
    Chain(registration);
    return {end};
  }
  const bool said = sink.prefix_argument >= 0 && sink.prefix_method.empty();
  const std::optional<std::string> prefix =
      said ? PrefixSaid(sink, call.Argument(sink.prefix_argument)) : sink.prefix;
  if (!prefix) {
    const UseEnd end = UnknownPrefix(call);
    Chain(registration);
    return {end};
  }
  if (std::optional<Ended> ended = SetNameOf(call, expanded, *prefix, registration)) return *ended;
  // The chain may contain further uses.
  std::optional<UnknownName> unknown = std::exchange(unknown_, std::nullopt);
  std::string recorded_text = std::exchange(recorded_text_, {});
  clang::SourceLocation written = expanded.empty() ? location : expanded.front().location;
  registration.site.location = locator_.WrittenAt(written);
  registration.site.call = locator_.CallAt(location, registration.site.macro);
  registration.site.condition = locator_.ConditionAt(location);
  registration.site.condition = registration.site.condition.And(ConditionOf(expanded));
  if (sink.prefix_optional && !unknown && !prefix->empty()) {
    const std::string bare = registration.name.substr(prefix->size());
    registration.aliases.push_back({bare, registration.site.location, registration.site.condition});
  }
  if (sink.version >= 0 && !Version(call, registration)) {
    return {Unresolved(location, "the version of '" + registration.name + "' is not a number")};
  }
  if (!sink.prefix_method.empty()) {
    if (!ReadWithPrefix(call, registration)) return {UnknownPrefix(call)};
  } else if (!ReadChains(call, registration)) {
    return {UseEnd::kIncomplete};
  }
  if (!sink.table.empty()) {
    registration.adds = true;
    FieldFact& entry = registration.fields.emplace_back();
    entry.field = kTableKey;
    entry.value.value = KernelKey(call.arguments, sink.table);
    entry.value.condition = registration.site.condition;
  }
  if (registration.site.condition.IsNever()) return {UseEnd::kNever};
  const What what = unknown ? What::kRecord : What::kKnown;
  for (const std::string& name : sink.also) {
    if (!unknown) AddBeside(name, registration);
  }
  NameResult(call, unknown.has_value());
  unknown_ = std::move(unknown);
  recorded_text_ = std::move(recorded_text);
  FinishRegistration(std::move(registration));
  return {UseEnd::kRegistered, what};
}

// Adds an operator that a sink also registers, such as "_backward_{}", without further facts.
void Matcher::AddBeside(std::string name, const Registration& registration) {
  const std::size_t at = name.find("{}");
  if (at != std::string::npos) name.replace(at, 2, registration.name);
  Registration& beside = facts_.registrations.emplace_back();
  beside.name = std::move(name);
  beside.site = registration.site;
}

// Reads the chain in an argument, if any, the chain after the call, and a kernel's arguments.
// Returns false if this does not register anything.
bool Matcher::ReadChains(const Call& call, Registration& registration) {
  if (call.sink->kernel) return ReadKernel(call, registration);
  if (call.sink->chain >= 0) ChainIn(call.Argument(call.sink->chain), registration);
  Chain(registration);
  return true;
}

// Returns the prefix that the argument states; nullopt if it is not known.
std::optional<std::string> Matcher::PrefixSaid(const Sink& sink, TokenSpan argument) {
  std::optional<std::string> text = StringValue(argument);
  const bool names = std::all_of(argument.begin(), argument.end(), [](const auto& token) {
    return token.text == "::" || clang::tok::isAnyIdentifier(token.kind);
  });
  if (sink.prefix_token && !text && names && !argument.empty()) {
    text = std::string();
    for (const auto& token : argument) *text += token.text;
  } else if (!text && !argument.empty()) {
    const auto known = context_.dialect.constants.find(std::string(argument.back().text));
    if (known != context_.dialect.constants.end()) text = known->second;
  }
  if (text && !text->empty()) *text += sink.prefix_separator;
  return text;
}

UseEnd Matcher::UnknownPrefix(const Call& call) {
  const bool method = !call.sink->prefix_method.empty();
  const std::string said =
      method ? call.sink->prefix_method : CanonicalText(call.Argument(call.sink->prefix_argument));
  return Unresolved(call.location, "the prefix that '" + said + "' adds to the name of '" +
                                       call.sink->macro +
                                       "' is not known; add it to the dialect's constants");
}

// Reads the chains of a sink whose prefix a method may state. Returns false if the prefix is
// unknown.
bool Matcher::ReadWithPrefix(const Call& call, Registration& registration) {
  ChainPrefix prefix{call.sink, std::string()};
  ChainPrefix* const outer = std::exchange(prefix_, &prefix);
  const bool read = ReadChains(call, registration);
  prefix_ = outer;
  if (!read || !prefix.said) return false;
  registration.name = *prefix.said + registration.name;
  return true;
}

// Reports a kernel whose types or condition were not read completely.
void Matcher::BookCutTypes(clang::SourceLocation location) {
  if (!type_lists_.TakeCut()) return;
  Unresolved(location,
             "the element types of this kernel were not read, because their names refer to too "
             "many others, their list is too long, or its condition has too many alternatives; "
             "write them here");
}

// Reads a kernel and its chain, at the token after the call. Returns false if no device is known.
bool Matcher::ReadKernel(const Call& call, Registration& registration) {
  const Sink& sink = *call.sink;
  Kernel kernel;
  kernel.location = registration.site.location;
  kernel.condition = registration.site.condition;
  const std::vector<TokenSpan> own(call.arguments.begin(), call.arguments.end());
  AddKernelCall(context_.dialect, type_lists_, *sink.kernel, {}, own, kernel);
  if (sink.kernel->dtypes >= 0 || !sink.kernel->dtype_arguments.empty()) {
    for (TokenSpan argument : own) kernel.condition = kernel.condition.And(ConditionOf(argument));
  }
  Kernel* const outer = kernel_;
  std::vector<KernelAlternative> ways;
  if (const TokenSpan asked = ArgumentAt(own, sink.kernel->condition); !asked.empty()) {
    ways = KernelAlternatives(context_.dialect, type_lists_, *sink.kernel, asked);
  }
  BookCutTypes(call.location);
  std::swap(ways, ways_);
  // If the kernel is a function or class, the chain belongs to the operator.
  kernel_ = sink.kernel->function >= 0 ? nullptr : &kernel;
  if (sink.chain >= 0) ChainIn(ArgumentAt(own, sink.chain), registration);
  Chain(registration);
  kernel_ = outer;
  std::swap(ways, ways_);
  const bool anywhere = std::any_of(
      ways.begin(), ways.end(), [](const KernelAlternative& way) { return way.device.empty(); });
  if (kernel.device.empty() && (ways.empty() || anywhere)) {
    Unresolved(call.location, "the kernel of '" + registration.name + "' does not name a device");
    return false;
  }
  if (kernel.condition.IsNever()) {
    registration.site.condition = Condition::Never();
    return true;
  }
  AddKernel(kernel, std::move(ways), registration);
  registration.adds = !sink.operator_too;
  return true;
}

// Adds the kernel once, or once for each alternative of its condition.
void Matcher::AddKernel(const Kernel& kernel, std::vector<KernelAlternative> ways,
                        Registration& registration) {
  if (ways.empty()) ways.emplace_back();
  for (KernelAlternative& way : ways) {
    Kernel& one = registration.kernels.emplace_back(kernel);
    if (!way.device.empty()) one.device = way.device;
    for (auto& [variable, types] : way.types) one.types[variable] = std::move(types);
  }
}

}  // namespace opledger::scan

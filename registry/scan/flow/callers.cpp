// Decides whether anything calls a function. A function of this file runs if code that mentions its
// name does, and so do the members of a class that only this file knows. Names that macros may
// form, and names in directives, count as mentions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/scan/flow/flow.h"

namespace opledger::scan {
Condition CodeFlow::ReachOf(Offset place) {
  const CodeView& view = code_.ViewAt(place);
  const int at = view.Find(place);
  steps_ = 0;
  if (HasHiddenNames()) return {};
  const Condition reach = at < 0 ? Condition() : Reach(view, at);
  return steps_ > kMaxReachSteps ? Condition() : reach;
}

// Returns whether functions may have other names besides those that they are declared with.
bool CodeFlow::HasHiddenNames() {
  constexpr std::string_view kGiveNames[] = {"alias", "__alias__", "ifunc",   "__ifunc__",
                                             "asm",   "__asm__",   "weakref", "__weakref__"};
  return std::any_of(std::begin(kGiveNames), std::end(kGiveNames), [&](std::string_view word) {
    return !code_.Mentions(word).empty() || others_.Names(word);
  });
}

Condition CodeFlow::Reach(const CodeView& view, int at) {
  if (++steps_ > kMaxReachSteps || !view.IsPairedTo(at)) return {};
  const std::vector<Declaration> around = declarations_.Around(view, at);
  Condition runs;
  for (const Declaration& one : around) {
    const bool last = &one == &around.back();
    if (one.kind == Declaration::Kind::kNamespace) {
      if (last) return {};
    } else if (one.kind == Declaration::Kind::kClass && last && at < one.body) {
      return one.in_class ? runs : runs.And(UsersOf(view, one));  // derives from what it names
    } else if (one.kind == Declaration::Kind::kClass && !last) {
      // The language may use a nested class without naming it: promise_type.
      if (!one.in_class) runs = runs.And(UsersOf(view, one));
    } else if (view.HasGap(one.begin, at) || view.Is(one.begin, "friend")) {
      return {};
    } else if (one.kind == Declaration::Kind::kFunction) {
      return runs.And(InFunction(view, one, IsInternal(view, one), at));
    } else {
      // A static member is initialized when the program starts.
      const bool shared = one.in_class && HasWord(view, one.begin, one.end, "static");
      if (shared && one.kind == Declaration::Kind::kOther) runs = Condition();
      return InExpression(view, one.begin, one.end, at, runs);
    }
  }
  return {};
}

// `internal`: code that does not name the function in this file cannot call it.
Condition CodeFlow::InFunction(const CodeView& view, const Declaration& function, bool internal,
                               int at) {
  const auto local = [&] {
    if (function.InBody(view, at)) return InBody(view, function.body, at, Condition());
    return at > function.name
               ? InExpression(view, function.name + 1, function.body, at, Condition())
               : Condition();
  };
  const ConstantTests::Bindings outer = std::exchange(tests_.bindings, {});
  Condition reach = local();
  if (internal && !reach.IsNever()) {
    const std::vector<Parameter> parameters = ParametersOf(view, function);
    reach = reach.And(MentionsRun(view, function.name, [&](const CodeView& there, int mention) {
      ConstantTests::Bindings bindings;
      if (!BindArguments(there, mention, parameters, bindings)) return Condition::Never();
      if (bindings.empty()) return Condition();
      tests_.bindings = std::move(bindings);
      Condition called = local();
      tests_.bindings.clear();
      return called;
    }));
  }
  tests_.bindings = outer;
  return reach;
}

// Binds the values of parameters in the call. Returns false if it calls another function of the
// same name.
bool CodeFlow::BindArguments(const CodeView& view, int mention,
                             const std::vector<Parameter>& parameters,
                             ConstantTests::Bindings& bindings) {
  int open = mention + 1;
  std::vector<TokenRange> given;
  if (view.Is(open, "<")) {
    given = ArgumentsAt(view, open);
    open = BehindAngles(view, open, view.size());
  }
  if (!view.Is(open, "(")) return true;  // passed on, not called
  bool macros = false;                   // if so, the number of arguments is unknown
  for (int i = mention + 1; i < view.Partner(open); ++i) {
    if (i > open && view.Is(i, "<")) return true;  // less-than or an angle bracket
    macros = macros || tests_.IsMacro(view.Text(i));
  }
  const std::vector<TokenRange> arguments = ArgumentsAt(view, open);
  std::size_t next_given = 0;
  std::size_t next = 0;
  for (const Parameter& one : parameters) {
    if (one.many) return true;
    const std::vector<TokenRange>& from = one.of_template ? given : arguments;
    std::size_t& number = one.of_template ? next_given : next;
    const bool there = number < from.size();
    const TokenRange value = there ? from[number] : one.value;
    ++number;
    if (value.first == value.second) {
      if (!one.of_template && !macros) return false;  // the function has more parameters
      continue;
    }
    const std::string_view word = view.Text(value.first);
    if (there && !one.of_template && value.second - value.first == 1) {
      const bool digits = word.front() >= '1' && word.front() <= '9';
      if ((word.front() == '"' && one.is_number) || (digits && one.is_pointer)) return false;
    }
    if (one.name.empty() || !there) continue;
    if (const auto text = tests_.TextOf(view, value.first, value.second)) {
      bindings.emplace(one.name, *text);
    }
  }
  return macros || next >= arguments.size();  // otherwise the function has fewer parameters
}

Condition CodeFlow::UsersOf(const CodeView& view, const Declaration& type) {
  const int close = view.Partner(type.body);
  if (type.name < 0 || !view.Is(close + 1, ";") || view.Is(type.begin, "typedef") ||
      view.Is(type.begin, "friend")) {
    return {};
  }
  // The language and libraries may use a specialization or a member of a namespace.
  if (view.Is(type.name - 1, "::") || view.Is(type.name + 1, "<")) return {};
  for (int i = type.body; i < close; ++i) {
    if (view.Is(i, "inline") || view.Is(i, "thread_local")) return {};  // it may run on its own
  }
  return MentionsRun(view, type.name, nullptr);
}

// A lambda that is stored in a variable is not called unless something names the variable.
Condition CodeFlow::LambdaRuns(const CodeView& view, int open, int capture) {
  if (view.Is(view.Partner(open) + 1, "(")) return {};
  const int name = capture - 2;
  if (!view.Is(capture - 1, "=") || !view.IsName(name) || !view.IsName(name - 1)) return {};
  if (!view.Is(name - 1, "auto") || !view.Is(view.Partner(open) + 1, ";")) return {};
  return MentionsRun(view, name, nullptr);
}

// Returns the condition under which code runs that mentions the name declared at `declared`.
Condition CodeFlow::MentionsRun(const CodeView& view, int declared, const Inside& inside) {
  const std::string_view name = view.Text(declared);
  if (others_.IsShared() || others_.Names(name) || IsPasted(name)) return {};
  // A recursive call alone does not reach it.
  if (!following_.emplace(name).second) return Condition::Never();
  const ConstantTests::Bindings outer = std::exchange(tests_.bindings, {});
  Condition any = Condition::Never();
  for (const int mention : code_.Mentions(name)) {
    const TextToken& token = code_.tokens()[mention];
    if (token.begin == view.OffsetOf(declared) || IsOnlyDeclaredAt(token.begin)) continue;
    const CodeView& there = code_.ViewAt(token.begin);
    const int at = there.Find(token.begin);
    if (token.directive || at < 0) {
      any = Condition();
      break;
    }
    const Condition leads = inside ? inside(there, at) : Condition();
    if (!leads.IsNever()) any = any.Or(tests_.Around(token.begin).And(leads).And(Reach(there, at)));
    if (any.IsAlways()) break;
  }
  tests_.bindings = outer;
  following_.erase(following_.find(name));
  return any;
}

bool CodeFlow::IsOnlyDeclaredAt(Offset place) {
  const CodeView& view = code_.ViewAt(place);
  const int at = view.Find(place);
  if (at < 0) return false;
  const std::vector<Declaration> around = declarations_.Around(view, at);
  return !around.empty() && IsOnlyDeclared(view, around.back(), at);
}

// Returns whether a part of a name is an entire argument of a call, which may be a macro's.
bool CodeFlow::IsArgument(std::string_view word) {
  if (!others_.MayJoin(word)) return false;
  const TokenSpan tokens = code_.tokens();
  const std::vector<int>& mentions = code_.Mentions(word);
  return std::any_of(mentions.begin(), mentions.end(), [&](int at) {
    if (at == 0 || at + 1 >= static_cast<int>(tokens.size())) return false;
    const std::string_view before = tokens[static_cast<std::size_t>(at) - 1].text;
    const std::string_view behind = tokens[static_cast<std::size_t>(at) + 1].text;
    return (before == "(" || before == ",") && (behind == "," || behind == ")");
  });
}

// Returns whether ## may form the name from two words of this file, or from one and a macro's
// value.
bool CodeFlow::IsPasted(std::string_view name) {
  for (std::size_t split = 1; split < name.size(); ++split) {
    const std::string_view first = name.substr(0, split);
    const std::string_view second = name.substr(split);
    if (!code_.Mentions(first).empty() && !code_.Mentions(second).empty()) return true;
    if (IsArgument(first) || IsArgument(second)) return true;
  }
  return false;
}

}  // namespace opledger::scan

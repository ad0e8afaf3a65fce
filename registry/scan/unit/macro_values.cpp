// Values of macros; see macro_values.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/macro_values.h"

#include <set>

#include "registry/condition/configuration.h"
#include "registry/condition/lexer.h"

namespace opledger::scan {

namespace {

// Returns the macro of the first unknown value in the text; "" if there is none.
std::string MacroOfUnknownValue(const std::string& text) {
  const std::size_t at = text.find(kValueOf);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kValueOf.size();
  std::size_t end = begin;
  while (end < text.size() && IsIdentifierByte(text[end])) ++end;
  return text.substr(begin, end - begin);
}

void WriteNames(std::string& text) {
  for (std::size_t at = text.find(kValueOf); at != std::string::npos;
       at = text.find(kValueOf, at)) {
    text.erase(at, kValueOf.size());
  }
}

void WriteNames(Registration& registration) {
  WriteNames(registration.site.macro);
  for (FieldFact& fact : registration.fields) {
    WriteNames(fact.value.key);
    WriteNames(fact.value.value);
    for (auto& [key, value] : fact.value.details) WriteNames(value);
  }
  for (MethodCall& call : registration.calls) {
    for (std::string& argument : call.arguments) WriteNames(argument);
  }
  for (Kernel& kernel : registration.kernels) {
    WriteNames(kernel.label);
    for (auto& [key, value] : kernel.details) WriteNames(value);
    for (auto& [variable, types] : kernel.types) WriteNames(types.unread);
  }
}

Incomplete RestsOnValue(const Location& location, const std::string& what,
                        const std::string& macro) {
  return {
      location, "registration",
      what + " depends on the value of '" + macro +
          "', which some configurations do not define; add it to each of \"configurations\", as "
          "a value or under \"undefined\", or pass -D " +
          macro + "=VALUE"};
}

}  // namespace

void SettleUnknownValues(Facts& facts,
                         const std::function<bool(const std::string& macro)>& is_told_elsewhere) {
  const auto report = [&](const Location& location, const std::string& what,
                          const std::string& macro) {
    if (!is_told_elsewhere(macro)) {
      facts.incomplete.push_back(RestsOnValue(location, what, macro));
    }
  };
  std::erase_if(facts.registrations, [&](const Registration& registration) {
    const std::string macro = MacroOfUnknownValue(registration.name);
    if (macro.empty()) return false;
    report(registration.site.location, "the name registered here", macro);
    return true;
  });
  for (Registration& registration : facts.registrations) {
    std::erase_if(registration.aliases, [&](const Alias& alias) {
      const std::string macro = MacroOfUnknownValue(alias.name);
      if (macro.empty()) return false;
      report(alias.location, "an alias of '" + registration.name + "' given here", macro);
      return true;
    });
    WriteNames(registration);
  }
  for (Dynamic& dynamic : facts.dynamic) {
    if (const std::string macro = MacroOfUnknownValue(dynamic.expression); !macro.empty()) {
      dynamic.why = RestsOnValue({}, "the name", macro).detail;
    }
    WriteNames(dynamic.expression);
    WriteNames(dynamic.why);
  }
  for (Incomplete& incomplete : facts.incomplete) WriteNames(incomplete.detail);
}

void BookComplexConditions(Facts& facts) {
  const auto complex = [](const auto& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const auto& each) { return each.condition.IsTooComplex(); });
  };
  for (const Registration& registration : facts.registrations) {
    const bool site = registration.site.condition.IsTooComplex();
    const bool fields =
        std::any_of(registration.fields.begin(), registration.fields.end(),
                    [](const FieldFact& fact) { return fact.value.condition.IsTooComplex(); });
    const bool part = fields || complex(registration.aliases) || complex(registration.calls) ||
                      complex(registration.kernels);
    if (!site && !part) continue;
    facts.incomplete.push_back(
        {registration.site.location, "registration",
         std::string(site ? "the condition of '" : "a condition within the registration of '") +
             registration.name +
             "' takes too long to evaluate, so it is not known which builds have it; put it under "
             "a macro of its own"});
  }
}

std::vector<ValueState> ValueStates(const Dialect& dialect, const std::string& macro,
                                    MacroUse use) {
  const std::set<std::string> texts = TextsOf(dialect.configurations, macro);
  bool undefined = false;
  bool everywhere = !dialect.configurations.empty();
  for (const auto& [name, configuration] : dialect.configurations) {
    undefined = undefined || configuration.undefined.contains(macro);
    everywhere = everywhere && configuration.Names(macro);
  }
  if (texts.empty() && !use.tested && !use.given) return {};
  std::vector<ValueState> states;
  const Condition none = Condition::Defined(macro).Not();
  Condition other;
  for (const MacroText& one : TellApart(macro, texts, other)) {
    states.push_back({one.when, one.shown});
  }
  const bool always_given = use.given && !use.tested && texts.empty();
  if ((undefined || !everywhere) && !always_given) states.push_back({none, none});
  // If the sources have a default, builds that do not define the macro have that value.
  if (!everywhere && (use.tested || use.given) && !use.defined) states.push_back({other, other});
  return states;
}

}  // namespace opledger::scan

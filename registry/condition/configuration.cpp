// Reads and writes configurations. The value of a macro is a string or an integer. The keys
// "undefined" and "python" are not macros.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/configuration.h"

#include <algorithm>
#include <cctype>

#include "registry/condition/lexer.h"
#include "registry/condition/python_test.h"

namespace opledger {
namespace {

using JsonKind = JsonValue::Kind;

constexpr std::string_view kUndefined = "undefined";
constexpr std::string_view kPython = "python";

// Accepts X and X(...), the text of an opaque atom.
bool IsName(std::string_view name) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  const std::size_t bracket = std::min(name.find('('), name.size());
  const std::string_view word = name.substr(0, bracket);
  return !word.empty() && letter(word.front()) &&
         std::all_of(word.begin(), word.end(),
                     [&](unsigned char c) { return letter(c) || std::isdigit(c) != 0; }) &&
         (bracket == name.size() || name.ends_with(')'));
}

bool IsNumber(const std::string& text) {
  const auto tokens = LexCondition(text);
  return tokens && tokens->size() == 2 && tokens->front().kind == ConditionToken::Kind::kNumber;
}

class Reader {
 public:
  Reader(const JsonDocument& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  bool Run(const JsonValue& object, Configurations& configurations) {
    if (object.kind != JsonKind::kObject) {
      Error(object.span,
            std::string("'configurations' must be an object, not ") + JsonKindName(object.kind));
    }
    for (const JsonMember& member : object.members) {
      if (member.key == "$comment") continue;
      if (member.key.empty()) Error(member.key_span, "the name of the configuration is empty");
      configurations[member.key] = One(member.value);
    }
    return ok_;
  }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  Configuration One(const JsonValue& value) {
    Configuration configuration;
    if (value.kind != JsonKind::kObject) {
      Error(value.span, std::string("a configuration must be an object of macros, not ") +
                            JsonKindName(value.kind));
    }
    for (const JsonMember& member : value.members) {
      if (member.key == kUndefined) {
        ReadUndefined(member.value, configuration);
      } else if (member.key == kPython && member.value.kind == JsonKind::kObject) {
        ReadTests(member.value, configuration.defines);
      } else if (member.key != "$comment") {
        ReadMacro(member, configuration.defines);
      }
    }
    for (const std::string& name : configuration.undefined) {
      if (configuration.defines.contains(name)) {
        Error(value.span, "'" + name + "' is both defined and undefined in one configuration",
              "keep one of the two");
      }
    }
    return configuration;
  }

  void ReadUndefined(const JsonValue& names, Configuration& configuration) {
    if (names.kind != JsonKind::kArray) {
      return Error(names.span, std::string("'undefined' must be an array of macros, not ") +
                                   JsonKindName(names.kind));
    }
    for (const JsonValue& name : names.items) {
      if (name.kind != JsonKind::kString || !IsName(name.string)) {
        Error(name.span, "'undefined' must hold names of macros");
      } else {
        configuration.undefined.insert(name.string);
      }
    }
  }

  // Reads {"current_platform.is_rocm()": true}: the values of tests in Python files.
  void ReadTests(const JsonValue& tests, Defines& defines) {
    for (const JsonMember& test : tests.members) {
      if (test.key == "$comment") continue;
      if (test.value.kind != JsonKind::kBoolean) {
        Error(test.value.span, "the value of a Python test must be true or false");
        continue;
      }
      defines[PythonTestAtom(test.key)] = test.value.boolean ? "1" : "0";
    }
  }

  void ReadMacro(const JsonMember& macro, Defines& defines) {
    if (!IsName(macro.key)) {
      Error(macro.key_span, "'" + macro.key + "' is not the name of a macro");
    } else if (macro.value.kind == JsonKind::kString) {
      defines[macro.key] = macro.value.string;
    } else if (macro.value.kind == JsonKind::kInteger) {
      defines[macro.key] = std::to_string(macro.value.integer);
    } else {
      Error(macro.value.span,
            std::string("the value of a macro must be a string or an integer, not ") +
                JsonKindName(macro.value.kind));
    }
  }

  const JsonDocument& document_;
  Diagnostics& diagnostics_;
  bool ok_ = true;
};

}  // namespace

bool ReadConfigurations(const JsonDocument& document, const JsonValue& object,
                        Configurations& configurations, Diagnostics& diagnostics) {
  return Reader(document, diagnostics).Run(object, configurations);
}

std::set<std::string> TextsOf(const Configurations& configurations, const std::string& macro) {
  std::set<std::string> texts;
  for (const auto& [name, configuration] : configurations) {
    const auto define = configuration.defines.find(macro);
    if (define != configuration.defines.end()) texts.insert(define->second);
  }
  return texts;
}

std::vector<MacroText> TellApart(const std::string& macro, const std::set<std::string>& texts,
                                 Condition& rest) {
  std::vector<MacroText> apart;
  rest = Condition::Defined(macro);
  // Non-numbers come first: in arithmetic, a word that is not a macro counts as 0.
  std::vector<std::string> ordered(texts.begin(), texts.end());
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const std::string& text) { return !IsNumber(text); });
  const bool words = !ordered.empty() && !IsNumber(ordered.front());
  for (const std::string& text : ordered) {
    const Condition has = Condition::HasValue(macro, text);
    const Condition when = has.And(rest);
    if (when.IsNever()) continue;
    apart.push_back({text, when, words && IsNumber(text) ? when : has});
    rest = rest.And(has.Not());
  }
  return apart;
}

void WriteConfigurations(JsonWriter& json, const Configurations& configurations) {
  json.BeginObject();
  for (const auto& [name, configuration] : configurations) {
    json.BeginCompactObject(name);
    for (const auto& [macro, text] : configuration.defines) json.Field(macro, text);
    if (!configuration.undefined.empty()) json.Array(kUndefined, configuration.undefined);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace opledger

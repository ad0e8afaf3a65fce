// Preprocessor conditions as values: parsed, combined, evaluated and compared, so that one scan
// answers for every configuration.
//   MXNET_USE_ONEDNN == 1 && !defined(_WIN32)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// Macro name -> replacement text ("1", "", "201703L"): a set of -D flags.
using Defines = std::map<std::string, std::string, std::less<>>;

// A boolean combination of #if expressions. An immutable value; the default is "always".
// Kept as a conjunction of terms, each the canonical text of one #if expression or its negation,
// sorted and without repetitions; every term was parsed once.
class Condition {
 public:
  Condition() = default;

  // The condition of `#if EXPRESSION`. Text that cannot be parsed becomes one opaque boolean named
  // by its own text, so nothing is lost. Literals fold: "1" is always, "0" is never.
  static Condition FromExpression(std::string_view expression);
  static Condition Defined(std::string_view macro);  // #ifdef
  static Condition Never();

  // Canonical text ("" for always, "0" for never); FromExpression(text()) gives the same value.
  const std::string& text() const { return text_; }
  bool IsAlways() const { return text_.empty(); }
  bool IsNever() const { return text_ == "0"; }

  Condition And(const Condition& other) const;
  Condition Or(const Condition& other) const;
  Condition Not() const;

  // The value under `defines`; as in C, an identifier that is not defined is 0.
  bool Evaluate(const Defines& defines) const;

  // Whether some set of defines makes it true. Exact up to 4096 combinations of the values its
  // comparisons distinguish; beyond that, true.
  bool CanBeTrue() const;

  // Defines that make it true, over `base`, changing as few macros of `base` as possible; none
  // where it cannot be true. A macro to be left undefined is absent in the result.
  std::optional<Defines> Satisfy(const Defines& base) const;

  // The macros it mentions.
  std::set<std::string> Macros() const;

  bool operator==(const Condition& other) const { return text_ == other.text_; }
  bool operator<(const Condition& other) const { return text_ < other.text_; }

 private:
  explicit Condition(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace opledger

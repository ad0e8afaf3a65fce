// Preprocessor conditions as values: parsed, combined, evaluated and compared, so that one scan
// answers for every configuration.
//   MXNET_USE_ONEDNN == 1 && !defined(_WIN32)
// In: the text of an #if. Out: canonical text, a truth value, defines that make it true.
// May include: registry/json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

struct ConditionNode;

// Macro name -> replacement text ("1", "", "201703L"): a set of -D flags.
using Defines = std::map<std::string, std::string, std::less<>>;

// What is known of one build of a framework.
struct Configuration {
  Defines defines;
  // Macros that are not defined where a file begins; a #define in the sources still counts.
  std::set<std::string, std::less<>> undefined;

  bool Names(std::string_view macro) const {
    return defines.find(macro) != defines.end() || undefined.find(macro) != undefined.end();
  }
  bool operator==(const Configuration&) const = default;
};

// What a condition comes to where not everything is known.
enum class ConditionAnswer { kFalse, kTrue, kOpen };

// A boolean combination of #if expressions. An immutable value, shared by its copies; the default
// is "always". Kept as a conjunction of terms, each one canonical #if expression, sorted and
// without repetitions; every term was parsed once. Canonical: numbers in decimal, one spacing, no
// redundant parentheses, `A != 1` for `!(A == 1)`, `A == 1` for `1 == A`.
class Condition {
 public:
  Condition() = default;

  // The condition of `#if EXPRESSION`. What cannot be evaluated without the source is an opaque
  // atom named by its text, so nothing is lost: NAME(...), __has_include(<x>), and, where the whole
  // text cannot be parsed, unparsable("TEXT"). Literals fold: "1" is always, "0" is never.
  static Condition FromExpression(std::string_view expression);
  static Condition Defined(std::string_view macro);  // #ifdef
  static Condition Never();
  // Nobody knows when it holds: an opaque atom named by the text.
  static Condition Unknown(std::string_view text);

  // Canonical text ("" for always, "0" for never); FromExpression(text()) gives the same value.
  const std::string& text() const;
  bool IsAlways() const { return content_ == nullptr; }
  bool IsNever() const { return text() == "0"; }

  Condition And(const Condition& other) const;
  Condition Or(const Condition& other) const;
  Condition Not() const;

  // The value under `defines`; as in C, an identifier that is not defined is 0. A define's text may
  // itself be an expression over defines; an opaque atom is 0 unless its text is a key of
  // `defines`.
  bool Evaluate(const Defines& defines) const;

  // The answer in a build by g++ or nvcc on Linux x86-64, of the file at `path`, whose name says
  // the language ("": nobody knows). Of macros that the compiler predefines only that they are
  // defined is known, not their values; those of other compilers and systems are not defined. What
  // else the configuration does not name is open, be it a macro or an opaque atom.
  ConditionAnswer AnswerIn(const Configuration& configuration, std::string_view path) const;
  // Whether that is true or open.
  bool MayHoldIn(const Configuration& configuration, std::string_view path) const {
    return IsAlways() || AnswerIn(configuration, path) != ConditionAnswer::kFalse;
  }
  // The macros and opaque atoms that would have to be named for the answer not to be open; empty
  // where it is not.
  std::set<std::string> OpenIn(const Configuration& configuration, std::string_view path) const;

  // Whether some set of defines (of signed integers), with some values of the opaque atoms, makes
  // it true. Exact up to 4096 combinations of the values that its comparisons distinguish; beyond
  // that true. Arithmetic over macros, as in `A * 100 + B > 408`, counts as an atom of its own.
  bool CanBeTrue() const;

  // Defines that make it true, over `base`, changing as few macros of `base` as possible; none
  // where it cannot be true or none was found. A macro to be left undefined is absent in the
  // result. Opaque atoms are taken to have whatever value helps. Deterministic.
  std::optional<Defines> Satisfy(const Defines& base) const;

  // The macros it mentions, without those inside opaque atoms.
  std::set<std::string> Macros() const;

  bool operator==(const Condition& other) const {
    return content_ == other.content_ || text() == other.text();
  }
  bool operator<(const Condition& other) const { return text() < other.text(); }

 private:
  struct Content;
  static Condition FromTree(std::shared_ptr<const ConditionNode> tree);

  std::shared_ptr<const Content> content_;  // none: always
};

}  // namespace opledger

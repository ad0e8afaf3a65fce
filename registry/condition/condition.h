// Preprocessor conditions as values: parsed, combined, evaluated and compared, so that one scan
// answers for every configuration.
//   MXNET_USE_ONEDNN == 1 && !defined(_WIN32)
// In: the text of an #if. Out: canonical text, a truth value, defines that make it true.
// May include: registry/json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opledger {

struct ConditionNode;
struct ConditionSpelling;

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
// is "always". Conditions are equal if they are true in the same builds: each is a node of a
// decision diagram (diagram.h), so that comparing and joining them does not depend on how they are
// written. Macros are independent of each other, and so is arithmetic over them: `A * 100 + B >
// 408` is a comparison of a variable of its own.
class Condition {
 public:
  Condition() = default;

  // The condition of `#if EXPRESSION`. What cannot be evaluated without the source is an opaque
  // atom named by its text, so nothing is lost: NAME(...), __has_include(<x>), and, where the whole
  // text cannot be parsed, unparsable("TEXT"). Text nested too deeply is too complex. Literals
  // fold: "1" is always, "0" is never.
  static Condition FromExpression(std::string_view expression);
  static Condition Defined(std::string_view macro);  // #ifdef
  // That the macro is defined as this text: NAME == 3 for a number, else the atom is(NAME,text).
  static Condition HasValue(std::string_view macro, std::string_view text);
  static Condition Never();
  // Nobody knows when it holds: an opaque atom named by the text.
  static Condition Unknown(std::string_view text);
  // The same for a text that takes too much time or memory to be worked out; see IsTooComplex.
  static Condition TooComplex(std::string_view text);

  // A short expression ("" for always, "0" for never); FromExpression(text()) gives the same value,
  // unless it is too complex.
  // It is that of the source, in canonical form, where none with fewer terms and operators was
  // found. Canonical: numbers in decimal, one spacing, no redundant parentheses, operands in order,
  // `A != 1` for `!(A == 1)`, `A == 1` for `1 == A`, `A > 0` for `A >= 1`.
  const std::string& text() const;
  bool IsAlways() const { return content_ == nullptr; }
  bool IsNever() const;

  Condition And(const Condition& other) const;
  Condition Or(const Condition& other) const;
  Condition Not() const;
  bool Implies(const Condition& other) const;

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

  // Whether some build makes it true.
  bool CanBeTrue() const { return !IsNever(); }
  // Whether it rests on a condition that takes too much time or memory to be worked out, which then
  // counts as an atom of which nothing is known.
  bool IsTooComplex() const;

  // How many tests its diagram is made of; counting ends above `most`. Unlike text(), it costs
  // nothing to speak of.
  std::size_t TestCount(std::size_t most) const;

  // Defines that make it true, over `base`, changing as few macros of `base` as possible; none
  // where it cannot be true or none was found. A macro to be left undefined is absent in the
  // result. Opaque atoms are taken to have whatever value helps. Deterministic.
  std::optional<Defines> Satisfy(const Defines& base) const;

  // Whether a part of it is source text that is no #if expression.
  bool HasUnparsable() const;

  // The same with other conditions in place of its atoms, which are the expressions between `!`,
  // `&&` and `||`: defined(A), A == 3, F(x). Nullopt leaves one as it is.
  using AtomReplacement =
      std::function<std::optional<Condition>(const std::shared_ptr<const ConditionNode>&)>;
  Condition WithAtoms(const AtomReplacement& replace) const;

  // The macros it mentions, without those inside opaque atoms.
  std::set<std::string> Macros() const;

  // The node of its diagram, which no other condition has while this one is there.
  std::uint32_t function() const;
  // Of equal conditions it is equal, in every process.
  std::uint64_t hash() const;
  bool operator==(const Condition& other) const { return function() == other.function(); }
  // An arbitrary order for use in containers; it differs between processes.
  bool operator<(const Condition& other) const { return function() < other.function(); }

 private:
  explicit Condition(std::shared_ptr<const ConditionSpelling> content)
      : content_(std::move(content)) {}
  static Condition FromTree(const std::shared_ptr<const ConditionNode>& tree);
  class AtomMapper;

  std::shared_ptr<const ConditionSpelling> content_;  // none: always
};

}  // namespace opledger

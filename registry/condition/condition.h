// Preprocessor conditions as values. They are parsed, combined, evaluated and compared, so that one
// scan covers every configuration.
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

// What is known about one build of a framework.
struct Configuration {
  Defines defines;
  // Macros that are undefined at the start of a file. A #define in the sources still applies.
  std::set<std::string, std::less<>> undefined;

  bool Names(std::string_view macro) const {
    return defines.find(macro) != defines.end() || undefined.find(macro) != undefined.end();
  }
  bool operator==(const Configuration&) const = default;
};

// The value of a condition in a partially known build.
enum class ConditionAnswer { kFalse, kTrue, kOpen };

// A boolean combination of #if expressions. Immutable and cheap to copy. The default is "always".
// Two conditions are equal if they are true in the same builds: each is a node of a decision
// diagram (diagram.h), so comparing and combining them does not depend on how they are written.
// Macros are treated as independent of each other, and so is arithmetic over them: `A * 100 + B >
// 408` compares a separate variable.
class Condition {
 public:
  Condition() = default;

  // Returns the condition of `#if EXPRESSION`. Parts that cannot be evaluated without the source
  // become opaque atoms named by their text: NAME(...), __has_include(<x>), and unparsable("TEXT")
  // if the whole text cannot be parsed. Text that is nested too deeply is too complex. Literals are
  // folded: "1" is always, "0" is never.
  static Condition FromExpression(std::string_view expression);
  static Condition Defined(std::string_view macro);  // #ifdef
  // True if the macro is defined as this text: NAME == 3 for a number, otherwise the atom
  // is(NAME,text).
  static Condition HasValue(std::string_view macro, std::string_view text);
  static Condition Never();
  // A condition whose value is unknown: an opaque atom named by the text.
  static Condition Unknown(std::string_view text);
  // Like Unknown(), for a text that takes too much time or memory to analyze; see IsTooComplex.
  static Condition TooComplex(std::string_view text);

  // Returns a short expression ("" for always, "0" for never). FromExpression(text()) gives the
  // same value, unless the condition is too complex. The expression is that of the source in
  // canonical form, unless one with fewer terms and operators was found. Canonical form: decimal
  // numbers, uniform spacing, no redundant parentheses, sorted operands, `A != 1` for `!(A == 1)`,
  // `A == 1` for `1 == A`, `A > 0` for `A >= 1`.
  const std::string& text() const;
  bool IsAlways() const { return content_ == nullptr; }
  bool IsNever() const;

  Condition And(const Condition& other) const;
  Condition Or(const Condition& other) const;
  Condition Not() const;
  bool Implies(const Condition& other) const;

  // Returns the value under `defines`. As in C, an undefined identifier is 0. The text of a define
  // may itself be an expression over defines. An opaque atom is 0 unless its text is a key of
  // `defines`.
  bool Evaluate(const Defines& defines) const;

  // Returns the value in a build by g++ or nvcc on Linux x86-64. `path` is the file that contains
  // the condition; its extension determines the language ("": unknown). Macros that the compiler
  // predefines are known to be defined, but their values are not known. Macros of other compilers
  // and systems are undefined. Any other macro or opaque atom that the configuration does not name
  // is open.
  ConditionAnswer AnswerIn(const Configuration& configuration, std::string_view path) const;
  // Returns whether the answer is true or open.
  bool MayHoldIn(const Configuration& configuration, std::string_view path) const {
    return IsAlways() || AnswerIn(configuration, path) != ConditionAnswer::kFalse;
  }
  // Returns the macros and opaque atoms that the configuration would have to name to close the
  // answer. Empty if the answer is not open.
  std::set<std::string> OpenIn(const Configuration& configuration, std::string_view path) const;

  // Returns whether some build makes the condition true.
  bool CanBeTrue() const { return !IsNever(); }
  // Returns whether part of the condition takes too much time or memory to analyze. Such a part is
  // an atom with an unknown value.
  bool IsTooComplex() const;

  // Returns the number of tests in the diagram; stops counting above `most`. Much cheaper than
  // text().
  std::size_t TestCount(std::size_t most) const;

  // Returns `base` with as few changed macros as possible so that the condition is true, or nullopt
  // if it cannot be true or no solution was found. A macro that has to be undefined is absent from
  // the result. Opaque atoms take any value that helps. Deterministic.
  std::optional<Defines> Satisfy(const Defines& base) const;

  // Returns whether part of the condition is source text that is not a valid #if expression.
  bool HasUnparsable() const;

  // Returns the condition with its atoms replaced. Atoms are the expressions between `!`, `&&` and
  // `||`: defined(A), A == 3, F(x). A callback that returns nullopt keeps the atom.
  using AtomReplacement =
      std::function<std::optional<Condition>(const std::shared_ptr<const ConditionNode>&)>;
  Condition WithAtoms(const AtomReplacement& replace) const;

  // Returns the macros in the condition, excluding those inside opaque atoms.
  std::set<std::string> Macros() const;

  // Returns the node of the decision diagram. Unique to this condition while it is alive.
  std::uint32_t function() const;
  // Equal for equal conditions, in every process.
  std::uint64_t hash() const;
  bool operator==(const Condition& other) const { return function() == other.function(); }
  // An arbitrary order for use in containers; it differs between processes.
  bool operator<(const Condition& other) const { return function() < other.function(); }

 private:
  explicit Condition(std::shared_ptr<const ConditionSpelling> content)
      : content_(std::move(content)) {}
  static Condition FromTree(const std::shared_ptr<const ConditionNode>& tree);
  class AtomMapper;

  std::shared_ptr<const ConditionSpelling> content_;  // null: always
};

}  // namespace opledger

// The test of an `if` in a Python module; see python_feature.h.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/python_feature.h"

namespace opledger {
namespace {

using PythonKind = PythonToken::Kind;

constexpr int kDeepestBracket = 64;

class FeatureTest {
 public:
  explicit FeatureTest(PythonCursor& cursor) : cursor_(cursor) {}

  std::optional<Condition> Or() {
    std::optional<Condition> result = And();
    while (result && AcceptName("or")) {
      const std::optional<Condition> right = And();
      result = right ? std::optional(result->Or(*right)) : std::nullopt;
    }
    return result;
  }

 private:
  bool AcceptName(std::string_view name) {
    if (!cursor_.IsName(name)) return false;
    cursor_.Advance();
    return true;
  }

  std::optional<Condition> And() {
    std::optional<Condition> result = Not();
    while (result && AcceptName("and")) {
      const std::optional<Condition> right = Not();
      result = right ? std::optional(result->And(*right)) : std::nullopt;
    }
    return result;
  }

  std::optional<Condition> Not() {
    bool negated = false;
    while (AcceptName("not")) negated = !negated;
    const std::optional<Condition> result = Primary();
    return result && negated ? result->Not() : result;
  }

  std::optional<Condition> Primary() {
    if (cursor_.AcceptOperator("(")) {
      if (++depth_ > kDeepestBracket) return std::nullopt;
      const std::optional<Condition> result = Or();
      --depth_;
      return cursor_.AcceptOperator(")") ? result : std::nullopt;
    }
    if (AcceptName("True")) return Condition();
    if (AcceptName("False")) return Condition::Never();
    return Query();
  }

  // Names, dots and empty calls, the last name being is_enabled, and its argument.
  std::optional<Condition> Query() {
    while (cursor_.Is(PythonKind::kName)) {
      const bool query = cursor_.IsName("is_enabled");
      cursor_.Advance();
      const bool call = cursor_.AcceptOperator("(");
      if (call && query && cursor_.Is(PythonKind::kString)) {
        const std::string feature = cursor_.Current().text;
        cursor_.Advance();
        if (!cursor_.AcceptOperator(")")) return std::nullopt;
        return Condition::FromExpression(feature);
      }
      if (call && !cursor_.AcceptOperator(")")) return std::nullopt;
      if (!cursor_.AcceptOperator(".")) return std::nullopt;
    }
    return std::nullopt;
  }

  PythonCursor& cursor_;
  int depth_ = 0;
};

}  // namespace

std::optional<Condition> ReadFeatureTest(PythonCursor& cursor) {
  std::optional<Condition> test = FeatureTest(cursor).Or();
  return cursor.IsOperator(":") ? test : std::nullopt;
}

}  // namespace opledger

// Turns the arguments of a chain's methods into fields of the operator, for dialects with
// evaluation.
//   .TypeConstraint("T", floats()) -> type_variables T = tensor(float16), tensor(float)
//   .FillUsing(Unary("abs"))       -> the calls that Unary's lambda makes on its parameter
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/merge/evaluate.h"

namespace opledger::scan {

class ChainFields {
 public:
  // `dialect` and `evaluator` must outlive this object.
  ChainFields(const Dialect& dialect, Evaluator& evaluator)
      : dialect_(dialect), evaluator_(evaluator) {}

  // Returns the fields of the registration's calls. Adds what cannot be evaluated to `problems`.
  std::vector<FieldFact> Read(const Registration& registration, std::vector<std::string>& problems);

 private:
  void Method(const std::string& method, const std::vector<TokenSpan>& arguments,
              EvaluationScope& scope);
  void Inside(const ChainMethod& rule, TokenSpan tokens, EvaluationScope& scope);
  void Keep(const ChainMethod& rule, const std::vector<TokenSpan>& arguments,
            EvaluationScope& scope);
  std::string Text(const ChainMethod& rule, TokenSpan argument, EvaluationScope& scope);
  bool IsConstant(TokenSpan argument, EvaluationScope& scope);
  void Problem(const ChainMethod& rule, TokenSpan argument);

  const Dialect& dialect_;
  Evaluator& evaluator_;
  // State of the registration being read.
  Condition when_;
  std::vector<FieldFact>* fields_ = nullptr;
  std::vector<std::string>* problems_ = nullptr;
  int depth_ = 0;
};

}  // namespace opledger::scan

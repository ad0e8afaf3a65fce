// Finds the parameter of a function from which each value in its body has its element type.
//   auto y = x.contiguous(); auto z = helper(x);  ->  y: that of x; z: not known
// Values that are not understood have an unknown type, so that no bound is too small.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/lex/token_text.h"

namespace opledger::scan {

struct KernelParameter {
  std::string name;
  bool constant = false;  // declared const: functions that take it do not change it
};

class KernelValues {
 public:
  // The first parameter is the object itself.
  KernelValues(const std::vector<KernelParameter>& parameters, const ElementTypes& how);

  // Returns the parameter, in the notation of kernel_bound.h, whose type the value has; "-" if it
  // is not known.
  std::string OwnerOf(TokenSpan value) const;
  // Records the variable that a statement declares or assigns to, and the variables that it may
  // change by passing them to a function or taking their address.
  void Read(TokenSpan statement);
  // Does the same for code that is not followed, such as a loop.
  void Skip(TokenSpan code);

  // Returns whether this is a macro or function that neither returns from its caller nor changes
  // values.
  bool IsCheck(std::string_view name) const;

 private:
  void Set(std::string_view name, const std::string& owner);
  void Lose(std::string_view name);
  void LoseArguments(TokenSpan code);
  bool HasType(TokenSpan tokens) const;
  std::string OwnerOfCall(std::string_view function, TokenSpan arguments) const;

  const ElementTypes& how_;
  // A variable with several types, or one that is changed elsewhere, stays unknown.
  std::map<std::string, std::string, std::less<>> of_;
  std::set<std::string, std::less<>> constant_;
};

}  // namespace opledger::scan

// Which parameter of a function the values in its body have the element type of.
//   auto y = x.contiguous(); auto z = helper(x);  ->  y: that of x; z: not known
// Whatever is not understood is of an unknown type, so that no bound is too small.
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
  bool constant = false;  // declared const: no function that it is given to changes it
};

class KernelValues {
 public:
  // The first parameter is the object itself.
  KernelValues(const std::vector<KernelParameter>& parameters, const ElementTypes& how);

  // The parameter, in the words of kernel_bound.h, whose type the value has; "-": not known.
  std::string OwnerOf(TokenSpan value) const;
  // Takes note of the variable that a statement declares or assigns to, and of those that it may
  // change: that it gives to a function, or takes the address of.
  void Read(TokenSpan statement);
  // The same of code that is not followed, such as a loop.
  void Skip(TokenSpan code);

  // Whether it is a macro or function that neither returns from this one nor changes anything.
  bool IsCheck(std::string_view name) const;

 private:
  void Set(std::string_view name, const std::string& owner);
  void Lose(std::string_view name);
  void LoseArguments(TokenSpan code);
  bool HasType(TokenSpan tokens) const;
  std::string OwnerOfCall(std::string_view function, TokenSpan arguments) const;

  const ElementTypes& how_;
  // What is unknown, because it has several types or is changed elsewhere, stays unknown.
  std::map<std::string, std::string, std::less<>> of_;
  std::set<std::string, std::less<>> constant_;
};

}  // namespace opledger::scan

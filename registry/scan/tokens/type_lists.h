// Names of lists of element types, and what they stand for in the file that uses them:
//   using Floats = TypeList<float, half>;              Floats     -> TypeList<float,half>
//   const std::vector<Type> ints = {Of<int>()};        ints       -> {Of<int>()}
//   std::vector<Type> All() { return {Of<int>()}; }    All()      -> {Of<int>()}
//   SPECIFY(kCpu, Clip, 0, float, double);             ENABLED(kCpu, Clip, 0) -> {float,double}
// Read when a kernel first names one. What is defined differently at several places has no meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "registry/dialect/dialect.h"

namespace opledger::scan {

class TypeLists {
 public:
  // `text` of the file, a NUL byte behind it; both must outlive this.
  TypeLists(const Dialect& dialect, std::string_view text) : dialect_(dialect), text_(text) {}

  // Of a name, "name()" or a use of a macro, dense; empty: not known.
  std::string_view Find(std::string_view what);

  // Notes that more tokens or names stand behind the types of a kernel than are followed.
  void NoteCut() { cut_ = true; }
  // Whether that was noted since this was last asked.
  bool TakeCut() { return std::exchange(cut_, false); }

 private:
  void Read();
  void Define(const std::string& what, std::string text);

  const Dialect& dialect_;
  std::string_view text_;
  bool read_ = false;
  bool cut_ = false;
  std::map<std::string, std::string, std::less<>> known_;
};

}  // namespace opledger::scan

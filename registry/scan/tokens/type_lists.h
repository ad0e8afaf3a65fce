// Resolves names of lists of element types within the file that uses them:
//   using Floats = TypeList<float, half>;              Floats     -> TypeList<float,half>
//   const std::vector<Type> ints = {Of<int>()};        ints       -> {Of<int>()}
//   std::vector<Type> All() { return {Of<int>()}; }    All()      -> {Of<int>()}
//   SPECIFY(kCpu, Clip, 0, float, double);             ENABLED(kCpu, Clip, 0) -> {float,double}
// Reads the file when a kernel first uses such a name. A name with several definitions is unknown.
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
  // `text` is the text of the file, followed by a NUL. `dialect` and `text` must outlive this
  // object.
  TypeLists(const Dialect& dialect, std::string_view text) : dialect_(dialect), text_(text) {}

  // Returns the list for a name, "name()" or a use of a macro without spaces; "" if it is not
  // known.
  std::string_view Find(std::string_view what);

  // Records that the types of a kernel need more tokens or names than are followed.
  void NoteCut() { cut_ = true; }
  // Returns whether this was recorded since the last call.
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

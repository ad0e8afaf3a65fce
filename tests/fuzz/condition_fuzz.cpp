// Reads arbitrary bytes as #if expressions: must not crash or hang, and the laws of conditions
// hold.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "registry/condition/condition.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

void Require(bool law) {
  if (!law) std::abort();
}

}  // namespace

// The input is two expressions separated by a NUL.
FUZZ_TARGET(condition) {
  using opledger::Condition;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = std::min(text.find('\0'), text.size());
  const Condition a = Condition::FromExpression(text.substr(0, middle));
  const Condition b = Condition::FromExpression(text.substr(std::min(middle + 1, text.size())));
  for (const Condition& each : {a, b, a.And(b), a.Or(b), a.Not(), a.Or(b).Not()}) {
    Require(Condition::FromExpression(each.text()) == each);
  }
  const opledger::Defines defines = {{"A", "1"}, {"B", "A + 1"}, {"C", "C"}};
  Require(a.Not().Evaluate(defines) != a.Evaluate(defines));
  Require(a.And(b).Evaluate(defines) == (a.Evaluate(defines) && b.Evaluate(defines)));
  Require(!a.Evaluate(defines) || a.CanBeTrue());
  Require(!a.Satisfy(defines) || a.CanBeTrue());
  Require(a.Macros().size() <= size);
  return 0;
}

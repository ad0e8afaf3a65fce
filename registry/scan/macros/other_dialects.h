// Finds macros that other dialects of a project read. They look like registrations to this dialect
// but are not reported as unread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

class OtherDialects {
 public:
  OtherDialects() = default;
  OtherDialects(const SourceTree& tree, const Dialect& dialect);

  // Returns whether a macro of this name leads to a sink of another dialect that has the file among
  // its sources, or may include it if it is a header.
  bool Read(std::string_view macro, const SourceFile& file) const;

 private:
  struct Other {
    const Dialect* dialect = nullptr;
    // Its sinks, and every macro of the tree whose definition leads to one. Does not check whether
    // the definition is visible at a use.
    std::set<std::string, std::less<>> macros;
  };
  std::vector<Other> others_;
};

}  // namespace opledger::scan

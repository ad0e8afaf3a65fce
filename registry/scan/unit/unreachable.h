// Marks registrations in code that never runs, and puts conditions of code on others:
//   if (USE_GPU) Register("x");  ->  x, under USE_GPU != 0;  if (false) ...  ->  "reachable": false
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"
#include "registry/text/text.h"

namespace opledger::scan {

// `text` is that of the unit, `facts` what it registers. Registrations in other files stay as they
// are.
void MarkUnreachable(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect,
                     int unit, const std::string& text, Facts& facts);

// The place in the text of the file `path`; none: it is in another file.
std::optional<Offset> OffsetOf(const Location& at, const std::string& path, const LineIndex& lines);

// Where what registers is called, or else where the name is.
const Location& CallOf(const Site& site);

}  // namespace opledger::scan

// Marks registrations in code that never runs, and adds conditions of code to the others:
//   if (USE_GPU) Register("x");  ->  x, under USE_GPU != 0;  if (false) ...  ->  "reachable": false
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"
#include "registry/text/text.h"

namespace opledger::scan {

// `text` is the text of the unit, `facts` what it registers. Registrations in other files are not
// changed.
void MarkUnreachable(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect,
                     int unit, const std::string& text, Facts& facts);

// Returns the offset in the text of the file `path`; nullopt if the location is in another file.
std::optional<Offset> OffsetOf(const Location& at, const std::string& path, const LineIndex& lines);

// Returns the location of the registering call; without one, that of the name.
const Location& CallOf(const Site& site);

}  // namespace opledger::scan

// Reads how the sources define a sink. The scanner replaces that definition while it reads a unit.
//   #define REGISTER_OP(name) REGISTER_AT(name, __COUNTER__)   registers the expansion of `name`
//   #define REGISTER_OP(name) Add(#name)                       registers `name` as spelled
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/scan/match/match.h"

namespace opledger::scan {

// Returns whether every definition that the unit sees passes the name argument on, so that a macro
// of that name is expanded. Without a definition the name is taken as spelled.
bool ExpandsName(const Sink& sink, const MatchContext& context);

// Returns the offset in the unit's own text from which the sink has another meaning because it is
// undefined and redefined there; 0 if a header does so, nullopt if nothing does.
std::optional<Offset> DefinedAnew(const Sink& sink, const MatchContext& context);

}  // namespace opledger::scan

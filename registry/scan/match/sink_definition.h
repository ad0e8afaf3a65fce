// What the sources themselves say of a sink, whose definition is ours while a unit is read.
//   #define REGISTER_OP(name) REGISTER_AT(name, __COUNTER__)   what `name` is defined as registers
//   #define REGISTER_OP(name) Add(#name)                       `name` itself does
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/scan/match/match.h"

namespace opledger::scan {

// Whether every definition that the unit sees hands the argument that is the name on, so that a
// macro of that name is expanded. Without a definition it is taken as spelled.
bool ExpandsName(const Sink& sink, const MatchContext& context);

// From where on, in the unit's own text, the sink means something else than before: it was
// undefined and defined anew there, or in a header (0).
std::optional<Offset> DefinedAnew(const Sink& sink, const MatchContext& context);

}  // namespace opledger::scan

// An MXNet model to be run: a symbol, its parameters, and the types of all values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conversion/model/mxnet/mxnet_operators.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "kernels/tensor/tensor.h"

namespace opledger {

struct MxnetModel {
  std::unique_ptr<MxnetOperators> operators;  // the graph's names of operators are its texts
  MxnetSymbol symbol;
  std::optional<MxnetParams> params;
  Typing typing;
  std::set<std::string> unread;  // inputs that inference does not read
};

// What goes with a symbol.
struct MxnetCompanions {
  std::string params;              // a file; empty: every variable is an input
  std::vector<std::string> types;  // NAME=DTYPE, of variables
};

// None, with errors: they cannot be read, do not belong together, or the types of a node do not fit
// it.
std::optional<MxnetModel> OpenMxnetToRun(SourceFile symbol, const MxnetCompanions& companions,
                                         Diagnostics& diagnostics);

// What only training needs goes: labels, and outputs that nobody reads; states become parameters.
// Behind placement, to which states are none.
void LeaveOutTraining(MxnetModel& model);

// The shape that a variable says of itself, "__shape__"; none: it says none, or not all of it.
std::optional<Dimensions> ShapeOfVariable(const MxnetModel& model, ValueId variable);
// How to say the shape where it leaves dimensions open: "D,3,224,224"; empty: it says nothing.
std::string PatternOfVariable(const MxnetModel& model, ValueId variable);

}  // namespace opledger

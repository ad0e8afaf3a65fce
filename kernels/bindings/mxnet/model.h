// An MXNet model to run: a symbol, its parameters, and the types of all values.
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
  std::unique_ptr<MxnetOperators> operators;  // owns the names of operators in the graph
  MxnetSymbol symbol;
  std::optional<MxnetParams> params;
  Typing typing;
  std::set<std::string> unread;  // inputs not used in inference
};

// Files and options that accompany a symbol.
struct MxnetCompanions {
  std::string params;              // a file; empty: every variable is an input
  std::vector<std::string> types;  // NAME=DTYPE, for variables
};

// Returns nullopt, with errors, if the files cannot be read or do not match, or a node's types are
// invalid.
std::optional<MxnetModel> OpenMxnetToRun(SourceFile symbol, const MxnetCompanions& companions,
                                         Diagnostics& diagnostics);

// Removes what only training needs: labels and unused outputs; states become parameters. Call it
// after placement, which does not know states.
void LeaveOutTraining(MxnetModel& model);

// Returns the shape that a variable declares in "__shape__", or nullopt if it is absent or
// incomplete.
std::optional<Dimensions> ShapeOfVariable(const MxnetModel& model, ValueId variable);
// The declared shape for messages if it has open dimensions: "D,3,224,224"; empty if there is none.
std::string PatternOfVariable(const MxnetModel& model, ValueId variable);

}  // namespace opledger

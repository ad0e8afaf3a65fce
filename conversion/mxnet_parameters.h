// The parameters of an MXNet model: which array of the .params file each variable of the symbol
// is, and what their numbers say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/labels.h"
#include "conversion/model/mxnet_params.h"
#include "conversion/model/mxnet_symbol.h"

namespace opledger {

// Variables get the types of their arrays. With `offline`, those of dense "arg:" arrays that no
// node writes to become parameters of the graph, whose tensors are numbered as the arrays of the
// file; all others stay inputs. What is no input of the model's user leaves the graph's inputs.
// False, with an error: names do not say which array is whose.
bool AttachParameters(const MxnetParams& params, bool offline, MxnetSymbol& symbol,
                      Diagnostics& diagnostics);

// "NAME=DTYPE" for variables, by options. False, with an error: there is no such variable or type,
// or the file says another.
bool DeclareTypes(const std::vector<std::string>& types, const char* option, MxnetSymbol& symbol,
                  Diagnostics& diagnostics);

// As PinByWeights of ONNX: pins nodes by the numbers of the parameters they would cast.
void PinByMxnetWeights(const MxnetParams& params, const Graph& graph, Dtype target,
                       std::vector<NodeLabel>& labels);

}  // namespace opledger

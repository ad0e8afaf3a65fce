// MXNet's models: a symbol (mxnet_symbol.h) and its parameters (mxnet_params.h) -> a graph with
// types, and edits of both files. Here: which array of the .params file each variable of the symbol
// is.
// May include: conversion/model/files, conversion/model/graph, conversion/model/half,
// registry/files, registry/json, registry/platform, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"

namespace opledger {

// The variable that an array is of: "x" of "arg:x".
std::string_view MxnetVariableName(std::string_view name);

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

}  // namespace opledger

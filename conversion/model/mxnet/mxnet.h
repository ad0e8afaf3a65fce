// Reads and edits MXNet models: a symbol (mxnet_symbol.h) and its parameters (mxnet_params.h)
// become a typed graph, and both files can be edited. This header maps the variables of the symbol
// to the arrays of the .params file.
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

// Returns the variable of an array: "x" for "arg:x".
std::string_view MxnetVariableName(std::string_view name);

// Sets the types of variables to those of their arrays. With `offline`, dense "arg:" arrays that no
// node writes to become parameters of the graph, whose tensors are numbered like the arrays of the
// file; all others stay inputs. Removes variables that users do not provide from the graph's
// inputs. Returns false, with an error, if names are ambiguous.
bool AttachParameters(const MxnetParams& params, bool offline, MxnetSymbol& symbol,
                      Diagnostics& diagnostics);

// Sets types of variables from options "NAME=DTYPE". Returns false, with an error, if a variable or
// type does not exist, or the file states another type.
bool DeclareTypes(const std::vector<std::string>& types, const char* option, MxnetSymbol& symbol,
                  Diagnostics& diagnostics);

}  // namespace opledger

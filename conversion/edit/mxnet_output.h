// What is written of an MXNet model: its parameters, then its symbol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "registry/files/replacement.h"

namespace opledger {

// PREFIX-symbol.json, and for the parameters the "-0012.params" or "-0012.npz" of the name of the
// file they come from, where it ends so, else epoch 0.
std::string MxnetSymbolPath(const std::string& prefix);
std::string MxnetParamsPath(const std::string& prefix, const std::string& params);

struct MxnetOutput {
  std::string prefix;
  const MxnetSymbol& symbol;
  EditList& symbol_edits;
  const MxnetParams* params;  // nullptr: there are none
  EditList& params_edits;
};

// Whether both, read again, are a model: `params` is nullptr where there are none.
using MxnetVerify = std::function<bool(MxnetSymbol& symbol, const MxnetParams* params)>;

// What else is written with a model, if anything: it finds the symbol under a temporary name, and
// the parameters written; false: it has said why not. Its file lasts when the symbol has its name.
struct WrittenWithMxnet {
  std::function<bool(const std::string& symbol)> write = {};
  UnfinishedFile file = {};
};

// The parameters first, so that there is no moment at which a symbol refers to parameters that are
// not there. `verify` sees both before either is written; in place nothing is written where there
// are two files.
bool WriteMxnet(const MxnetOutput& output, const MxnetVerify& verify, WrittenWithMxnet& with,
                Diagnostics& diagnostics);

}  // namespace opledger

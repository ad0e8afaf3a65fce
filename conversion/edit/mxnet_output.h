// Writes an MXNet model: its parameters, then its symbol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "registry/files/replacement.h"

namespace opledger {

// Return PREFIX-symbol.json, and for the parameters PREFIX with the "-0012.params" or "-0012.npz"
// that ends the name of the source file, or epoch 0 if it has no such ending.
std::string MxnetSymbolPath(const std::string& prefix);
std::string MxnetParamsPath(const std::string& prefix, const std::string& params);

struct MxnetOutput {
  std::string prefix;
  const MxnetSymbol& symbol;
  EditList& symbol_edits;
  const MxnetParams* params;  // nullptr: none
  EditList& params_edits;
};

// Checks that both files, read back, form a model. `params` is nullptr if there are none.
using MxnetVerify = std::function<bool(MxnetSymbol& symbol, const MxnetParams* params)>;

// Writes another file together with a model, given the temporary name of the symbol after the
// parameters are written. Returns false after reporting an error. The file is kept only if the
// symbol is renamed into place.
struct WrittenWithMxnet {
  std::function<bool(const std::string& symbol)> write = {};
  UnfinishedFile file = {};
};

// Writes the parameters first, so that a symbol never refers to missing parameters. `verify` checks
// both before either is written. A model of two files cannot be written in place. Returns false,
// with an error, on failure.
bool WriteMxnet(const MxnetOutput& output, const MxnetVerify& verify, WrittenWithMxnet& with,
                Diagnostics& diagnostics);

}  // namespace opledger

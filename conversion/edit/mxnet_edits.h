// A plan made into edits of an MXNet symbol and its parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/place/place.h"

namespace opledger {

struct MxnetEdits {
  EditList symbol;
  EditList params;
  int converted = 0;  // parameters, in place
  int copied = 0;     // parameters that are there in both types
};

// `params` may be nullptr: the plan then has no parameters. Both files must outlive the edits.
MxnetEdits EditMxnet(const MxnetSymbol& symbol, const MxnetParams* params, const Plan& plan,
                     Dtype target);

}  // namespace opledger

// Turns a plan into edits of an MXNet symbol and its parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/place/place.h"

namespace opledger {

struct MxnetEdits {
  EditList symbol;
  EditList params;
  int converted = 0;  // parameters converted in place
  int copied = 0;     // parameters stored in both types
};

// If `params` is nullptr, the plan has no parameters. Both files must outlive the edits.
MxnetEdits EditMxnet(const MxnetSymbol& symbol, const MxnetParams* params, const Plan& plan,
                     Dtype target);

class MxnetNames {
 public:
  // `params` may be nullptr. A new variable must not have the name of an existing array, which it
  // would load, so these names count as taken too.
  MxnetNames(const MxnetSymbol& symbol, const MxnetParams* params);

  // Returns a suffix that makes the entry's name unique: `wanted`, or with _1, _2 ... appended.
  std::string Suffix(const MxnetEntry& entry, const std::string& wanted);
  // Returns the entry's name with a suffix, as a quoted JSON string.
  std::string Json(const MxnetEntry& entry, const std::string& suffix) const;

 private:
  const MxnetSymbol& symbol_;
  std::unordered_set<std::string> taken_;
};

}  // namespace opledger

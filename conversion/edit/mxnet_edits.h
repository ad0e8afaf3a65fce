// A plan made into edits of an MXNet symbol and its parameters.
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
  int converted = 0;  // parameters, in place
  int copied = 0;     // parameters that are there in both types
};

// `params` may be nullptr: the plan then has no parameters. Both files must outlive the edits.
MxnetEdits EditMxnet(const MxnetSymbol& symbol, const MxnetParams* params, const Plan& plan,
                     Dtype target);

class MxnetNames {
 public:
  // `params` may be nullptr. A new variable would be given an array of its name, which is not its
  // own: those count as taken too.
  MxnetNames(const MxnetSymbol& symbol, const MxnetParams* params);

  // What makes the entry's name unique: `wanted`, or with _1, _2 ... after it.
  std::string Suffix(const MxnetEntry& entry, const std::string& wanted);
  // The name of the entry with a suffix, as JSON, with its quotes.
  std::string Json(const MxnetEntry& entry, const std::string& suffix) const;

 private:
  const MxnetSymbol& symbol_;
  std::unordered_set<std::string> taken_;
};

}  // namespace opledger

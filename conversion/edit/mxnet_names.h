// Names for what is added to an MXNet model, which nothing in it has yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/mxnet_symbol.h"

namespace opledger {

class MxnetNames {
 public:
  // `params` may be nullptr. A new variable would be given an array of its name, which is not its
  // own: those count as taken too.
  MxnetNames(const MxnetSymbol& symbol, const MxnetParams* params);

  // What makes a name of its own of the entry's: `wanted`, or with _1, _2 ... behind it.
  std::string Suffix(const MxnetEntry& entry, const std::string& wanted);
  // The name of the entry with a suffix, as JSON, with its quotes.
  std::string Json(const MxnetEntry& entry, const std::string& suffix) const;

 private:
  const MxnetSymbol& symbol_;
  std::unordered_set<std::string> taken_;
};

}  // namespace opledger

// 16-bit and mixed MXNet models in float32: variables, parameters, attributes; amp_cast and
// amp_multicast go where they have nothing left to do, and copies of parameters that opledger made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/model/files/files.h"

namespace opledger {

struct MxnetWidenOptions {
  std::string params;      // the parameters' file; empty: none
  std::string output;      // a prefix; empty: nothing is written
  bool keep_io = true;     // the model's inputs and outputs keep their types
  bool only_ours = false;  // refuse a model that has 16-bit values which opledger did not make
};

// `file` is the symbol; what was done stands in `text`. False, with an error: nothing is written.
bool WidenMxnet(SourceFile file, const MxnetWidenOptions& options, std::string& text,
                Diagnostics& diagnostics);

}  // namespace opledger

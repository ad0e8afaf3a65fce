// The casts and copies of parameters that opledger put into an ONNX model, found by their names:
// X -> X__float16, by a node X__float16_cast; a copy X__float16 beside the float32 parameter X.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/graph.h"

namespace opledger {

struct InsertedParts {
  std::vector<bool> casts;         // of each node: it is such a cast
  std::vector<bool> copies;        // of each value: it is such a copy
  std::vector<std::string> names;  // of each value: what it was called; empty: as it is
};

InsertedParts FindInserted(const Graph& graph);

}  // namespace opledger

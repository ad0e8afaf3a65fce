// How a float32 model runs by a list, without being converted: the options of `opledger convert`
// that decide what runs low, as `run`, `compare` and `tune` take them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct AutocastOptions {
  std::string dtype = {};                      // float16 or bfloat16; empty: as the model is
  std::string list = {};                       // a file; empty: the shipped one
  std::string hazards = "raise";               // or "report"
  std::string quantized_islands = "keep";      // or "convert"
  std::vector<std::string> input_ranges = {};  // NAME=LO,HI
  std::string small_constants = "keep";        // or "clamp"
};

}  // namespace opledger

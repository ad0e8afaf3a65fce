// Options for running a float32 model by a precision list without converting it: those of `opledger
// convert` that decide which nodes run low, for `run`, `compare` and `tune`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct AutocastOptions {
  std::string dtype = {};                      // float16 or bfloat16; empty: no autocast
  std::string list = {};                       // a file; empty: the shipped one
  std::string hazards = "raise";               // or "report"
  std::string quantized_islands = "keep";      // or "convert"
  std::vector<std::string> input_ranges = {};  // NAME=LO,HI
  std::string small_constants = "keep";        // or "clamp"
};

}  // namespace opledger

// opledger inspect: what a model holds, and what a list says of its operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/text/diagnostics.h"

namespace opledger {

struct InspectOptions {
  std::string model;
  std::string target_dtype = "float16";
  std::string list;             // a file; empty: the shipped one
  std::string format = "text";  // or "json"
};

// What there is to say goes to `text`. The exit status: 0, or 2 with errors.
int Inspect(const InspectOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger

// The passes of a conversion, in their order: kPasses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/label/settings.h"
#include "conversion/model/files/files.h"

namespace opledger {

// Converts the model of a file; what was done stands in `text`. Gives the exit status: 0; 1, with
// --strict, if no node becomes low; 2, with errors, and then nothing is written.
int RunPasses(SourceFile file, const ConvertOptions& options, std::string& text,
              Diagnostics& diagnostics);

}  // namespace opledger

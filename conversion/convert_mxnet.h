// The conversion of an MXNet model: a symbol, and its parameters where they are given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/conversion.h"
#include "conversion/model/files/files.h"

namespace opledger {

// As Convert; `file` is the symbol, and the option `output` the prefix of what is written:
// PREFIX-symbol.json, PREFIX-0000.params.
bool ConvertMxnet(SourceFile file, const ConvertOptions& options, std::string& text,
                  Diagnostics& diagnostics);

}  // namespace opledger

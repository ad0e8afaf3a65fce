// Registrations out of files that are no C++ (Dialect::data): YAML, and so JSON too.
//   - func: add.out(Tensor a, Tensor b) -> Tensor    # a mapping per operator, one member its
//   schema
//     dispatch: {CPU, CUDA: add_out_kernel}          # others become fields
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// `text` holds the file's bytes, a NUL behind them. What is malformed is in Facts::incomplete.
Facts ReadDataFile(const DataFile& how, const std::string& path, const std::string& text);

}  // namespace opledger::scan

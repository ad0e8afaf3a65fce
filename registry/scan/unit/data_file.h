// Reads registrations from data files (Dialect::data): YAML, and thus JSON.
//   - func: add.out(Tensor a, Tensor b) -> Tensor    # one mapping per operator; this is its schema
//     dispatch: {CPU, CUDA: add_out_kernel}          # other members become fields
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// `text` is the content of the file, followed by a NUL. Malformed parts are reported in
// Facts::incomplete.
Facts ReadDataFile(const DataFile& how, const std::string& path, const std::string& text);

}  // namespace opledger::scan

// The names of operators that have a record (operators.h), for those who need no more of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

// Whether an operator of ONNX's default domain has a record.
bool HasRecord(std::string_view name);

// The operator of ONNX, or the kernel, that an operator of MXNet is under another name: its inputs
// and outputs are the same, and it has no attributes. Empty: it is none.
std::string_view MeaningOfMxnet(std::string_view name);

}  // namespace opledger

// Looks up operators with a record (operators.h) by name, without the records themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

// Returns whether an operator of ONNX's default domain has a record.
bool HasRecord(std::string_view name);

// Returns the ONNX operator or kernel that an MXNet operator is under another name, with the same
// inputs and outputs and without attributes. Empty if there is none.
std::string_view MeaningOfMxnet(std::string_view name);

}  // namespace opledger

// The parts of a dialect file that speak of kernels: used by the reader of the whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/dialect/dialect.h"
#include "registry/json/json_fields.h"

namespace opledger {

// An array of indices of arguments.
void ReadIndices(JsonFields& fields, std::string_view key, std::vector<int>& indices);

// What the arguments of one call say: the members of `value` that `fields` hands out. False: there
// were errors.
bool ReadKernelCall(const JsonDocument& document, const JsonValue& value, JsonFields& fields,
                    KernelCall& call, Diagnostics& diagnostics);

// "kernels" of a dialect.
bool ReadKernelNames(const JsonDocument& document, const JsonValue& value, KernelNames& kernels,
                     Diagnostics& diagnostics);

}  // namespace opledger

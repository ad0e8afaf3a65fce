// Reads the parts of a dialect file that describe kernels. Used by dialect_reader.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/dialect/dialect.h"
#include "registry/json/json_fields.h"

namespace opledger {

// Reads an array of argument indices.
void ReadIndices(JsonFields& fields, std::string_view key, std::vector<int>& indices);

// Reads the description of one call from the members of `value`, using `fields`. Returns false
// after errors.
bool ReadKernelCall(const JsonDocument& document, const JsonValue& value, JsonFields& fields,
                    KernelCall& call, Diagnostics& diagnostics);

// Reads "kernels" of a dialect. Returns false after errors.
bool ReadKernelNames(const JsonDocument& document, const JsonValue& value, KernelNames& kernels,
                     Diagnostics& diagnostics);

}  // namespace opledger

// What manifests and facts files say of a kernel in the same words: device, label, types, details.
//   {"device": "cuda", "types": {"T": ["float16", "float32"], "U": "AllTypes()"}}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"
#include "registry/manifest/kernel.h"

namespace opledger {

// Writes these members into the object that is open.
void WriteKernel(JsonWriter& json, const Kernel& kernel);

// Takes them from `fields`; false where one of their own tables is malformed.
bool ReadKernel(const JsonDocument& document, JsonFields& fields, Kernel& kernel,
                Diagnostics& diagnostics);

}  // namespace opledger

// The element types that an operator's registration allows its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"

namespace opledger::scan {

// Adds the field "dtypes": one value per type variable that an input names ("T"), or per type an
// input names itself: "float16, float32". A variable of which nothing is known adds none.
void AddDtypes(const TypeNames& types, Fields& fields);

}  // namespace opledger::scan

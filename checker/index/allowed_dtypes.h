// What an operator's registration says of a 16-bit type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/manifest/manifest.h"
#include "registry/text/dtype.h"

namespace opledger {

enum class Allows { kUnknown, kNo, kYes };

// Of the inputs that may be float32: kYes where every one may be `dtype` too, kNo where none may;
// kUnknown where they differ, or the registration does not say.
Allows AllowsDtype(const Operator& op, Dtype dtype);

// "T: float32, float64", for messages.
std::string AllowedDtypes(const Operator& op);

}  // namespace opledger

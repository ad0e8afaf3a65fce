// `opledger convert --verify`: the sibling that runs models holds the converted one against the
// original.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/conversion.h"

namespace opledger {

// Errors where --verify asks for what cannot be had; before the conversion.
void CheckVerification(const ConvertOptions& options, Diagnostics& diagnostics);

// Becomes `opledger-run --compare`, whose exit status is the verification's; returns only where
// that fails, with an error.
void BecomeVerification(const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace opledger

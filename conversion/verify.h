// `opledger convert --verify`: the sibling that runs models holds the converted one against the
// original.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/conversion.h"

namespace opledger {

// Reports, before the conversion, whether --verify cannot work.
void CheckVerification(const ConvertOptions& options, Diagnostics& diagnostics);

// Becomes `opledger-run --compare`, whose exit status is the verification's; returns only where
// that fails, with an error.
void BecomeVerification(const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace opledger

// `opledger convert --verify`: compares the converted model with the original, using opledger-run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/conversion.h"

namespace opledger {

// Reports an error, before the conversion, if --verify cannot work.
void CheckVerification(const ConvertOptions& options, Diagnostics& diagnostics);

// Replaces this process by `opledger-run --compare`, whose exit status becomes the status of the
// verification. Returns only on failure, with an error.
void BecomeVerification(const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace opledger

// The bundle of `opledger doctor --report FILE`, for bug reports: versions, settings, counts,
// times, limits and the number of errors of a check of the project. Without `names` it contains no
// text of the user's files and no name that the user chose: not of operators, files, folders,
// lists, dialects or macros. All its texts are opledger's own; from what a check reports, only
// numbers and words that opledger knows are taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/config/doctor.h"
#include "checker/project/check_options.h"

namespace opledger {

struct SupportBundle {
  std::vector<DoctorCheck> examined;
  std::string text;  // schemas/support-bundle.schema.json
};

// Runs the checks of doctor, and `opledger check` as the project file describes it. With `names`,
// messages and places are included.
SupportBundle MakeSupportBundle(const GlobalOptions& global,
                                const std::vector<std::string>& siblings, bool names);

}  // namespace opledger

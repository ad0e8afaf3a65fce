// `opledger doctor`: reports what a bug report needs, and problems with the installation, the
// project or the machine. The report contains only the number and size of the user's files, and "~"
// for the home folder, so it can be posted in public.
//   opledger-scan  1.2.3
//   cache          ~/.cache/opledger (HOME), 2 files, 94208 bytes
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/check_options.h"

namespace opledger {

struct DoctorCheck {
  std::string name;     // what was checked; not unique
  std::string found;    // may be empty
  std::string problem;  // empty if the check passed
  std::string hint;     // how to fix it; may be empty
};

// Runs the sibling programs of these names and git for their versions, opledger-scan to detect
// dialects, and the program that runs models for a summary of its kernels. Without `names`, no
// name of a file or folder is shown, nor any other name that the user chose.
std::vector<DoctorCheck> RunDoctorChecks(const GlobalOptions& global,
                                         const std::vector<std::string>& siblings,
                                         bool names = true);

std::string DoctorText(const std::vector<DoctorCheck>& all);
std::string DoctorJson(const std::vector<DoctorCheck>& all);  // schemas/doctor.schema.json

}  // namespace opledger

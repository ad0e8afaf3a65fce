// `opledger doctor`: what a report of a bug needs, and what is wrong with the installation, the
// project or the machine. Nothing of the users' files is in it but their number and size, and the
// home folder is written as "~", so that it can be pasted where everybody reads it.
//   opledger-scan  0.1.0
//   cache          ~/.cache/opledger (HOME), 2 files, 94208 bytes
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/check_options.h"

namespace opledger {

struct DoctorCheck {
  std::string name;     // what was looked at; may stand several times
  std::string found;    // empty: nothing
  std::string problem;  // what is wrong with it; empty: nothing
  std::string hint;     // what would help
};

// Runs the sibling programs of these names and git for their versions, the one that runs models for
// a summary of its kernels, and nothing else.
std::vector<DoctorCheck> RunDoctorChecks(const GlobalOptions& global,
                                         const std::vector<std::string>& siblings);

std::string DoctorText(const std::vector<DoctorCheck>& all);
std::string DoctorJson(const std::vector<DoctorCheck>& all);  // schemas/doctor.schema.json

}  // namespace opledger

// The files that a run reads: no output takes the place of one (CheckOutputFiles).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/model/model.h"
#include "registry/files/output_files.h"

namespace opledger {

// Of a model: itself, `params`, its external data, the inputs' files, the list with those that it
// extends. `params`, `list`: empty where there are none.
FilesInUse FilesRead(const RunnableModel& model, const std::string& params,
                     const InputOptions& inputs, const std::string& list);

// A list's file, and those of the lists that it extends.
std::vector<std::string> ListFiles(const std::string& list);

}  // namespace opledger

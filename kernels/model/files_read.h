// Finds the files that a run reads, so that no output overwrites one (CheckOutputFiles).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/model/model.h"
#include "registry/files/output_files.h"

namespace opledger {

// Returns the files of a model: the model itself, `params`, external data, the files of its inputs,
// and the list with those that it extends. `params` and `list` may be empty.
FilesInUse FilesRead(const RunnableModel& model, const std::string& params,
                     const InputOptions& inputs, const std::string& list);

// Returns a list's file and the files of the lists that it extends.
std::vector<std::string> ListFiles(const std::string& list);

}  // namespace opledger

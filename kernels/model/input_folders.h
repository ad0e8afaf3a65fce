// Inputs of many runs: a folder of folders, each of which holds a run's inputs as NAME.npy.
//   data/001/x.npy data/002/x.npy -> two runs, "001" and "002"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "kernels/model/model_inputs.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Names as files': what is no letter, digit, dot, dash or underscore is an underscore. Where two
// would be one file it is %XX, as in URLs: a/b and a:b -> a%2Fb.npy and a%3Ab.npy.
std::vector<std::string> NpyFileNames(const std::vector<std::string_view>& names);

// The folders within, in the order of their names. None, with an error: there is none.
std::optional<std::vector<std::string>> InputFolders(const std::string& folder,
                                                     Diagnostics& diagnostics);

// Each file of a folder as NAME=FILE.npy, by the names that they have, %XX read.
// None, with an error, where the folder cannot be read.
std::optional<std::vector<std::string>> FilesOf(const std::string& folder,
                                                Diagnostics& diagnostics);
// Those of the model's inputs: as %XX, else as NpyFileNames has them.
std::optional<std::vector<std::string>> FilesOf(const std::string& folder, const Graph& graph,
                                                Diagnostics& diagnostics);

// The runs of InputOptions::from, in the order of their names: one without a name where there is
// none. None, with an error: no folder is in it.
std::optional<std::vector<std::string>> RunsOf(const InputOptions& options,
                                               Diagnostics& diagnostics);

// The options of one of them, with the files of its folder. `graph`: those of its inputs; nullptr:
// all. None, with an error, where it cannot be read.
std::optional<InputOptions> OptionsOfRun(const InputOptions& options, const std::string& run,
                                         const Graph* graph, Diagnostics& diagnostics);

}  // namespace opledger

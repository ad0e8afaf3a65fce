// Inputs of several runs: a folder of folders, each with the inputs of one run as NAME.npy.
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

// File names for names: characters other than letters, digits, dots, dashes and underscores become
// underscores; or %XX, as in URLs, if two names would be the same file: a/b and a:b -> a%2Fb.npy
// and a%3Ab.npy.
std::vector<std::string> NpyFileNames(const std::vector<std::string_view>& names);

// Subfolders, sorted by name. Returns nullopt, with an error, if there are none.
std::optional<std::vector<std::string>> InputFolders(const std::string& folder,
                                                     Diagnostics& diagnostics);

// Each file of a folder as NAME=FILE.npy, with %XX decoded. Returns nullopt, with an error, if the
// folder cannot be read.
std::optional<std::vector<std::string>> FilesOf(const std::string& folder,
                                                Diagnostics& diagnostics);
// Files of the model's inputs, named with %XX or as by NpyFileNames.
std::optional<std::vector<std::string>> FilesOf(const std::string& folder, const Graph& graph,
                                                Diagnostics& diagnostics);

// The runs in InputOptions::from, sorted by name; a single run without a name if `from` is empty.
// Returns nullopt, with an error, if it has no subfolders.
std::optional<std::vector<std::string>> RunsOf(const InputOptions& options,
                                               Diagnostics& diagnostics);

// Returns the options of one run, with the files of its folder. `graph`: only files of its inputs;
// nullptr: all files. Returns nullopt, with an error, if the folder cannot be read.
std::optional<InputOptions> OptionsOfRun(const InputOptions& options, const std::string& run,
                                         const Graph* graph, Diagnostics& diagnostics);

}  // namespace opledger

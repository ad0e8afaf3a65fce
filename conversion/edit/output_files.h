// No output of a conversion takes the place of a file that it reads, or of another output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct OutputFile {
  std::string option;  // that names it: "-o"
  std::string path;
  bool in_place = false;  // may be a file that is read, where --in-place says so
};

// Whether both are one file, there or not.
bool IsSameFile(const std::string& a, const std::string& b);

// False, with an error: an output is one of the files that are read, or another output. `model` are
// those that an output with `in_place` may replace, `others` are never replaced.
bool CheckOutputFiles(const std::vector<std::string>& model, const std::vector<std::string>& others,
                      const std::vector<OutputFile>& outputs, Diagnostics& diagnostics);

// The files with external data that a model at `model` names, each once.
std::vector<std::string> ExternalFiles(const Graph& graph, const std::string& model);

}  // namespace opledger

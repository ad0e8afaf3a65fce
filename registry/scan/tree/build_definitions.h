// Finds the value of a macro that names of operators contain, in CMakeLists.txt and setup.py:
//   target_compile_definitions(ext PRIVATE TORCH_EXTENSION_NAME=ext)
//   CUDAExtension("pkg._C", ["csrc/ops.cpp"])
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/source/source.h"

namespace opledger::scan {

struct BuildDefinition {
  std::string value;
  std::vector<std::string> sources;  // as written, relative to the file's folder; may be empty
};

// Returns the definitions in a CMakeLists.txt, with the sources of their targets.
std::vector<BuildDefinition> DefinitionsInCMake(std::string_view text, const std::string& macro);

// Returns the extensions in a setup.py. Values are their names without packages, as which PyTorch
// defines TORCH_EXTENSION_NAME.
std::vector<BuildDefinition> ExtensionsInSetup(const std::string& text);

// Reads the build files of the root and of two levels of folders below it. Gives each macro among
// the dialect's build names that has no value its value: by source file, or everywhere if there is
// only one. Otherwise lists its possible values.
void AddBuildDefinitions(const Source& source, Dialect& dialect);

}  // namespace opledger::scan

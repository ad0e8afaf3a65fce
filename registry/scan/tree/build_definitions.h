// What a macro is that names of operators are made of, as CMakeLists.txt and setup.py say:
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
  std::vector<std::string> sources;  // as written, seen from the file's folder; may be empty
};

// Of a CMakeLists.txt, with the sources of the targets that it is for.
std::vector<BuildDefinition> DefinitionsInCMake(std::string_view text, const std::string& macro);

// Of a setup.py: the extensions' names without their packages, which PyTorch defines
// TORCH_EXTENSION_NAME as.
std::vector<BuildDefinition> ExtensionsInSetup(const std::string& text);

// Looks into the build files of the root and of the two levels of folders below it. A macro of the
// dialect's build names that has no value gets one by source file, or everywhere if there is one
// value alone; else the values that it may have.
void AddBuildDefinitions(const Source& source, Dialect& dialect);

}  // namespace opledger::scan

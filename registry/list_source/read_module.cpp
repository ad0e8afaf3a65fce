// Python is read here. Other formats are read by the scanner, which has a C++ lexer and a YAML
// parser.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/read_module.h"

#include "registry/list_source/cpp_list.h"
#include "registry/list_source/python_list.h"

namespace opledger {

std::optional<ListModule> ReadListModule(ListFormat format, const std::string& path,
                                         std::string text, Diagnostics& diagnostics) {
  if (format == ListFormat::kPython) return ReadPythonLists(path, std::move(text), diagnostics);
  return ReadCppLists(format, path, std::move(text), diagnostics);
}

}  // namespace opledger

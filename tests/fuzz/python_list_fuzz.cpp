// Reads arbitrary bytes as a Python module of precision lists: must not crash or hang, and the
// output can be read again.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>

#include "checker/import/import_list.h"
#include "registry/json/json.h"
#include "registry/list_source/python_list.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(python_list) {
  using namespace opledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  const std::optional<ListModule> module = ReadPythonLists("lists.py", text, diagnostics);
  if (!module) {
    if (!diagnostics.has_errors()) std::abort();
    return 0;
  }
  const std::optional<ListRole> fp32 = ParseListRole("fp32");
  const ImportTarget target{
      "lists.py", "mxnet", "float16", "", "", true, {{"", "A*", *fp32, "", ""}}};
  const std::optional<ImportedList> list = ImportLists(*module, target, diagnostics);
  if (list && !ParseJson("list.json", list->json, diagnostics)) std::abort();
  RenderDiagnostics(diagnostics);
  return 0;
}

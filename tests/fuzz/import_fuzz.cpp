// Reads arbitrary bytes as the inputs of `import` other than Python: a manifest whose registrations
// state policies, and the lists that the scanner found in C++ source. Must not crash or hang, and
// the output can be read again.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "checker/import/import_list.h"
#include "registry/dialect/cpp_lists.h"
#include "registry/json/json.h"
#include "registry/list_source/registration_list.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

void Import(const opledger::ListModule& module, opledger::Diagnostics& diagnostics) {
  const auto fp32 = opledger::ParseListRole("fp32");
  const opledger::ImportTarget target{
      "lists.cc", "mxnet", "float16", "", "", true, {{"", "*", *fp32, "", ""}}};
  const auto list = opledger::ImportLists(module, target, diagnostics);
  Require(!list || opledger::ParseJson("list.json", list->json, diagnostics).has_value(),
          "a list is JSON");
}

}  // namespace

FUZZ_TARGET(import) {
  using namespace opledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* device : {"", "cuda"}) {
    Diagnostics diagnostics;
    const auto lists = ReadRegistrationLists("operators.json", text, device, diagnostics);
    Require(lists.has_value() || diagnostics.has_errors(), "an error if it is refused");
    if (lists) Import(lists->module, diagnostics);
    RenderDiagnostics(diagnostics);
  }
  if (const auto lists = UnpackCppLists(text)) {
    Require(UnpackCppLists(PackCppLists(*lists)).has_value(),
            "lists survive packing and unpacking");
  }
  return 0;
}

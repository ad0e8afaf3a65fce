// Reads arbitrary bytes as an MXNet symbol: must not crash or hang. Every reference is to an
// existing entry, and without edits the symbol is written with the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "conversion/model/mxnet/mxnet_symbol_edits.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

void CheckReferences(const opledger::MxnetSymbol& symbol) {
  for (const opledger::MxnetScope& scope : symbol.scopes) {
    const auto check = [&](const opledger::MxnetReference& reference) {
      Require(static_cast<std::size_t>(reference.entry) < scope.entries.size() &&
                  reference.output < scope.entries[reference.entry].outputs,
              "a reference to an output that is there");
    };
    for (const opledger::MxnetReference& head : scope.heads) check(head);
    for (const opledger::MxnetEntry& entry : scope.entries) {
      for (const opledger::MxnetReference& input : entry.inputs) check(input);
    }
    Require(opledger::MxnetOrder(scope).size() <= scope.entries.size(),
            "each entry is ordered at most once");
  }
}

}  // namespace

FUZZ_TARGET(mxnet_symbol) {
  opledger::Diagnostics diagnostics;
  const auto symbol = opledger::ReadMxnetSymbol(
      opledger::SourceFile::FromText("fuzz-symbol.json",
                                     std::string(reinterpret_cast<const char*>(data), size)),
      diagnostics);
  Require(symbol.has_value() != diagnostics.has_errors(),
          "an error if and only if a symbol is refused");
  if (!symbol) return 0;
  CheckReferences(*symbol);
  opledger::EditList none = opledger::MxnetSymbolEdits(*symbol).Finish();
  Require(opledger::EditedText(symbol->file, none) == symbol->file.bytes(),
          "unedited text has the symbol's bytes");
  return 0;
}

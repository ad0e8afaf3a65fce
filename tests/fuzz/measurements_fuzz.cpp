// Reads arbitrary bytes as evidence, CSV and JSON: must not crash or hang. Rejected input has an
// error that can be shown; accepted input names operators at valid places.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>

#include "checker/findings/evidence.h"
#include "registry/source/overlay_tree.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

void Read(const std::string& name, const std::string& text) {
  using namespace opledger;
  const auto files = std::make_shared<OverlayTree>(DiskSource("/").files(),
                                                   OverlayTree::Texts{{"/fuzz/" + name, text}});
  Diagnostics diagnostics;
  const auto evidence = ReadEvidence(Source(files, "/fuzz"), name, Reach::kAnywhere, diagnostics);
  Require(evidence.has_value() != diagnostics.has_errors(),
          "an error if and only if it is refused");
  RenderDiagnostics(diagnostics);
  if (!evidence) return;
  const LineIndex lines(text);
  for (const MeasuredOperator& measured : evidence->operators) {
    Require(!measured.op.empty(), "an operator has a name");
    Require(measured.location.line >= 1 && measured.location.line <= lines.count(),
            "a location is in the file");
  }
}

}  // namespace

FUZZ_TARGET(measurements) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Read("evidence.csv", text);
  Read("evidence.json", text);
  return 0;
}

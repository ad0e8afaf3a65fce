// Reads arbitrary bytes as JSON, as a precision list and as operators.json: must not crash or hang.
// For accepted input, spans lie in the text, and a manifest survives writing and reading.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "registry/json/json.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"
#include "tests/fuzz/fuzz_target.h"

namespace opledger {
namespace {

void Demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void CheckSpans(const JsonDocument& document, const JsonValue& value, Span outer) {
  const Span span = value.span;
  Demand(span.begin < span.end && outer.begin <= span.begin && span.end <= outer.end, "a span");
  const Location place = document.At(span);
  const std::string line = document.Line(place.line);
  Demand(place.column >= 1 && static_cast<std::size_t>(place.column) <= line.size(), "a column");
  for (const JsonValue& item : value.items) CheckSpans(document, item, span);
  for (const JsonMember& member : value.members) {
    Demand(span.begin < member.key_span.begin && member.key_span.end <= member.value.span.begin,
           "the span of a key");
    CheckSpans(document, member.value, span);
  }
}

// Rejected input has an error, and every error can be shown.
void CheckErrors(bool accepted, const Diagnostics& diagnostics) {
  Demand(accepted != diagnostics.has_errors(), "an error exactly where something is refused");
  const std::string text = RenderDiagnostics(diagnostics);
  Demand(accepted || text.back() == '\n', "an error that can be shown");
}

void CheckManifest(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<Manifest> manifest = ParseManifest("operators.json", text, diagnostics);
  CheckErrors(manifest.has_value(), diagnostics);
  if (!manifest) return;
  const std::string written = WriteManifest(*manifest);
  const std::optional<Manifest> again = ParseManifest("operators.json", written, diagnostics);
  Demand(again && WriteManifest(*again) == written, "a manifest that writes and reads as itself");
}

}  // namespace
}  // namespace opledger

FUZZ_TARGET(json) {
  using namespace opledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics json_diagnostics;
  const std::optional<JsonDocument> document = ParseJson("f.json", text, json_diagnostics);
  CheckErrors(document.has_value(), json_diagnostics);
  if (document) CheckSpans(*document, document->root, {0, text.size()});
  Diagnostics list_diagnostics;
  const bool list = ParsePrecisionList("list.json", text, list_diagnostics).has_value();
  CheckErrors(list, list_diagnostics);
  CheckManifest(text);
  return 0;
}

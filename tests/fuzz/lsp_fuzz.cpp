// Sends arbitrary bytes to `opledger lsp` as an editor: framed by the input itself or, if it begins
// with a brace, one message per line. Must not crash or hang, and every answer is a valid message.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "checker/lsp/json_place.h"
#include "checker/lsp/lsp.h"
#include "tests/fuzz/fuzz_target.h"

namespace opledger {
namespace {

void DemandMessage(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void Serve(std::string_view bytes) {
  CheckOptions options;
  options.global.project_file = "none";
  MessageReader answers;
  LanguageServer server(options, [&](std::string_view sent) {
    answers.Feed(sent);
    return true;
  });
  while (!bytes.empty() && !server.ended()) {
    const bool lines = bytes.front() == '{';
    const std::size_t size = std::min(lines ? bytes.find('\n') : 97, bytes.size());
    const std::string_view piece = bytes.substr(0, size);
    server.Feed(lines ? Frame(piece) : std::string(piece));
    server.Work(true);
    bytes.remove_prefix(std::min(size + (lines ? 1 : 0), bytes.size()));
  }
  while (const std::optional<FramedMessage> answer = answers.Next()) {
    DemandMessage(answer->problem.empty(), "a header that can be read");
    DemandMessage(ParseMessage(answer->text).kind != Message::Kind::kInvalid, "a message");
  }
}

// A place lies before the end of the text.
void FindPlace(std::string_view text) {
  const std::size_t offset = text.empty() ? 0 : static_cast<unsigned char>(text[0]) % text.size();
  const JsonPlace place = JsonPlaceAt(text, offset);
  DemandMessage(place.span.begin <= place.span.end && place.span.end <= text.size(), "a span");
  DemandMessage(place.span.begin <= offset && offset <= place.span.end, "the cursor in the span");
}

}  // namespace
}  // namespace opledger

FUZZ_TARGET(lsp) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  opledger::Serve(bytes);
  opledger::FindPlace(bytes);
  return 0;
}

// Reads arbitrary bytes as a sidecar, with a model of one kilobyte and external data: must not
// crash or hang. The restored data is never larger than the files, and has the size that was
// checked.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "conversion/revert/sidecar.h"
#include "registry/text/bytes.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

std::string Halves(std::size_t size, unsigned seed) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes.push_back(static_cast<char>(seed >> 24));
  }
  return bytes;
}

}  // namespace

// Takes the sidecar's sizes and digests of the converted files as correct.
FUZZ_TARGET(sidecar) {
  static const auto model = opledger::SourceFile::FromText("converted.onnx", Halves(1024, 1));
  static const auto beside = opledger::SourceFile::FromText("converted.data", Halves(2048, 2));
  const opledger::SourceFile sidecar = opledger::SourceFile::FromText(
      "fuzz.sidecar", std::string(reinterpret_cast<const char*>(data), size));
  opledger::Diagnostics diagnostics;
  const opledger::FindSource find = [](const opledger::SidecarClaim& claim) {
    return claim.name.empty() ? &model : &beside;
  };
  const auto restored = opledger::ReadSidecar(sidecar, find, diagnostics);
  Require(restored.has_value() != diagnostics.has_errors(),
          "an error if and only if it is refused");
  if (!restored) return 0;
  std::size_t all = 0;
  for (const opledger::RestoredFile& file : restored->files) {
    std::uint64_t expected = 0;
    for (const opledger::RestoredPiece& piece : file.pieces) expected += piece.size;
    std::string text;
    opledger::OutputSink sink(text);
    Require(file.Write(restored->from, sidecar, sink), "the file can be written");
    Require(text.size() == expected, "restored data has the declared size");
    all += text.size();
  }
  Require(all <= size + 2 * (1024 + 2048), "restored data is not larger than the files");
  return 0;
}

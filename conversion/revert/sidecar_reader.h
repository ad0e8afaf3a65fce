// Reading a sidecar: every length, place and count is checked against the sidecar and the converted
// files before anything is written. Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/revert/sidecar.h"
#include "registry/platform/files.h"

namespace opledger {

// Of a piece's numbers, up to kSidecarBlock of them.
struct SidecarBlock {
  SidecarWidth width = SidecarWidth::kNone;
  std::string_view bytes;
};

struct RestoredPiece {
  SidecarPiece::Kind kind = SidecarPiece::Kind::kBytes;
  std::uint64_t size = 0;
  std::string_view from;  // the bytes, what is copied, or the 16-bit numbers
  std::vector<SidecarBlock> blocks;
};

// An original file: its pieces are all of it.
struct RestoredFile {
  std::string name;    // below the model's folder; empty: the model itself
  std::string digest;  // SHA-256, in hexadecimal digits
  std::vector<RestoredPiece> pieces;

  bool Write(Dtype from, OutputSink& sink) const;
};

// The views are into the sidecar and the converted files, which must outlive it.
struct Restored {
  Dtype from = Dtype::kFloat16;     // of the 16-bit numbers
  std::vector<RestoredFile> files;  // the model is the last
};

// A converted file that a sidecar speaks of, by its name there.
struct SidecarClaim {
  std::string name;
  std::uint64_t size = 0;
  std::string digest;
};
// Gives that file, which must outlive what is read; nullptr, with an error: it is not there, or
// another one.
using FindSource = std::function<const SourceFile*(const SidecarClaim& claim)>;

// Errors say that the sidecar is damaged. Names of files stay below the model's folder, as far as
// texts tell.
std::optional<Restored> ReadSidecar(const SourceFile& sidecar, const FindSource& find,
                                    Diagnostics& diagnostics);

// That a sidecar is not what it should be. Gives false.
bool ReportDamagedSidecar(const SourceFile& sidecar, const std::string& message,
                          Diagnostics& diagnostics);

}  // namespace opledger

// A sidecar stores what a converted model lacks, so that `opledger revert` can restore the original
// byte for byte: copies from the converted files, bytes that were edited, and the difference
// between weights and their upcast 16-bit versions. Independent of the format.
//   magic; sources (name, size, SHA-256); targets (name, size, SHA-256, pieces with their data)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/files/files.h"
#include "registry/files/files.h"
#include "registry/text/dtype.h"

namespace opledger {

// A piece of an original file: its bytes, how to restore them, and from where.
struct SidecarPiece {
  enum class Kind : std::uint8_t { kBytes, kCopy, kNumbers };
  Kind kind = Kind::kBytes;
  Span span;                 // of the original
  std::uint64_t source = 0;  // index of the converted file, for kCopy and kNumbers
  std::uint64_t offset = 0;  // in the converted file
};

struct SidecarTarget {
  std::string name;  // relative to the model's folder; empty: the model itself
  const SourceFile* original = nullptr;
  std::vector<SidecarPiece> pieces;  // without gaps
};

struct SidecarSource {
  std::string name;  // relative to the model's folder; empty: the model itself
  const SourceFile* file = nullptr;
};

// Returns the pieces of a file that `edits` changed. `numbers`: the sorted spans of float32
// tensors. Expects their 16-bit versions at the end of the edit that replaced them. `source`: the
// index of the converted file.
std::vector<SidecarPiece> PiecesOf(const SourceFile& original, EditList& edits,
                                   const std::vector<Span>& numbers, std::uint64_t source = 0);

// Writes a sidecar to `path`. The content of `replacement` is ignored. Returns false, with an
// error, on failure.
bool WriteSidecar(const std::string& path, const std::vector<SidecarSource>& sources,
                  const std::vector<SidecarTarget>& targets, Dtype target, Replacement replacement,
                  Diagnostics& diagnostics);

struct SidecarPlaces {
  std::string model;   // the converted model
  std::string params;  // its other file; empty: at the path in the sidecar
  std::string output;
  std::string prefix;     // MXNet: prefix for the names of other files; empty: names are complete
  bool in_place = false;  // the model, and MXNet parameters, may be replaced
  std::string data_root;  // follow links to external data within it; may be empty
};

// Writes the original files: the model as `output`, others next to it by their names. Writes
// nothing, and returns false with an error, if the sidecar is damaged or belongs to another model.
bool ApplySidecar(const std::string& sidecar, const SidecarPlaces& places,
                  Diagnostics& diagnostics);

inline constexpr std::string_view kSidecarName = "opledger-sidecar";
inline constexpr int kSidecarVersion = 1;
inline constexpr std::size_t kSidecarBlock = std::size_t{1} << 16;  // elements
// A block holds the differences in a fixed number of bytes each, or whole elements, followed by
// exceptions that do not fit: the index in the block (two bytes) and the element (four bytes). All
// little-endian.
inline constexpr std::size_t kSidecarException = 6;
enum class SidecarWidth : std::uint8_t { kNone = 0, kOne = 1, kTwo = 2, kWhole = 4 };

// Up to kSidecarBlock elements of a piece.
struct SidecarBlock {
  SidecarWidth width = SidecarWidth::kNone;
  std::string_view bytes;
};

struct RestoredPiece {
  SidecarPiece::Kind kind = SidecarPiece::Kind::kBytes;
  std::uint64_t size = 0;
  const SourceFile* file = nullptr;  // the sidecar or a converted file
  std::string_view from;  // the bytes, the copied bytes, or the 16-bit elements in `file`
  std::vector<SidecarBlock> blocks;
};

// An original file, which its pieces cover completely.
struct RestoredFile {
  std::string name;    // relative to the model's folder; empty: the model itself
  std::string digest;  // SHA-256 in hexadecimal
  std::vector<RestoredPiece> pieces;

  // `sidecar`: the file it was read from.
  bool Write(Dtype from, const SourceFile& sidecar, OutputSink& sink) const;
};

// The views refer to the sidecar and the converted files, which must outlive it.
struct Restored {
  Dtype from = Dtype::kFloat16;     // of the 16-bit elements
  std::vector<RestoredFile> files;  // the model comes last
};

// A converted file that a sidecar lists, by its name there.
struct SidecarClaim {
  std::string name;
  std::uint64_t size = 0;
  std::string digest;
};
// Returns that file, which must outlive the result; nullptr, with an error, if it is missing or
// differs.
using FindSource = std::function<const SourceFile*(const SidecarClaim& claim)>;

// Reports damaged sidecars, including names of files outside the model's folder. Does not resolve
// links.
std::optional<Restored> ReadSidecar(const SourceFile& sidecar, const FindSource& find,
                                    Diagnostics& diagnostics);

// Reports a bad sidecar. Returns false.
bool ReportDamagedSidecar(const SourceFile& sidecar, const std::string& message,
                          Diagnostics& diagnostics);

}  // namespace opledger

// What a converted model lacks of its original, so that `opledger revert` gives the original back
// byte for byte: copies from the converted files, the bytes of edits, and of weights the difference
// to the upcast 16-bit ones. Of no format.
//   magic; sources (name, size, SHA-256); targets (name, size, SHA-256, pieces with what they need)
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

// Of an original file, in its order: bytes of it, how they come back, and from where.
struct SidecarPiece {
  enum class Kind : std::uint8_t { kBytes, kCopy, kNumbers };
  Kind kind = Kind::kBytes;
  Span span;                 // of the original
  std::uint64_t source = 0;  // index of the converted file, of kCopy and kNumbers
  std::uint64_t offset = 0;  // in it
};

struct SidecarTarget {
  std::string name;  // below the model's folder; empty: the model itself
  const SourceFile* original = nullptr;
  std::vector<SidecarPiece> pieces;  // without gaps
};

struct SidecarSource {
  std::string name;  // below the model's folder; empty: the model itself
  const SourceFile* file = nullptr;
};

// The pieces of a file that `edits` changed; `numbers`: where float32 tensors stand in it, sorted.
// Their 16-bit forms are looked for at the end of the edit that replaced them. `source`: which one
// the file has become.
std::vector<SidecarPiece> PiecesOf(const SourceFile& original, EditList& edits,
                                   const std::vector<Span>& numbers, std::uint64_t source = 0);

// Of `replacement` all but the content counts.
bool WriteSidecar(const std::string& path, const std::vector<SidecarSource>& sources,
                  const std::vector<SidecarTarget>& targets, Dtype target, Replacement replacement,
                  Diagnostics& diagnostics);

struct SidecarPlaces {
  std::string model;   // as it was converted
  std::string params;  // the other file of it; empty: it stands where the sidecar says
  std::string output;
  std::string prefix;     // of MXNet: what the names of other files follow; empty: they are whole
  bool in_place = false;  // the model, and of MXNet its parameters, may be replaced
  std::string data_root;  // links of the model's data are followed within; may be empty
};

// Writes the original files: the model as `output`, others beside it by their names. Nothing is
// written where the sidecar is of another model, or damaged.
bool ApplySidecar(const std::string& sidecar, const SidecarPlaces& places,
                  Diagnostics& diagnostics);

inline constexpr std::string_view kSidecarName = "opledger-sidecar";
inline constexpr int kSidecarVersion = 1;
inline constexpr std::size_t kSidecarBlock = std::size_t{1} << 16;  // numbers
// A block: the differences in so many bytes each, or the numbers; then what does not fit, each as
// its index in the block (two bytes) and its own four bytes. All little-endian.
inline constexpr std::size_t kSidecarException = 6;
enum class SidecarWidth : std::uint8_t { kNone = 0, kOne = 1, kTwo = 2, kWhole = 4 };

// Of a piece's numbers, up to kSidecarBlock of them.
struct SidecarBlock {
  SidecarWidth width = SidecarWidth::kNone;
  std::string_view bytes;
};

struct RestoredPiece {
  SidecarPiece::Kind kind = SidecarPiece::Kind::kBytes;
  std::uint64_t size = 0;
  const SourceFile* file = nullptr;  // the sidecar, or a converted file
  std::string_view from;             // the bytes, what is copied, or the 16-bit numbers, in `file`
  std::vector<SidecarBlock> blocks;
};

// An original file: its pieces are all of it.
struct RestoredFile {
  std::string name;    // below the model's folder; empty: the model itself
  std::string digest;  // SHA-256, in hexadecimal digits
  std::vector<RestoredPiece> pieces;

  // `sidecar`: that it was read from.
  bool Write(Dtype from, const SourceFile& sidecar, OutputSink& sink) const;
};

// The views are into the sidecar and the converted files, which must outlive it.
struct Restored {
  Dtype from = Dtype::kFloat16;     // of the 16-bit numbers
  std::vector<RestoredFile> files;  // the model is the last
};

// A converted file that a sidecar lists, by its name there.
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

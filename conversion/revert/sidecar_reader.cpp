// What a sidecar says, piece by piece.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert/sidecar_reader.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "conversion/model/half/half.h"
#include "registry/project/contained_path.h"
#include "registry/text/bytes.h"

namespace opledger {
namespace {

class SidecarReader {
 public:
  SidecarReader(const SourceFile& sidecar, const FindSource& find, Diagnostics& diagnostics)
      : sidecar_(sidecar), find_(find), diagnostics_(diagnostics), reader_(sidecar.bytes()) {}

  bool Read(Restored& restored) {
    if (!sidecar_.bytes().starts_with(kSidecarMagic)) return Damaged("this is no sidecar");
    reader_ = ByteReader(sidecar_.bytes().substr(std::strlen(kSidecarMagic)));
    restored.from = reader_.Number() == 0 ? Dtype::kFloat16 : Dtype::kBfloat16;
    most_ = sidecar_.bytes().size();
    const std::uint64_t sources = reader_.Number();
    for (std::uint64_t i = 0; i < sources && reader_.ok(); ++i) {
      if (!ReadSource()) return false;
    }
    const std::uint64_t files = reader_.Number();
    for (std::uint64_t i = 0; i < files && reader_.ok(); ++i) {
      if (!ReadFile(restored.files.emplace_back())) return false;
    }
    return (reader_.AtEnd() && !restored.files.empty() && restored.files.back().name.empty()) ||
           Damaged();
  }

 private:
  bool Damaged(const std::string& message = "this sidecar is damaged or cut short") {
    return ReportDamagedSidecar(sidecar_, message, diagnostics_);
  }

  bool ReadSource() {
    SidecarClaim claim;
    claim.name = reader_.Text();
    claim.size = reader_.Number();
    claim.digest = reader_.Text();
    if (!reader_.ok() || !names_.insert(claim.name).second) return Damaged();
    const SourceFile* file = find_(claim);
    if (file == nullptr) return false;
    sources_.push_back(file->bytes());
    most_ += 2 * file->bytes().size();
    return true;
  }

  // The part of a converted file that a piece speaks of.
  std::optional<std::string_view> FromSource(std::uint64_t size) {
    const std::uint64_t source = reader_.Number();
    const std::uint64_t offset = reader_.Number();
    if (!reader_.ok() || source >= sources_.size()) return std::nullopt;
    const std::string_view bytes = sources_[source];
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.substr(offset, size);
  }

  bool ReadBlocks(RestoredPiece& piece) {
    for (std::uint64_t left = piece.size / 4; left > 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(left, kSidecarBlock);
      const std::uint64_t width = reader_.Number();
      const std::string_view bytes = reader_.Text();
      const bool known = width == 0 || width == 1 || width == 2 || width == 4;
      if (!reader_.ok() || !known || bytes.size() < width * count) return false;
      const std::size_t exceptions = bytes.size() - width * count;
      if (exceptions % kSidecarException != 0 || (width == 4 && exceptions > 0)) return false;
      piece.blocks.push_back({static_cast<SidecarWidth>(width), bytes});
      left -= count;
    }
    return true;
  }

  bool ReadPiece(RestoredPiece& piece) {
    const std::uint64_t kind = reader_.Number();
    if (kind > 2) return false;
    piece.kind = static_cast<SidecarPiece::Kind>(kind);
    piece.size = reader_.Number();
    if (piece.kind == SidecarPiece::Kind::kBytes) {
      piece.from = reader_.Bytes(piece.size);
      return reader_.ok();
    }
    const bool numbers = piece.kind == SidecarPiece::Kind::kNumbers;
    if (numbers && piece.size % 4 != 0) return false;
    const auto from = FromSource(numbers ? piece.size / 2 : piece.size);
    if (!from) return false;
    piece.from = *from;
    return !numbers || ReadBlocks(piece);
  }

  bool ReadFile(RestoredFile& file) {
    file.name = reader_.Text();
    const std::uint64_t size = reader_.Number();
    file.digest = reader_.Text();
    const std::uint64_t pieces = reader_.Number();
    if (!file.name.empty() && !StaysBelow(file.name)) {
      return Damaged("'" + Printable(file.name) + "' leads out of the model's folder");
    }
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < pieces && reader_.ok(); ++i) {
      RestoredPiece& piece = file.pieces.emplace_back();
      // No byte of a converted file is used twice, and a 16-bit number gives four bytes.
      if (!ReadPiece(piece) || piece.size > most_) return Damaged();
      sum += piece.size;
      most_ -= piece.size;
    }
    return sum == size || Damaged();
  }

  const SourceFile& sidecar_;
  const FindSource& find_;
  Diagnostics& diagnostics_;
  ByteReader reader_;
  std::vector<std::string_view> sources_;
  std::set<std::string> names_;  // of them
  std::uint64_t most_ = 0;       // bytes that may yet come out
};

// The numbers of a block: `numbers` holds the upcast ones.
void Restore(const SidecarBlock& block, std::size_t count, std::string& numbers) {
  const auto width = static_cast<std::size_t>(block.width);
  for (std::size_t i = 0; i < count && width > 0; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, numbers.data() + 4 * i, 4);
    const auto low = static_cast<unsigned char>(block.bytes[width * i]);
    const auto high = static_cast<unsigned char>(block.bytes[width * i + width - 1]);
    const int difference =
        width == 1 ? static_cast<std::int8_t>(low) : static_cast<std::int16_t>(low | high << 8);
    bits += static_cast<std::uint32_t>(difference);
    std::memcpy(numbers.data() + 4 * i, &bits, 4);
  }
  for (std::size_t at = width * count; at < block.bytes.size(); at += kSidecarException) {
    const auto low = static_cast<unsigned char>(block.bytes[at]);
    const auto high = static_cast<unsigned char>(block.bytes[at + 1]);
    const std::size_t index = low | static_cast<std::size_t>(high) << 8;
    if (index < count) std::memcpy(numbers.data() + 4 * index, block.bytes.data() + at + 2, 4);
  }
}

bool WriteNumbers(const RestoredPiece& piece, Dtype from, OutputSink& sink) {
  std::string numbers;
  std::size_t at = 0;
  for (const SidecarBlock& block : piece.blocks) {
    const std::size_t count = std::min(kSidecarBlock, piece.from.size() / 2 - at);
    const bool whole = block.width == SidecarWidth::kWhole;
    if (!whole) {
      numbers.resize(4 * count);
      UpcastFloats(piece.from.data() + 2 * at, count, from, numbers.data());
      Restore(block, count, numbers);
    }
    if (!sink.Write(whole ? block.bytes : std::string_view(numbers))) return false;
    at += count;
  }
  return true;
}

}  // namespace

bool ReportDamagedSidecar(const SourceFile& sidecar, const std::string& message,
                          Diagnostics& diagnostics) {
  diagnostics.Error({.path = sidecar.path()}, message,
                    "give the file that `opledger convert --sidecar` wrote with this model");
  return false;
}

std::optional<Restored> ReadSidecar(const SourceFile& sidecar, const FindSource& find,
                                    Diagnostics& diagnostics) {
  Restored restored;
  if (!SidecarReader(sidecar, find, diagnostics).Read(restored)) return std::nullopt;
  return restored;
}

bool RestoredFile::Write(Dtype from, OutputSink& sink) const {
  return std::all_of(pieces.begin(), pieces.end(), [&](const RestoredPiece& piece) {
    const bool numbers = piece.kind == SidecarPiece::Kind::kNumbers;
    return numbers ? WriteNumbers(piece, from, sink) : sink.Write(piece.from);
  });
}

}  // namespace opledger

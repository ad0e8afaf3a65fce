// A sidecar is checked before anything is written: its model by size and digest, its pieces against
// the files they speak of. What comes out is checked by its digest before it takes its place.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "conversion/model/half.h"
#include "conversion/sidecar.h"
#include "registry/bytes.h"
#include "registry/contained_path.h"
#include "registry/file_write.h"
#include "registry/sha256.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

struct Block {
  SidecarWidth width = SidecarWidth::kNone;
  std::string_view bytes;
};

struct Piece {
  SidecarPiece::Kind kind = SidecarPiece::Kind::kBytes;
  std::uint64_t size = 0;
  std::string_view from;  // the bytes, what is copied, or the 16-bit numbers
  std::vector<Block> blocks;
};

struct Target {
  std::string name;
  std::string digest;
  std::vector<Piece> pieces;
};

std::string Folder(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class Applier {
 public:
  Applier(SourceFile sidecar, const SidecarPlaces& places, Diagnostics& diagnostics)
      : sidecar_(std::move(sidecar)),
        places_(places),
        diagnostics_(diagnostics),
        reader_(sidecar_.bytes()) {}

  bool Run() {
    if (!sidecar_.bytes().starts_with(kSidecarMagic)) return Damaged("this is no sidecar");
    reader_ = ByteReader(sidecar_.bytes().substr(std::strlen(kSidecarMagic)));
    from_ = reader_.Number() == 0 ? Dtype::kFloat16 : Dtype::kBfloat16;
    const std::uint64_t sources = reader_.Number();
    for (std::uint64_t i = 0; i < sources && reader_.ok(); ++i) {
      if (!ReadSource()) return false;
    }
    const std::uint64_t targets = reader_.Number();
    for (std::uint64_t i = 0; i < targets && reader_.ok(); ++i) {
      if (!ReadTarget()) return false;
    }
    const bool whole = reader_.ok() && !targets_.empty() && targets_.back().name.empty();
    if (!whole) return Damaged("this sidecar is damaged or cut short");
    return std::all_of(targets_.begin(), targets_.end(),
                       [&](const Target& target) { return Write(target); });
  }

 private:
  bool Damaged(const std::string& message) {
    diagnostics_.Error({.path = sidecar_.path()}, message,
                       "give the file that `opledger convert --sidecar` wrote with this model");
    return false;
  }

  bool ReadSource() {
    const std::string name(reader_.Text());
    const std::uint64_t size = reader_.Number();
    const std::string_view digest = reader_.Text();
    if (!reader_.ok()) return Damaged("this sidecar is damaged or cut short");
    const std::string& known = name.empty() ? places_.model : places_.params;
    auto file = !known.empty() ? SourceFile::Open(known, diagnostics_)
                               : SourceFile::OpenBelow(Folder(places_.model), name, "the sidecar",
                                                       diagnostics_);
    if (!file) return false;
    if (file->bytes().size() != size || Sha256Hex(file->bytes()) != digest) {
      diagnostics_.Error({.path = file->path()},
                         "this is not the file that " + sidecar_.path() + " was written with",
                         "revert the model as it was converted, or without --sidecar: then its "
                         "weights stay rounded");
      return false;
    }
    sources_.push_back(std::move(*file));
    return true;
  }

  // The part of a converted file that a piece speaks of.
  std::optional<std::string_view> FromSource(std::uint64_t size) {
    const std::uint64_t source = reader_.Number();
    const std::uint64_t offset = reader_.Number();
    if (!reader_.ok() || source >= sources_.size()) return std::nullopt;
    const std::string_view bytes = sources_[source].bytes();
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.substr(offset, size);
  }

  bool ReadBlocks(Piece& piece) {
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

  bool ReadPiece(Target& target) {
    Piece& piece = target.pieces.emplace_back();
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

  bool ReadTarget() {
    Target& target = targets_.emplace_back();
    target.name = reader_.Text();
    const std::uint64_t size = reader_.Number();
    target.digest = reader_.Text();
    const std::uint64_t pieces = reader_.Number();
    const bool leads = !places_.prefix.empty() && target.name.find('/') != std::string::npos;
    if (!target.name.empty() && (leads || !StaysBelow(target.name))) {
      return Damaged("'" + Printable(target.name) + "' leads out of the model's folder");
    }
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < pieces && reader_.ok(); ++i) {
      if (!ReadPiece(target) || __builtin_add_overflow(sum, target.pieces.back().size, &sum)) {
        return Damaged("this sidecar is damaged or cut short");
      }
    }
    return sum == size || Damaged("this sidecar is damaged or cut short");
  }

  // The numbers of a block: `numbers` holds the widened ones.
  static void Restore(const Block& block, std::size_t count, std::string& numbers) {
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

  bool WriteNumbers(const Piece& piece, OutputSink& sink) const {
    std::string numbers;
    std::size_t at = 0;
    for (const Block& block : piece.blocks) {
      const std::size_t count = std::min(kSidecarBlock, piece.from.size() / 2 - at);
      const bool whole = block.width == SidecarWidth::kWhole;
      if (!whole) {
        numbers.resize(4 * count);
        WidenFloats(piece.from.data() + 2 * at, count, from_, numbers.data());
        Restore(block, count, numbers);
      }
      if (!sink.Write(whole ? block.bytes : std::string_view(numbers))) return false;
      at += count;
    }
    return true;
  }

  bool HasDigest(const std::string& path, const std::string& digest) {
    Diagnostics quiet;
    const auto file = SourceFile::Open(path, quiet);
    return file && Sha256Hex(file->bytes()) == digest;
  }

  bool Write(const Target& target) {
    const bool named = !target.name.empty() && !places_.prefix.empty();  // by the user
    const std::string path = target.name.empty() ? places_.output
                             : named             ? places_.prefix + target.name
                                     : (fs::path(Folder(places_.output)) / target.name).string();
    std::error_code error;
    if (!target.name.empty() && !named && fs::exists(path, error)) {
      if (HasDigest(path, target.digest)) return true;
      diagnostics_.Error({.path = path},
                         "the model's data would stand here, and this is another file",
                         "revert into a folder without it");
      return false;
    }
    if (!target.name.empty() && !IsInside(path, Folder(places_.output))) {
      return Damaged("'" + Printable(target.name) + "' leads out of the model's folder");
    }
    fs::create_directories(Folder(path), error);
    const auto produce = [&](OutputSink& sink) {
      return std::all_of(target.pieces.begin(), target.pieces.end(), [&](const Piece& piece) {
        const bool numbers = piece.kind == SidecarPiece::Kind::kNumbers;
        return numbers ? WriteNumbers(piece, sink) : sink.Write(piece.from);
      });
    };
    const auto accept = [&](const std::string& written) {
      return HasDigest(written, target.digest) ||
             Damaged("what it gives is not the original: it is damaged");
    };
    return WriteFile(path, produce, diagnostics_, accept);
  }

  SourceFile sidecar_;
  const SidecarPlaces& places_;
  Diagnostics& diagnostics_;
  ByteReader reader_;
  Dtype from_ = Dtype::kFloat16;
  std::vector<SourceFile> sources_;
  std::vector<Target> targets_;
};

}  // namespace

bool ApplySidecar(const std::string& sidecar, const SidecarPlaces& places,
                  Diagnostics& diagnostics) {
  auto file = SourceFile::Open(sidecar, diagnostics);
  return file && Applier(std::move(*file), places, diagnostics).Run();
}

}  // namespace opledger

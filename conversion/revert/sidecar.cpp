// Reading: checks a sidecar before anything is written (the model by size and digest, pieces
// against the files they refer to), and the result before it replaces a file. Writing: stores
// differences of the bits as integers. Rounding changes them by at most half a step, which fits two
// bytes except for elements that overflowed, vanished, or are below the normal numbers of float16.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert/sidecar.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <list>
#include <optional>
#include <set>

#include "conversion/model/half/half.h"
#include "registry/files/files.h"
#include "registry/files/output_files.h"
#include "registry/json/json_fields.h"
#include "registry/project/contained_path.h"
#include "registry/text/bytes.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestSchema = 64;  // more than the line needs

class SidecarReader {
 public:
  SidecarReader(const SourceFile& sidecar, const FindSource& find, Diagnostics& diagnostics)
      : sidecar_(sidecar), find_(find), diagnostics_(diagnostics), reader_(sidecar.bytes()) {}

  bool Read(Restored& restored) {
    const std::size_t line_end = sidecar_.bytes().substr(0, kLongestSchema).find('\n');
    if (!sidecar_.bytes().starts_with(kSidecarName) || line_end == std::string_view::npos) {
      return Damaged("this is not a sidecar");
    }
    const std::string_view schema = sidecar_.bytes().substr(0, line_end);
    if (const auto problem = ProblemOfSchema(schema, kSidecarName, kSidecarVersion)) {
      return diagnostics_.Error({.path = sidecar_.path()}, problem->message, problem->hint);
    }
    // The contents are checked while they are written.
    reader_ = ByteReader(sidecar_.bytes().substr(line_end + 1));
    restored.from = reader_.Number() == 0 ? Dtype::kFloat16 : Dtype::kBfloat16;
    bytes_left_ = sidecar_.bytes().size();
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
    sources_.push_back(file);
    bytes_left_ += 2 * file->bytes().size();
    return true;
  }

  // Finds the part of a converted file that a piece refers to.
  bool TakeFromSource(std::uint64_t size, RestoredPiece& piece) {
    const std::uint64_t source = reader_.Number();
    const std::uint64_t offset = reader_.Number();
    if (!reader_.ok() || source >= sources_.size()) return false;
    const std::string_view bytes = sources_[source]->bytes();
    if (offset > bytes.size() || size > bytes.size() - offset) return false;
    piece.file = sources_[source];
    piece.from = bytes.substr(offset, size);
    return true;
  }

  bool ReadBlocks(RestoredPiece& piece) {
    for (std::uint64_t left = piece.size / 4; left > 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(left, kSidecarBlock);
      const std::uint64_t width = reader_.Number();
      const std::string_view bytes = reader_.Text();
      const bool known = width == 0 || width == 1 || width == 2 || width == 4;
      if (!reader_.ok() || !known || bytes.size() < width * count) return false;
      read_.Pass(bytes);
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
      piece.file = &sidecar_;
      piece.from = reader_.Bytes(piece.size);
      return reader_.ok();
    }
    const bool numbers = piece.kind == SidecarPiece::Kind::kNumbers;
    if (numbers && piece.size % 4 != 0) return false;
    return TakeFromSource(numbers ? piece.size / 2 : piece.size, piece) &&
           (!numbers || ReadBlocks(piece));
  }

  bool ReadFile(RestoredFile& file) {
    file.name = reader_.Text();
    const std::uint64_t size = reader_.Number();
    file.digest = reader_.Text();
    const std::uint64_t pieces = reader_.Number();
    if (!file.name.empty() && !StaysBelow(file.name)) {
      return Damaged("'" + Printable(file.name) + "' points outside the model's folder");
    }
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < pieces && reader_.ok(); ++i) {
      RestoredPiece& piece = file.pieces.emplace_back();
      // Bounds the output: no byte of a converted file is used twice, and a 16-bit element yields
      // four bytes.
      if (!ReadPiece(piece) || piece.size > bytes_left_) return Damaged();
      sum += piece.size;
      bytes_left_ -= piece.size;
    }
    return sum == size || Damaged();
  }

  const SourceFile& sidecar_;
  const FindSource& find_;
  Diagnostics& diagnostics_;
  ByteReader reader_;
  ReleasedBehind read_{sidecar_};
  std::vector<const SourceFile*> sources_;
  std::set<std::string> names_;   // names of the sources
  std::uint64_t bytes_left_ = 0;  // bytes that may still be output
};

// Restores the elements of a block. `numbers` holds the upcast elements on entry.
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

Span SpanIn(const SourceFile& file, std::string_view bytes) {
  const std::size_t begin = bytes.data() - file.bytes().data();
  return {begin, begin + bytes.size()};
}

bool WriteNumbers(const RestoredPiece& piece, Dtype from, const SourceFile& sidecar,
                  OutputSink& sink) {
  if (piece.blocks.empty()) return true;
  ReleasedBehind halves(*piece.file, SpanIn(*piece.file, piece.from).begin);
  ReleasedBehind differences(sidecar, SpanIn(sidecar, piece.blocks.front().bytes).begin);
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
    halves.Pass(piece.from.substr(0, 2 * at));
    differences.Pass(block.bytes);
  }
  return true;
}

}  // namespace

bool ReportDamagedSidecar(const SourceFile& sidecar, const std::string& message,
                          Diagnostics& diagnostics) {
  return diagnostics.Error({.path = sidecar.path()}, message,
                           "give the file that `opledger convert --sidecar` wrote with this model");
}

std::optional<Restored> ReadSidecar(const SourceFile& sidecar, const FindSource& find,
                                    Diagnostics& diagnostics) {
  Restored restored;
  if (!SidecarReader(sidecar, find, diagnostics).Read(restored)) return std::nullopt;
  return restored;
}

bool RestoredFile::Write(Dtype from, const SourceFile& sidecar, OutputSink& sink) const {
  const auto write = [&](std::string_view bytes) { return sink.Write(bytes); };
  return std::all_of(pieces.begin(), pieces.end(), [&](const RestoredPiece& piece) {
    if (piece.kind == SidecarPiece::Kind::kNumbers) {
      return WriteNumbers(piece, from, sidecar, sink);
    }
    return piece.from.empty() || piece.file->ForEachPiece(SpanIn(*piece.file, piece.from), write);
  });
}

namespace {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class Applier {
 public:
  Applier(SourceFile sidecar, const SidecarPlaces& places, Diagnostics& diagnostics)
      : sidecar_(std::move(sidecar)), places_(places), diagnostics_(diagnostics) {}

  bool Run() {
    const FindSource find = [&](const SidecarClaim& claim) { return Open(claim); };
    const auto restored = ReadSidecar(sidecar_, find, diagnostics_);
    if (!restored) return false;
    for (const RestoredFile& file : restored->files) {
      const bool leads = !places_.prefix.empty() && file.name.find('/') != std::string::npos;
      if (leads) return LeadsOut(file);
    }
    return CheckFiles(*restored) &&
           std::all_of(restored->files.begin(), restored->files.end(),
                       [&](const RestoredFile& file) { return Write(file, restored->from); });
  }

 private:
  const SourceFile* Open(const SidecarClaim& claim) {
    const std::string& known = claim.name.empty() ? places_.model : places_.params;
    auto file = !known.empty()
                    ? SourceFile::Open(known, diagnostics_)
                    : SourceFile::OpenBelow(FolderOf(places_.model), claim.name, "the sidecar",
                                            diagnostics_, places_.data_root);
    if (!file) return nullptr;
    if (file->bytes().size() != claim.size || file->Digest() != claim.digest) {
      diagnostics_.Error({.path = file->path()},
                         "this is not the file that was written with " + sidecar_.path(),
                         "revert the model as it was converted, or without --sidecar: then its "
                         "weights stay rounded");
      return nullptr;
    }
    return &sources_.emplace_back(std::move(*file));
  }

  // Checks that the model is not one of the files that it names, and that no file being read is
  // replaced.
  bool CheckFiles(const Restored& restored) {
    FilesInUse in_use = {{places_.model}, {sidecar_.path()}, {}};
    for (const SourceFile& source : sources_) {
      const bool replaced = !places_.prefix.empty() || source.path() == places_.model;
      (replaced ? in_use.model : in_use.read).push_back(source.path());
    }
    std::vector<OutputFile> outputs;
    for (const RestoredFile& file : restored.files) {
      const bool written = file.name.empty() || !places_.prefix.empty();
      if (written) {
        outputs.push_back({"-o", PathOf(file), places_.in_place});
      } else {
        in_use.named.push_back(PathOf(file));  // written only if the file does not exist
      }
    }
    return CheckOutputFiles(in_use, outputs, diagnostics_);
  }

  std::string PathOf(const RestoredFile& file) const {
    if (file.name.empty()) return places_.output;
    if (!places_.prefix.empty()) return places_.prefix + file.name;
    return (fs::path(FolderOf(places_.output)) / file.name).string();
  }

  bool LeadsOut(const RestoredFile& file) {
    return ReportDamagedSidecar(
        sidecar_, "'" + Printable(file.name) + "' points outside the model's folder", diagnostics_);
  }

  bool HasDigest(const std::string& path, const std::string& digest) {
    Diagnostics quiet;
    const auto file = SourceFile::Open(path, quiet);
    return file && file->Digest() == digest;
  }

  bool Write(const RestoredFile& file, Dtype from) {
    const bool named = !file.name.empty() && !places_.prefix.empty();  // by the user
    const std::string path = PathOf(file);
    std::error_code error;
    if (!file.name.empty() && !named && fs::exists(path, error)) {
      if (HasDigest(path, file.digest)) return true;
      return diagnostics_.Error({.path = path},
                                "the model's data belongs here, but this is another file",
                                "revert into another folder");
    }
    if (!file.name.empty() && !IsInside(path, FolderOf(places_.output))) return LeadsOut(file);
    fs::create_directories(FolderOf(path), error);
    const auto accept = [&](const std::string& written) {
      return HasDigest(written, file.digest) ||
             ReportDamagedSidecar(sidecar_, "its output is not the original: it is damaged",
                                  diagnostics_);
    };
    return WriteFile(
        path, [&](OutputSink& sink) { return file.Write(from, sidecar_, sink); }, diagnostics_,
        accept);
  }

  SourceFile sidecar_;
  const SidecarPlaces& places_;
  Diagnostics& diagnostics_;
  std::list<SourceFile> sources_;
};

}  // namespace

bool ApplySidecar(const std::string& sidecar, const SidecarPlaces& places,
                  Diagnostics& diagnostics) {
  auto file = SourceFile::Open(sidecar, diagnostics);
  return file && Applier(std::move(*file), places, diagnostics).Run();
}

namespace {

// Returns how many differences do not fit into `bytes` bytes.
std::size_t Exceptions(const std::vector<std::int32_t>& differences, std::size_t bytes) {
  const std::int64_t end = std::int64_t{1} << (8 * bytes) >> 1;
  return static_cast<std::size_t>(std::count_if(
      differences.begin(), differences.end(),
      [&](std::int32_t each) { return bytes == 0 ? each != 0 : each < -end || each >= end; }));
}

std::string EncodeAs(std::size_t bytes, const char* original,
                     const std::vector<std::int32_t>& differences) {
  const std::int64_t end = std::int64_t{1} << (8 * bytes) >> 1;
  std::string encoded;
  std::string exceptions;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(differences[i]);
    const bool fits = bytes == 0 ? bits == 0 : differences[i] >= -end && differences[i] < end;
    for (std::size_t byte = 0; byte < bytes; ++byte) {
      encoded.push_back(fits ? static_cast<char>(bits >> (8 * byte) & 0xff) : '\0');
    }
    if (fits) continue;
    exceptions.push_back(static_cast<char>(i & 0xff));
    exceptions.push_back(static_cast<char>(i >> 8 & 0xff));
    exceptions.append(original + 4 * i, 4);
  }
  return encoded + exceptions;
}

std::string Encode(const char* original, const char* halves, std::size_t count, Dtype target,
                   SidecarWidth& width) {
  std::string upcast(4 * count, '\0');
  UpcastFloats(halves, count, target, upcast.data());
  std::vector<std::int32_t> differences(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    std::memcpy(&before, original + 4 * i, 4);
    std::memcpy(&after, upcast.data() + 4 * i, 4);
    differences[i] = static_cast<std::int32_t>(before - after);
  }
  width = SidecarWidth::kWhole;
  std::size_t min_size = 4 * count;
  for (const SidecarWidth each : {SidecarWidth::kTwo, SidecarWidth::kOne, SidecarWidth::kNone}) {
    const auto bytes = static_cast<std::size_t>(each);
    const std::size_t size = bytes * count + kSidecarException * Exceptions(differences, bytes);
    if (size >= min_size) continue;
    min_size = size;
    width = each;
  }
  if (width == SidecarWidth::kWhole) return {original, 4 * count};
  return EncodeAs(static_cast<std::size_t>(width), original, differences);
}

class SidecarWriter {
 public:
  SidecarWriter(const std::vector<SidecarSource>& sources, Dtype target, OutputSink& sink)
      : sources_(sources), target_(target), sink_(sink) {}

  bool Write(const std::vector<SidecarTarget>& targets) {
    ByteWriter head;
    head.Number(target_ == Dtype::kFloat16 ? 0 : 1);
    head.Number(sources_.size());
    for (const SidecarSource& source : sources_) {
      head.Text(source.name);
      head.Number(source.file->bytes().size());
      head.Text(source.file->Digest());
    }
    head.Number(targets.size());
    const std::string schema =
        std::string(kSidecarName) + "/" + std::to_string(kSidecarVersion) + "\n";
    if (!sink_.Write(schema) || !sink_.Write(head.Take())) return false;
    return std::all_of(targets.begin(), targets.end(),
                       [&](const SidecarTarget& target) { return WriteTarget(target); });
  }

 private:
  bool WriteTarget(const SidecarTarget& target) {
    ByteWriter head;
    head.Text(target.name);
    head.Number(target.original->bytes().size());
    head.Text(target.original->Digest());
    head.Number(target.pieces.size());
    if (!sink_.Write(head.Take())) return false;
    return std::all_of(target.pieces.begin(), target.pieces.end(), [&](const SidecarPiece& piece) {
      return WritePiece(*target.original, piece);
    });
  }

  bool WritePiece(const SourceFile& original, const SidecarPiece& piece) {
    ByteWriter head;
    head.Number(static_cast<std::uint64_t>(piece.kind));
    head.Number(piece.span.size());
    if (piece.kind == SidecarPiece::Kind::kBytes) {
      return sink_.Write(head.Take()) &&
             original.ForEachPiece(piece.span,
                                   [&](std::string_view bytes) { return sink_.Write(bytes); });
    }
    head.Number(piece.source);
    head.Number(piece.offset);
    if (!sink_.Write(head.Take())) return false;
    if (piece.kind == SidecarPiece::Kind::kCopy) return true;
    return WriteNumbers(original, piece);
  }

  bool WriteNumbers(const SourceFile& original, const SidecarPiece& piece) {
    const SourceFile& source = *sources_[piece.source].file;
    const char* halves = source.bytes().data() + piece.offset;
    const char* numbers = original.bytes().data() + piece.span.begin;
    ReleasedBehind low(source, piece.offset);
    ReleasedBehind whole(original, piece.span.begin);
    for (std::size_t at = 0; at < piece.span.size() / 4; at += kSidecarBlock) {
      const std::size_t count = std::min(kSidecarBlock, piece.span.size() / 4 - at);
      SidecarWidth width = SidecarWidth::kNone;
      const std::string encoded = Encode(numbers + 4 * at, halves + 2 * at, count, target_, width);
      ByteWriter block;
      block.Number(static_cast<std::uint64_t>(width));
      block.Text(encoded);
      if (!sink_.Write(block.Take())) return false;
      low.Pass(piece.offset + 2 * (at + count));
      whole.Pass(piece.span.begin + 4 * (at + count));
    }
    return true;
  }

  const std::vector<SidecarSource>& sources_;
  Dtype target_;
  OutputSink& sink_;
};

}  // namespace

std::vector<SidecarPiece> PiecesOf(const SourceFile& original, EditList& edits,
                                   const std::vector<Span>& numbers, std::uint64_t source) {
  using Kind = SidecarPiece::Kind;
  std::vector<SidecarPiece> pieces;
  const auto add = [&](Kind kind, Span span, std::uint64_t offset) {
    if (span.size() > 0) pieces.push_back({kind, span, source, offset});
  };
  std::size_t at = 0;
  std::uint64_t converted = 0;
  for (const Edit& edit : edits.Sorted()) {
    add(Kind::kCopy, {at, edit.span.begin}, converted);
    converted += edit.span.begin - at;
    at = edit.span.end;
    const std::uint64_t end = converted + edit.bytes.Size();
    Span rest = edit.span;
    auto tensor = std::lower_bound(numbers.begin(), numbers.end(), rest.begin,
                                   [](const Span& a, std::size_t b) { return a.begin < b; });
    if (tensor != numbers.end() && tensor->end <= rest.end && tensor->size() % 4 == 0 &&
        tensor->size() / 2 <= edit.bytes.Size()) {
      add(Kind::kBytes, {rest.begin, tensor->begin}, 0);
      add(Kind::kNumbers, *tensor, end - tensor->size() / 2);
      rest.begin = tensor->end;
    }
    add(Kind::kBytes, rest, 0);
    converted = end;
  }
  add(Kind::kCopy, {at, original.bytes().size()}, converted);
  return pieces;
}

bool WriteSidecar(const std::string& path, const std::vector<SidecarSource>& sources,
                  const std::vector<SidecarTarget>& targets, Dtype target, Replacement replacement,
                  Diagnostics& diagnostics) {
  replacement.produce = [&](OutputSink& sink) {
    return SidecarWriter(sources, target, sink).Write(targets);
  };
  return WriteFile(path, replacement, diagnostics);
}

}  // namespace opledger

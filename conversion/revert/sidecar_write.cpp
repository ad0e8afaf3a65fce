// Differences are of the bits, as integers: rounding moves them by half a step at most, which fits
// two bytes but for what overflowed, vanished, or is small beyond the normal numbers of float16.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "conversion/model/half/half.h"
#include "conversion/revert/sidecar.h"
#include "registry/platform/files.h"
#include "registry/platform/sha256.h"
#include "registry/text/bytes.h"

namespace opledger {
namespace {

// How many differences do not fit into `bytes` bytes.
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
  std::size_t least = 4 * count;
  for (const SidecarWidth each : {SidecarWidth::kTwo, SidecarWidth::kOne, SidecarWidth::kNone}) {
    const auto bytes = static_cast<std::size_t>(each);
    const std::size_t size = bytes * count + kSidecarException * Exceptions(differences, bytes);
    if (size >= least) continue;
    least = size;
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
      head.Text(Sha256Hex(source.file->bytes()));
    }
    head.Number(targets.size());
    if (!sink_.Write(kSidecarMagic) || !sink_.Write(head.Take())) return false;
    return std::all_of(targets.begin(), targets.end(),
                       [&](const SidecarTarget& target) { return WriteTarget(target); });
  }

 private:
  bool WriteTarget(const SidecarTarget& target) {
    ByteWriter head;
    head.Text(target.name);
    head.Number(target.original->bytes().size());
    head.Text(Sha256Hex(target.original->bytes()));
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
      return sink_.Write(head.Take()) && sink_.Write(original.Text(piece.span));
    }
    head.Number(piece.source);
    head.Number(piece.offset);
    if (!sink_.Write(head.Take())) return false;
    if (piece.kind == SidecarPiece::Kind::kCopy) return true;
    const char* halves = sources_[piece.source].file->bytes().data() + piece.offset;
    const char* numbers = original.bytes().data() + piece.span.begin;
    for (std::size_t at = 0; at < piece.span.size() / 4; at += kSidecarBlock) {
      const std::size_t count = std::min(kSidecarBlock, piece.span.size() / 4 - at);
      SidecarWidth width = SidecarWidth::kNone;
      const std::string encoded = Encode(numbers + 4 * at, halves + 2 * at, count, target_, width);
      ByteWriter block;
      block.Number(static_cast<std::uint64_t>(width));
      block.Text(encoded);
      if (!sink_.Write(block.Take())) return false;
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
                  const std::vector<SidecarTarget>& targets, Dtype target,
                  Diagnostics& diagnostics) {
  return WriteFile(
      path, [&](OutputSink& sink) { return SidecarWriter(sources, target, sink).Write(targets); },
      diagnostics);
}

}  // namespace opledger

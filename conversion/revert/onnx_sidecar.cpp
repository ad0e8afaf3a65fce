// Restores the model's file from the edits, and external data from the tensors that moved to the
// new data file.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert/onnx_sidecar.h"

#include <algorithm>
#include <filesystem>
#include <list>

#include "conversion/revert/sidecar.h"

namespace opledger {
namespace {

std::string Folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class OnnxSidecar {
 public:
  OnnxSidecar(const OnnxSidecarInput& input, Diagnostics& diagnostics)
      : input_(input), diagnostics_(diagnostics) {}

  bool Write(const std::string& path, Replacement replacement) {
    auto converted = SourceFile::Open(input_.written, diagnostics_);
    if (!converted) return false;
    AddSource("", std::move(*converted));
    const bool moved = !input_.data_file.items().empty();
    if (moved && !OpenSource(input_.data_file.location())) return false;
    for (const std::string& name : input_.files) {
      if (!AddExternal(name, moved)) return false;
    }
    targets_.push_back(
        {"", &input_.original.file, PiecesOf(input_.original.file, input_.edits, Floats())});
    return WriteSidecar(path, sources_, targets_, input_.target, std::move(replacement),
                        diagnostics_);
  }

 private:
  void AddSource(const std::string& name, SourceFile file) {
    files_.push_back(std::move(file));
    sources_.push_back({name, &files_.back()});
  }

  bool OpenSource(const std::string& name) {
    auto file = SourceFile::OpenBelow(Folder(input_.output), name, "the model", diagnostics_);
    if (file) AddSource(name, std::move(*file));
    return file.has_value();
  }

  // Returns the spans of float32 tensors in the model's own file.
  std::vector<Span> Floats() const {
    std::vector<Span> spans;
    for (const Tensor& tensor : input_.original.graph.tensors) {
      const bool raw = tensor.storage == Tensor::Storage::kRaw && tensor.data.size() > 0;
      if (raw && tensor.dtype == Dtype::kFloat32) spans.push_back(tensor.data);
    }
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    return spans;
  }

  bool AddExternal(const std::string& name, bool moved) {
    auto original = SourceFile::OpenBelow(Folder(input_.original.file.path()), name, "the model",
                                          diagnostics_, input_.original.file.data_root());
    if (!original) return false;
    files_.push_back(std::move(*original));
    const SourceFile& file = files_.back();
    const std::size_t size = file.bytes().size();
    SidecarTarget target = {name, &file, {}};
    if (moved) {
      target.pieces = Moved(name, size);
    } else {
      if (!OpenSource(name)) return false;
      target.pieces = {{SidecarPiece::Kind::kCopy, {0, size}, sources_.size() - 1, 0}};
    }
    targets_.push_back(std::move(target));
    return true;
  }

  std::vector<SidecarPiece> Moved(const std::string& name, std::size_t size) const {
    using Kind = SidecarPiece::Kind;
    std::vector<SidecarPiece> found;
    for (const OnnxDataFile::Item& item : input_.data_file.items()) {
      const Tensor& tensor = input_.model.graph.tensors[item.tensor];
      if (tensor.location != name) continue;
      const std::uint64_t bytes = item.low ? 2 * item.size : item.size;
      const Span span = {tensor.offset, tensor.offset + bytes};
      found.push_back({item.low ? Kind::kNumbers : Kind::kCopy, span, 1, item.offset});
    }
    std::sort(found.begin(), found.end(), [](const SidecarPiece& a, const SidecarPiece& b) {
      // An exact copy sorts before a rounded one of the same tensor.
      return std::pair(a.span.begin, a.kind) < std::pair(b.span.begin, b.kind);
    });
    std::vector<SidecarPiece> pieces;
    std::size_t at = 0;
    for (const SidecarPiece& piece : found) {
      if (piece.span.begin < at || piece.span.end > size || piece.span.size() == 0) continue;
      if (piece.span.begin > at) pieces.push_back({Kind::kBytes, {at, piece.span.begin}, 0, 0});
      pieces.push_back(piece);
      at = piece.span.end;
    }
    if (at < size) pieces.push_back({Kind::kBytes, {at, size}, 0, 0});
    return pieces;
  }

  const OnnxSidecarInput& input_;
  Diagnostics& diagnostics_;
  std::list<SourceFile> files_;
  std::vector<SidecarSource> sources_;
  std::vector<SidecarTarget> targets_;
};

}  // namespace

bool WriteOnnxSidecar(const OnnxSidecarInput& input, const std::string& path,
                      Replacement replacement, Diagnostics& diagnostics) {
  return OnnxSidecar(input, diagnostics).Write(path, std::move(replacement));
}

}  // namespace opledger

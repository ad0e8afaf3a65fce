// After each step the model is read again.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/onnx_preparation.h"

#include <utility>

#include "conversion/model/files/compose_edits.h"
#include "conversion/prepare/duplicate_nodes_onnx.h"
#include "conversion/prepare/inline_functions.h"

namespace opledger {
namespace {

class Preparer {
 public:
  Preparer(const ConvertOptions& options, Signatures& signatures, Diagnostics& diagnostics)
      : options_(options), signatures_(signatures), diagnostics_(diagnostics) {}

  std::optional<PreparedOnnx> Run(SourceFile file) {
    auto model = ReadOnnx(std::move(file), diagnostics_);
    if (!model) return std::nullopt;
    PreparedOnnx prepared{std::move(*model), {}, std::nullopt, {}, {}};
    const bool done = CheckProblems(prepared) && (!options_.inline_functions || Inline(prepared)) &&
                      Type(prepared) && (!options_.merge_duplicates || Merge(prepared));
    if (!done) return std::nullopt;
    return prepared;
  }

 private:
  bool CheckProblems(const PreparedOnnx& prepared) {
    for (const std::string& problem : prepared.model.problems) {
      diagnostics_.Error({.path = prepared.model.file.path()}, problem,
                         prepared.original ? "a bug of opledger" : "the model is invalid as it is");
    }
    return prepared.model.problems.empty();
  }

  bool Type(PreparedOnnx& prepared) {
    prepared.typing = InferTypes(prepared.model.graph, signatures_);
    for (const TypeProblem& problem : prepared.typing.problems) {
      diagnostics_.Error({.path = prepared.model.file.path()},
                         "the model is invalid as it is: " +
                             NodeText(prepared.model.graph, problem.node) + ": " + problem.message);
    }
    return prepared.typing.problems.empty();
  }

  // The model with these edits.
  bool Apply(EditList edits, PreparedOnnx& prepared) {
    const SourceFile& file = prepared.model.file;
    auto next = ReadOnnx(SourceFile::FromText(file.path(), EditedText(file, edits)), diagnostics_);
    if (!next) return false;
    prepared.edits = prepared.OfOriginal(std::move(edits));
    OnnxModel before = std::exchange(prepared.model, std::move(*next));
    if (!prepared.original) prepared.original = std::move(before);
    return CheckProblems(prepared);
  }

  bool Inline(PreparedOnnx& prepared) {
    std::uint64_t calls = 0;
    auto edits = InlineFunctions(prepared.model, signatures_, {}, calls, diagnostics_);
    if (!edits) return false;
    prepared.done.inlined_calls = calls;
    return prepared.model.graph.functions.empty() || Apply(std::move(*edits), prepared);
  }

  bool Merge(PreparedOnnx& prepared) {
    const DuplicateNodes found = FindOnnxDuplicates(prepared.model, prepared.typing);
    prepared.done.merged_nodes = found.merged;
    prepared.done.removed_casts = found.casts;
    if (!found.Changes()) return true;
    return Apply(RemoveDuplicates(prepared.model, found), prepared) && Type(prepared);
  }

  const ConvertOptions& options_;
  Signatures& signatures_;
  Diagnostics& diagnostics_;
};

}  // namespace

EditList PreparedOnnx::OfOriginal(EditList edits_of_model) {
  if (!original) return edits_of_model;
  return ComposeEdits(original->file.bytes().size(), edits, edits_of_model);
}

std::optional<PreparedOnnx> PrepareOnnx(SourceFile file, const ConvertOptions& options,
                                        Signatures& signatures, Diagnostics& diagnostics) {
  return Preparer(options, signatures, diagnostics).Run(std::move(file));
}

}  // namespace opledger

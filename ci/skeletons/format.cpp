// Inspects @PASCAL@ models; they cannot be converted yet.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/formats/formats.h"
#include "conversion/model/@SNAKE@/@SNAKE@.h"

namespace opledger {

namespace {

// Implements what the passes need (conversion/passes.cpp); so far it stops at once.
class @PASCAL@Conversion final : public ModelConversion {
 public:
  explicit @PASCAL@Conversion(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool Read(SourceFile file) override {
    model_ = Read@PASCAL@(std::move(file), diagnostics_);
    if (model_) {
      diagnostics_.Error({.path = model_->file.path()}, "@PASCAL@ models cannot be converted yet");
    }
    return false;
  }
  bool InlineFunctions(Preparation&) override { return true; }
  bool FindTypes() override { return true; }
  bool MergeDuplicates(Preparation&) override { return true; }
  bool RaiseOpset(Preparation&) override { return true; }
  std::vector<NodeLabel> Label() override { return {}; }
  bool Place(std::vector<NodeLabel>&, Plan&) override { return true; }
  std::optional<std::vector<ValueSummary>> Values(const std::vector<NodeLabel>&,
                                                  Diagnostics&) override {
    return std::vector<ValueSummary>();
  }
  bool CheckStorage() override { return false; }
  bool CanStoreLow(ValueId) override { return false; }
  bool CheckCasts() override { return true; }
  void Edit(const Plan&) override {}
  bool Write() override { return false; }
  const Graph& graph() const override { return model_->graph; }
  std::vector<TensorSize> Sizes() const override { return {}; }
  std::optional<RoundingStatistics> Rounding(ValueId) override { return std::nullopt; }

 private:
  Diagnostics& diagnostics_;
  std::optional<@PASCAL@Model> model_;
};

}  // namespace

std::unique_ptr<ModelConversion> Convert@PASCAL@(const Settings&, Diagnostics& diagnostics) {
  return std::make_unique<@PASCAL@Conversion>(diagnostics);
}

bool Upcast@PASCAL@(SourceFile file, const UpcastOptions&, std::string&, Diagnostics& diagnostics) {
  diagnostics.Error({.path = file.path()}, "@PASCAL@ models cannot be converted yet");
  return false;
}

std::optional<ModelSummary> Summarise@PASCAL@(SourceFile file, const SummaryOptions&,
                                          Diagnostics& diagnostics) {
  const auto model = Read@PASCAL@(std::move(file), diagnostics);
  if (!model) return std::nullopt;
  ModelSummary summary = Summarise(model->graph);
  summary.format = "@PASCAL@";
  return summary;
}

}  // namespace opledger

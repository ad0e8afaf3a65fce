// Runs the model by the list with one set of nodes after another in float32.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/tune.h"

#include <map>

#include "kernels/compare/comparison.h"
#include "kernels/compare/override_list.h"
#include "kernels/compare/table_text.h"
#include "kernels/compare/tuning.h"
#include "kernels/model/model.h"
#include "registry/platform/files.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {
namespace {

class TunedModel {
 public:
  TunedModel(const TuneOptions& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  int Run(std::string& text);

 private:
  int Fail(const std::string& message, const std::string& remedy = {}) {
    diagnostics_.Error({.path = options_.model}, message, remedy);
    return 2;
  }
  bool Open();
  std::optional<Comparison> CompareWith(const std::vector<std::size_t>& kept, bool outputs_only);
  bool FindLowNodes();
  std::vector<std::string> NamesOfKept(const std::vector<std::size_t>& kept) const;
  bool Write(const Tuning& tuning);
  std::string Report(const Tuning& tuning) const;

  const TuneOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<RunnableModel> model_;
  Binding binding_;
  std::optional<RunnableModel> placed_;  // the same, not bound: what placement looks at
  std::optional<PrecisionList> list_;
  std::optional<FirstRun> first_;
  std::vector<NodeId> low_;            // nodes that the list puts into the target type
  std::vector<double> contributions_;  // of each of them
};

std::vector<std::string> TunedModel::NamesOfKept(const std::vector<std::size_t>& kept) const {
  std::vector<std::string> names;
  for (const std::size_t each : kept) names.push_back(model_->graph().NameOf(low_[each]));
  return names;
}

bool TunedModel::Open() {
  model_ = OpenRunnable(options_.model, options_.params, options_.inputs, diagnostics_);
  if (!model_) return false;
  placed_ = OpenRunnable(options_.model, options_.params, options_.inputs, diagnostics_);
  if (!placed_) return false;
  binding_ = Bind(*model_);
  const std::string path = ListOrShipped(options_.list, model_->framework(), options_.target_dtype);
  list_ = ReadPrecisionList(path, ".", diagnostics_);
  if (!list_ || !OverrideList(path, {}, {}, diagnostics_)) return false;
  auto inputs = TakeInputs(*model_, options_.inputs, diagnostics_);
  if (!inputs) return false;
  const ComparedModels models = {&model_->graph(), &binding_, &model_->graph(),
                                 &binding_,        nullptr,   {options_.kernels == "reference"}};
  std::string problem;
  first_ = RunFirst(models, std::move(*inputs), problem);
  if (!first_) Fail(problem);
  return first_.has_value();
}

std::optional<Comparison> TunedModel::CompareWith(const std::vector<std::size_t>& kept,
                                                  bool outputs_only) {
  Diagnostics of_run;  // the same warnings each time
  const auto autocast = AutocastOf(*placed_, options_.target_dtype, options_.list,
                                   low_.empty() ? diagnostics_ : of_run, NamesOfKept(kept));
  if (!autocast) return std::nullopt;
  const ComparedModels models = {&model_->graph(), &binding_,  &model_->graph(),
                                 &binding_,        &*autocast, {options_.kernels == "reference"}};
  if (low_.empty()) {
    for (std::size_t node = 0; node < autocast->plan.low.size(); ++node) {
      if (autocast->plan.low[node]) low_.push_back(static_cast<NodeId>(node));
    }
  }
  std::string problem;
  auto comparison = CompareModels(models, *first_, outputs_only, problem);
  if (!comparison) Fail(problem);
  return comparison;
}

// The nodes, and as their contributions the errors that they make on exact inputs.
bool TunedModel::FindLowNodes() {
  const auto comparison = CompareWith({}, false);
  if (!comparison) return false;
  std::map<NodeId, double> own;
  for (const NodeError& node : comparison->nodes) {
    const TensorError& error = node.own ? *node.own : node.error;
    const double contribution = error.not_finite != 0 ? Weight(error) : error.relative_l2;
    own[node.id] = std::max(own[node.id], contribution);
  }
  for (const NodeId node : low_) contributions_.push_back(own[node]);
  return true;
}

bool TunedModel::Write(const Tuning& tuning) {
  std::vector<std::string> names = list_->fp32_nodes;
  for (std::string& name : NamesOfKept(tuning.kept)) names.push_back(std::move(name));
  const std::string comment = "opledger tune " + options_.model + ": the outputs are off by " +
                              ShortNumber(tuning.error) + " of their largest number, " +
                              ShortNumber(options_.max_error) + " is allowed";
  const auto text =
      OverrideList(ListOrShipped(options_.list, model_->framework(), options_.target_dtype),
                   comment, names, diagnostics_);
  return text && WriteFile(options_.output, *text, diagnostics_);
}

std::string TunedModel::Report(const Tuning& tuning) const {
  const std::string of = std::to_string(low_.size()) + " nodes in " + options_.target_dtype;
  const std::string runs = std::to_string(tuning.runs) + (tuning.runs == 1 ? " run" : " runs");
  std::string text = Printable(options_.model) + ": ";
  if (!tuning.met) {
    return text + "the outputs are off by " + ShortNumber(tuning.before) + ", and by " +
           ShortNumber(tuning.error) + " with all " + of + " back in float32: more than " +
           ShortNumber(options_.max_error) + "\n";
  }
  text += std::to_string(tuning.kept.size()) + " of " + of + " kept in float32, in " + runs + "\n";
  text += "error of the outputs: " + ShortNumber(tuning.error) + ", without them " +
          ShortNumber(tuning.before) + ", allowed " + ShortNumber(options_.max_error) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t kept : tuning.kept) {
    const Node& node = model_->graph().nodes[low_[kept]];
    rows.push_back({Printable(model_->graph().NameOf(low_[kept])),
                    Printable(QualifiedName(node.domain, node.op))});
  }
  return text + TableText(rows);
}

int TunedModel::Run(std::string& text) {
  if (!Open() || !FindLowNodes()) return 2;
  const auto tuning = Tune(contributions_, options_.max_error, [&](const auto& kept) {
    const auto comparison = CompareWith(kept, true);
    return comparison ? std::optional(WorstOutput(*comparison)) : std::nullopt;
  });
  if (!tuning) return diagnostics_.has_errors() ? 2 : Fail("it cannot be run by the list");
  text = Report(*tuning);
  if (!tuning->met) return 1;
  return Write(*tuning) ? 0 : 2;
}

}  // namespace

int TuneModel(const TuneOptions& options, std::string& text, Diagnostics& diagnostics) {
  return TunedModel(options, diagnostics).Run(text);
}

}  // namespace opledger

// Runs the model by the list with different sets of nodes in float32. At most half of a time budget
// is spent on samples. A run starts only if it is expected to end in time, and is cut off
// otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/tune.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

#include "kernels/compare/comparison.h"
#include "kernels/compare/override_list.h"
#include "kernels/compare/table_text.h"
#include "kernels/compare/tuning.h"
#include "kernels/machine/run_limits.h"
#include "kernels/machine/stop.h"
#include "kernels/model/files_read.h"
#include "kernels/model/input_folders.h"
#include "kernels/model/model.h"
#include "registry/files/files.h"
#include "registry/json/json_write.h"
#include "registry/precision_list/precision_list.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

constexpr std::size_t kParts = 5;    // folds of the cross-validation
constexpr double kMinSeconds = 1;    // for the first measurements, regardless of the budget
constexpr int kNothingMeasured = 3;  // exit status

std::optional<double> TimeForAll(const std::optional<double>& budget) {
  return budget ? std::optional(std::max(*budget, kMinSeconds)) : std::nullopt;
}

// The mean duration of a repeated operation.
class Durations {
 public:
  using Clock = std::chrono::steady_clock;

  void Add(Clock::time_point begin) {
    seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
    ++count_;
  }
  double Mean() const { return count_ == 0 ? 0 : seconds_ / count_; }

 private:
  double seconds_ = 0;
  int count_ = 0;
};

using NodeSet = std::vector<std::size_t>;
using Samples = std::vector<std::size_t>;

// Results of cross-validation, on the samples left out.
struct LeftOut {
  std::size_t samples = 0;
  std::size_t within = 0;  // samples within the bound
  double error = 0;        // the largest
};

class TunedModel {
 public:
  TunedModel(const TuneOptions& options, Diagnostics& diagnostics)
      : options_(options),
        diagnostics_(diagnostics),
        stop_(options.seconds),
        all_(TimeForAll(options.seconds)),
        limits_(RunLimits::kMaxTrips, TimeForAll(options.seconds)) {}

  int Run(std::string& text);

 private:
  int Fail(const std::string& message, const std::string& remedy = {}) {
    diagnostics_.Error({.path = options_.model}, message, remedy);
    return 2;
  }
  // Returns whether runs are being cut off.
  static bool IsHalted() { return WhyToStop() != nullptr; }
  bool Open();
  bool TakeSamples();
  double LeftForSamples() const;
  std::unique_ptr<RunLimits> LimitSamples() const;
  bool Take(const std::string& run);
  bool OpenBeyondList();
  bool NoTimeForRun() const { return stop_.Asked() || stop_.Left() < sample_runs_.Mean(); }
  bool PlaceWith(const NodeSet& kept);
  NodeSet KeptByList() const;
  std::optional<double> ErrorByList(const Samples& samples);
  bool TakeListIfBetter(double by_list, Tuning& tuning);
  ComparedModels Models() const;
  std::optional<Comparison> CompareWith(const NodeSet& kept, std::size_t sample, bool outputs_only);
  bool FindLowNodes();
  bool TakeContributions(std::size_t sample);
  std::optional<Tuning> Search();
  Tuning AllKept() const;
  std::optional<double> ErrorOn(std::size_t sample, const NodeSet& kept);
  std::optional<Tuning> TuneOn(const Samples& samples);
  std::optional<LeftOut> CrossValidate();
  void ShowProgress(std::size_t kept);
  NodeSet BeyondList() const;
  std::vector<std::string> NamesOfKept(const std::vector<std::size_t>& kept) const;
  bool Write(const Tuning& tuning, const std::string& left_out);
  std::string HowLeftOut(const std::optional<LeftOut>& found) const;
  std::string Report(const Tuning& tuning, const std::string& left_out) const;
  std::string ErrorsText(const Tuning& tuning) const;
  std::string StoppedText(const Tuning& tuning) const;
  std::string Json(const Tuning& tuning, const std::optional<LeftOut>& left_out) const;

  const TuneOptions& options_;
  Diagnostics& diagnostics_;
  Stop stop_;          // no run starts after it
  Stop all_;           // runs are cut off after it
  RunLimits limits_;   // cuts them off
  Durations samples_;  // time to take one sample
  Durations sample_runs_;
  bool may_stop_ = false;  // the mandatory runs are done
  std::size_t samples_given_ = 0;
  std::optional<RunnableModel> model_;
  Binding binding_;
  std::optional<RunnableModel> placed_;  // the same model, not bound: input of placement
  std::optional<PrecisionList> list_;
  std::vector<std::string> either_;  // nodes beyond the list that may run low
  std::vector<bool> low_by_list_;    // with --beyond-list: whether each node runs low by the list
  std::uint64_t casts_by_list_ = 0;
  std::optional<Autocast> autocast_;  // with autocast_kept_ in float32
  std::optional<NodeSet> autocast_kept_;
  std::vector<std::string> runs_;                   // names of the samples
  std::vector<FirstRun> first_;                     // of each sample
  std::vector<NodeId> low_;                         // nodes that the list puts into the target type
  std::vector<std::vector<double>> contributions_;  // by sample and node
  std::vector<std::map<NodeSet, double>> errors_;   // by sample
  bool draws_ = isatty(STDERR_FILENO) == 1 || DiagnosticsAreJson();
  std::size_t runs_made_ = 0;
};

std::vector<std::string> TunedModel::NamesOfKept(const std::vector<std::size_t>& kept) const {
  std::vector<std::string> names;
  for (const std::size_t each : kept) names.push_back(model_->graph().NameOf(low_[each]));
  return names;
}

ComparedModels TunedModel::Models() const {
  return {&model_->graph(), &binding_, &model_->graph(),
          &binding_,        nullptr,   {options_.kernels == "reference"}};
}

bool TunedModel::Open() {
  auto runs = RunsOf(options_.inputs, diagnostics_);
  if (!runs) return false;
  runs_ = std::move(*runs);
  const auto opening = OptionsOfRun(options_.inputs, runs_.front(), nullptr, diagnostics_);
  if (!opening) return false;
  model_ = OpenRunnable(options_.model, options_.params, *opening, diagnostics_);
  if (!model_) return false;
  const FilesInUse files =
      FilesRead(*model_, options_.params, options_.inputs, options_.autocast.list);
  if (!CheckOutputFiles(files, {{"-o", options_.output}}, diagnostics_)) return false;
  placed_ = OpenRunnable(options_.model, options_.params, *opening, diagnostics_);
  if (!placed_) return false;
  for (RunnableModel* model : {&*model_, &*placed_}) {
    if (!RaiseOpsetFor(*model, options_.autocast, diagnostics_)) return false;
  }
  binding_ = Bind(*model_);
  const std::string path =
      ListOrShipped(options_.autocast.list, model_->framework(), options_.autocast.dtype);
  list_ = ReadWrittenList(DiskSource(), path, diagnostics_);
  if (!list_ || !OverrideList(path, {}, {}, diagnostics_)) return false;
  if (options_.beyond_list && !OpenBeyondList()) return false;
  return FindLowNodes() && TakeSamples();
}

// Time left of the half for samples; infinite without a budget.
double TunedModel::LeftForSamples() const {
  return all_.Left() - TimeForAll(options_.seconds).value_or(0) / 2;
}

// Limits optional work on samples to that half.
std::unique_ptr<RunLimits> TunedModel::LimitSamples() const {
  if (!options_.seconds) return nullptr;
  return std::make_unique<RunLimits>(RunLimits::kMaxTrips, LeftForSamples());
}

// Takes as many samples as there is time for, at least one.
bool TunedModel::TakeSamples() {
  samples_given_ = runs_.size();
  for (const std::string& run : runs_) {
    if (!first_.empty() && (IsHalted() || LeftForSamples() < samples_.Mean())) break;
    const auto limits = first_.empty() ? nullptr : LimitSamples();
    const auto begin = Durations::Clock::now();
    if (!Take(run)) {
      if (diagnostics_.has_errors()) return false;
      break;  // cut off
    }
    samples_.Add(begin);
  }
  runs_.resize(first_.size());
  errors_.resize(runs_.size());
  return true;
}

// Allows every node to run low; placement decides which ones do.
bool TunedModel::OpenBeyondList() {
  const auto by_list = AutocastOf(*placed_, options_.autocast, diagnostics_);
  if (!by_list) return false;
  low_by_list_ = by_list->plan.low;
  casts_by_list_ = by_list->plan.casts;
  for (std::size_t id = 0; id < model_->graph().nodes.size(); ++id) {
    either_.push_back(model_->graph().NameOf(static_cast<NodeId>(id)));
  }
  return true;
}

// Takes a sample: its exact outputs, and each node's contribution. Values inside the model are not
// kept. Returns false, with an error, or if cut off.
bool TunedModel::Take(const std::string& run) {
  const auto of_run = OptionsOfRun(options_.inputs, run, &model_->graph(), diagnostics_);
  auto inputs = of_run ? TakeInputs(*model_, *of_run, diagnostics_) : std::nullopt;
  if (!inputs) return false;
  auto first = RunFirst(Models(), std::move(*inputs), true);
  if (!first) {
    if (!IsHalted()) Fail((run.empty() ? "" : run + ": ") + first.status().message);
    return false;
  }
  first_.push_back(std::move(*first));
  if (!TakeContributions(first_.size() - 1)) return false;
  first_.back().ForgetInnerValues(model_->graph());
  return true;
}

bool TunedModel::PlaceWith(const NodeSet& kept) {
  if (autocast_kept_ == kept) return true;
  Diagnostics of_run;  // drops warnings that would repeat
  autocast_ = AutocastOf(*placed_, options_.autocast, autocast_kept_ ? of_run : diagnostics_,
                         NamesOfKept(kept), either_);
  autocast_kept_ = kept;
  return autocast_.has_value();
}

std::optional<Comparison> TunedModel::CompareWith(const NodeSet& kept, std::size_t sample,
                                                  bool outputs_only) {
  if (!PlaceWith(kept)) return std::nullopt;
  ComparedModels models = Models();
  models.autocast = &*autocast_;
  auto comparison = CompareModels(models, first_[sample], outputs_only);
  if (comparison) return std::move(*comparison);
  if (!IsHalted()) {
    Fail((runs_[sample].empty() ? "" : runs_[sample] + ": ") + comparison.status().message);
  }
  return std::nullopt;
}

bool TunedModel::FindLowNodes() {
  if (!PlaceWith({})) return false;
  for (std::size_t node = 0; node < autocast_->plan.low.size(); ++node) {
    if (autocast_->plan.low[node]) low_.push_back(static_cast<NodeId>(node));
  }
  return true;
}

// The nodes' errors on exact inputs; not measured for few nodes, or if cut off.
bool TunedModel::TakeContributions(std::size_t sample) {
  contributions_.emplace_back(low_.size());
  if (low_.size() <= kFewNodes) return true;
  const auto limits = LimitSamples();
  const auto comparison = CompareWith({}, sample, false);
  if (!comparison) return IsHalted();
  std::map<NodeId, double> own;
  for (const NodeError& node : comparison->nodes) {
    const TensorError& error = node.own ? *node.own : node.error;
    const double contribution = error.not_finite != 0 ? Weight(error) : error.relative_l2;
    own[node.id] = std::max(own[node.id], contribution);
  }
  for (std::size_t i = 0; i < low_.size(); ++i) contributions_.back()[i] = own[low_[i]];
  return true;
}

// Returns nullopt, with an error, or if there is no time.
std::optional<double> TunedModel::ErrorOn(std::size_t sample, const NodeSet& kept) {
  const auto known = errors_[sample].find(kept);
  if (known != errors_[sample].end()) return known->second;
  if (may_stop_ && NoTimeForRun()) return std::nullopt;
  ShowProgress(kept.size());
  const auto begin = Durations::Clock::now();
  const auto comparison = CompareWith(kept, sample, true);
  if (!comparison) return std::nullopt;
  sample_runs_.Add(begin);
  return errors_[sample][kept] = WorstOutput(*comparison);
}

std::optional<Tuning> TunedModel::TuneOn(const Samples& samples) {
  std::vector<double> contributions(low_.size());
  for (const std::size_t sample : samples) {
    for (std::size_t i = 0; i < low_.size(); ++i) {
      contributions[i] = std::max(contributions[i], contributions_[sample][i]);
    }
  }
  Samples order = samples;  // the sample that last exceeded the bound is tried first
  const auto error = [&](const NodeSet& kept, double enough) -> std::optional<double> {
    double worst = 0;
    for (std::size_t i = 0; i < order.size() && worst <= enough; ++i) {
      const auto on_this = ErrorOn(order[i], kept);
      if (!on_this) return std::nullopt;
      worst = std::max(worst, *on_this);
      if (worst > enough) std::swap(order[i], order.front());
    }
    return worst;
  };
  may_stop_ = false;
  const auto stop = [this] {
    may_stop_ = true;
    return NoTimeForRun();
  };
  return Tune(contributions, options_.max_error, error, stop);
}

// Returns nullopt if there are too few samples or no time.
std::optional<LeftOut> TunedModel::CrossValidate() {
  const std::size_t parts = std::min(kParts, runs_.size());
  LeftOut left_out;
  for (std::size_t part = 0; parts > 1 && part < parts; ++part) {
    Samples others;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (i % parts != part) others.push_back(i);
    }
    const auto tuning = TuneOn(others);
    if (!tuning || tuning->stopped || stop_.Asked()) return std::nullopt;
    for (std::size_t i = part; i < runs_.size(); i += parts) {
      const auto error = ErrorOn(i, tuning->kept);
      if (!error) return std::nullopt;
      ++left_out.samples;
      left_out.within += *error <= options_.max_error;
      left_out.error = std::max(left_out.error, *error);
    }
  }
  return parts > 1 ? std::optional(left_out) : std::nullopt;
}

NodeSet TunedModel::KeptByList() const {
  NodeSet kept;
  for (std::size_t i = 0; i < low_.size(); ++i) {
    if (!low_by_list_[low_[i]]) kept.push_back(i);
  }
  return kept;
}

// The largest error with the nodes in float32 that the list itself keeps.
std::optional<double> TunedModel::ErrorByList(const Samples& samples) {
  double worst = 0;
  for (const std::size_t sample : samples) {
    const auto error = ErrorOn(sample, KeptByList());
    if (!error) return std::nullopt;
    worst = std::max(worst, *error);
  }
  return worst;
}

// Uses the nodes that the list keeps if they are enough, and fewer or with fewer casts.
bool TunedModel::TakeListIfBetter(double by_list, Tuning& tuning) {
  if (by_list > options_.max_error) return true;
  if (!PlaceWith(tuning.kept)) return false;
  const std::uint64_t casts = autocast_->plan.casts;
  if (!PlaceWith(KeptByList())) return false;
  const bool better = KeptByList().size() < tuning.kept.size() || autocast_->plan.casts < casts;
  if (!better) return true;
  tuning.kept = KeptByList();
  tuning.error = by_list;
  return true;
}

void TunedModel::ShowProgress(std::size_t kept) {
  ++runs_made_;
  if (!draws_) return;
  if (DiagnosticsAreJson()) {
    std::fprintf(stderr, "{\"progress\":\"runs\",\"done\":%zu}\n", runs_made_);
  } else {
    std::fprintf(stderr, "\r\033[Krun %zu: %zu of %zu nodes in float32", runs_made_, kept,
                 low_.size());
  }
  std::fflush(stderr);
}

bool TunedModel::Write(const Tuning& tuning, const std::string& left_out) {
  NodeOverrides overrides{list_->fp32_nodes, list_->either_nodes, {}};
  for (std::string& name : NamesOfKept(tuning.kept))
    overrides.fp32_nodes.push_back(std::move(name));
  for (const std::size_t node : BeyondList()) {
    overrides.either_nodes.push_back(model_->graph().NameOf(static_cast<NodeId>(node)));
  }
  if (model_->framework() == std::string("onnx")) overrides.opset = model_->graph().OpsetIn(0);
  std::string comment = "opledger tune " + options_.model;
  if (tuning.error) {
    comment += ": the outputs are off by " + ShortNumber(*tuning.error) +
               " of their largest number, " + ShortNumber(options_.max_error) + " is allowed" +
               (left_out.empty() ? "" : "; " + left_out);
  } else {
    comment += ", stopped before anything was measured: all nodes are kept";
  }
  const auto text = OverrideList(
      ListOrShipped(options_.autocast.list, model_->framework(), options_.autocast.dtype), comment,
      overrides, diagnostics_);
  return text && WriteFile(options_.output, *text, diagnostics_);
}

// Nodes that run low now but not by the list.
NodeSet TunedModel::BeyondList() const {
  NodeSet beyond;
  for (std::size_t node = 0; node < low_by_list_.size(); ++node) {
    if (autocast_->plan.low[node] && !low_by_list_[node]) beyond.push_back(node);
  }
  return beyond;
}

// "error of the outputs: 0.011, without kept nodes infinite, allowed 0.1".
std::string TunedModel::ErrorsText(const Tuning& tuning) const {
  return "error of the outputs: " + ShortNumber(*tuning.error) + ", without kept nodes " +
         (tuning.before ? ShortNumber(*tuning.before) : "not known") + ", allowed " +
         ShortNumber(options_.max_error) + "\n";
}

std::string TunedModel::StoppedText(const Tuning& tuning) const {
  std::string text;
  if (!runs_.empty() && runs_.size() < samples_given_) {
    text += "used " + std::to_string(runs_.size()) + " of " + std::to_string(samples_given_) +
            " samples: there was no time for the others\n";
  }
  if (!tuning.stopped) return text;
  const int signal = stop_.Signal();
  const std::string by = signal == 0 ? "" : signal == SIGTERM ? " by SIGTERM" : " by Ctrl-C";
  return text + "stopped early" + by + ": fewer nodes may be enough\n";
}

std::string TunedModel::Report(const Tuning& tuning, const std::string& left_out) const {
  const std::string of = std::to_string(low_.size()) + " nodes in " + options_.autocast.dtype;
  const std::string runs = std::to_string(tuning.runs) + (tuning.runs == 1 ? " run" : " runs");
  std::string text = Printable(options_.model) + ": ";
  if (!tuning.error) {
    return text + "nothing could be measured: all " + of + " kept in float32\n" +
           StoppedText(tuning);
  }
  if (!tuning.met) {
    return text + "the outputs are off by " +
           (tuning.before ? ShortNumber(*tuning.before) + ", and by " : "") +
           ShortNumber(*tuning.error) + " with all " + of + " back in float32: more than " +
           ShortNumber(options_.max_error) + "\n";
  }
  text += std::to_string(tuning.kept.size()) + " of " + of + " kept in float32, in " + runs + "\n";
  text += ErrorsText(tuning);
  if (!left_out.empty()) text += left_out + "\n";
  if (options_.beyond_list) {
    text += std::to_string(BeyondList().size()) + " nodes in " + options_.autocast.dtype +
            " that the list keeps in float32; casts: " + std::to_string(autocast_->plan.casts) +
            ", by the list " + std::to_string(casts_by_list_) + "\n";
  }
  text += StoppedText(tuning);
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t kept : tuning.kept) {
    const Node& node = model_->graph().nodes[low_[kept]];
    rows.push_back({Printable(model_->graph().NameOf(low_[kept])),
                    Printable(QualifiedName(node.domain, node.op))});
  }
  return text + TableText(rows);
}

std::string TunedModel::Json(const Tuning& tuning, const std::optional<LeftOut>& left_out) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();  // written as null
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-tuning/1");
  json.Field("model", options_.model);
  json.Field("target_dtype", options_.autocast.dtype);
  json.Field("max_error", options_.max_error);
  json.Field("met", tuning.met);
  json.Field("measured", tuning.error.has_value());
  json.Field("error", tuning.error.value_or(kUnknown));
  json.Field("error_before", tuning.before.value_or(kUnknown));
  json.Field("runs", tuning.runs);
  json.Field("stopped", tuning.stopped);
  json.Field("nodes", low_.size());
  json.Records("kept", tuning.met || !tuning.error ? tuning.kept : NodeSet(),
               [&](std::size_t kept) {
                 const Node& node = model_->graph().nodes[low_[kept]];
                 json.Field("name", model_->graph().NameOf(low_[kept]));
                 json.Field("operator", QualifiedName(node.domain, node.op));
               });
  if (!options_.inputs.from.empty()) {
    json.BeginCompactObject("samples");
    json.Field("given", samples_given_);
    json.Field("used", runs_.size());
    json.EndObject();
  }
  if (left_out) {
    json.BeginCompactObject("left_out");
    json.Field("samples", left_out->samples);
    json.Field("within", left_out->within);
    json.Field("error", left_out->error);
    json.EndObject();
  }
  json.EndObject();
  return text + "\n";
}

// The safe result: all nodes in float32; its error is known once a sample is taken.
Tuning TunedModel::AllKept() const {
  Tuning tuning;
  tuning.stopped = true;
  tuning.kept.resize(low_.size());
  std::iota(tuning.kept.begin(), tuning.kept.end(), std::size_t{0});
  for (const FirstRun& first : first_) {
    tuning.error = std::max(tuning.error.value_or(0), WorstOutput(model_->graph(), first));
  }
  tuning.met = tuning.error && *tuning.error <= options_.max_error;
  return tuning;
}

// Returns nullopt, with errors.
std::optional<Tuning> TunedModel::Search() {
  if (runs_.empty()) return AllKept();
  Samples all(runs_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto by_list = options_.beyond_list ? ErrorByList(all) : std::optional(0.0);
  if (!by_list && !IsHalted()) return std::nullopt;
  auto tuning = TuneOn(all);
  if (!tuning) {
    if (!diagnostics_.has_errors()) Fail("it cannot be run by the list");
    return std::nullopt;
  }
  if (!tuning->error) {
    const auto before = tuning->before;
    const std::size_t runs = tuning->runs;
    tuning = AllKept();
    tuning->before = before;
    tuning->runs = runs;
  }
  const bool compares = options_.beyond_list && by_list && tuning->met;
  if (compares && !TakeListIfBetter(*by_list, *tuning)) return std::nullopt;
  return tuning;
}

std::string TunedModel::HowLeftOut(const std::optional<LeftOut>& found) const {
  const std::string how =
      "on samples left out, " + std::to_string(std::min(kParts, runs_.size())) + " parts in turn: ";
  if (!found) return how + "not known, because there was no time";
  return how + "off by " + ShortNumber(found->error) + " at most, " +
         std::to_string(found->within) + " of " + std::to_string(found->samples) +
         " within the bound";
}

int TunedModel::Run(std::string& text) {
  if (!Open()) return 2;
  const auto tuning = Search();
  if (!tuning) return 2;
  std::string left_out;
  std::optional<LeftOut> found;
  if (tuning->met && runs_.size() > 1) {
    if (!tuning->stopped) found = CrossValidate();
    if (diagnostics_.has_errors()) return 2;
    left_out = HowLeftOut(found);
  }
  if (draws_ && !DiagnosticsAreJson()) std::fputs("\r\033[K", stderr);
  if (!PlaceWith(tuning->kept)) return 2;
  text = options_.format == "json" ? Json(*tuning, found) : Report(*tuning, left_out);
  if (!tuning->met && tuning->error) return 1;
  if (!Write(*tuning, left_out)) return 2;
  return tuning->error ? 0 : kNothingMeasured;
}

}  // namespace

int TuneModel(const TuneOptions& options, std::string& text, Diagnostics& diagnostics) {
  return TunedModel(options, diagnostics).Run(text);
}

}  // namespace opledger

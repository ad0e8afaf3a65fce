// Opens the models, reads the inputs, compares, and reports.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/compare.h"

#include "kernels/machine/run_limits.h"
#include "kernels/model/files_read.h"
#include "kernels/model/input_folders.h"
#include "kernels/model/model.h"
#include "registry/files/files.h"

namespace opledger {
namespace {

int FailToCompare(const std::string& path, const std::string& message, const std::string& remedy,
                  Diagnostics& diagnostics) {
  diagnostics.Error({.path = path}, message, remedy);
  return 2;
}

// Compares on each sample and keeps the worst. Returns nullopt, with errors, on failure.
std::optional<Comparison> CompareOn(const std::vector<std::string>& runs,
                                    const RunnableModel& first, const ComparedModels& models,
                                    const CompareOptions& options, Diagnostics& diagnostics) {
  std::optional<Comparison> worst;
  std::vector<SampleError> samples;
  for (const std::string& name : runs) {
    const auto of_run = OptionsOfRun(options.inputs, name, &first.graph(), diagnostics);
    auto inputs = of_run ? TakeInputs(first, *of_run, diagnostics) : std::nullopt;
    if (!inputs) return std::nullopt;
    const auto run = RunFirst(models, std::move(*inputs), false);
    auto comparison = run ? CompareModels(models, *run, false) : run.status();
    if (!comparison) {
      const bool ends_early = options.verifies && WhyToStop() != nullptr;
      FailToCompare(options.first, name + (name.empty() ? "" : ": ") + comparison.status().message,
                    ends_early ? Printable(options.second) + " is written, but not verified" : "",
                    diagnostics);
      return std::nullopt;
    }
    samples.push_back({name, WorstOutput(*comparison)});
    if (worst) {
      TakeWorst(*worst, std::move(*comparison));
    } else {
      worst = std::move(*comparison);
    }
  }
  if (!options.inputs.from.empty()) worst->samples = std::move(samples);
  return worst;
}

// Checks that the output overwrites no file that is read. `second`: nullptr if there is one model.
bool CheckOutput(const RunnableModel& first, const RunnableModel* second,
                 const CompareOptions& options, Diagnostics& diagnostics) {
  FilesInUse files = FilesRead(first, options.params, options.inputs, options.autocast.list);
  if (second != nullptr) {
    const FilesInUse more = FilesRead(*second, options.second_params, {}, {});
    files.read.insert(files.read.end(), more.read.begin(), more.read.end());
  }
  return CheckOutputFiles(files, {{"-o", options.output}}, diagnostics);
}

int CompareAll(const CompareOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (options.second.empty() == options.autocast.dtype.empty()) {
    const bool none = options.second.empty();
    return FailToCompare(options.first,
                         none ? "there is nothing to compare it with"
                              : "it cannot be compared with both a second model and --autocast",
                         "name a second model, or run this one by a list: --autocast float16",
                         diagnostics);
  }
  const auto runs = RunsOf(options.inputs, diagnostics);
  if (!runs) return 2;
  const auto opening = OptionsOfRun(options.inputs, runs->front(), nullptr, diagnostics);
  if (!opening) return 2;
  auto first = OpenRunnable(options.first, options.params, *opening, diagnostics);
  if (!first) return 2;
  std::optional<Autocast> autocast;
  if (!options.autocast.dtype.empty()) {
    if (!RaiseOpsetFor(*first, options.autocast, diagnostics)) return 2;
    autocast = AutocastOf(*first, options.autocast, diagnostics);
    if (!autocast) return 2;
    if (!autocast->changes_nothing.empty()) {
      diagnostics.Warning({.path = options.first}, autocast->changes_nothing,
                          "the model is compared with itself");
    }
  }
  const Binding binding = Bind(*first);
  ComparedModels models{&first->graph(), &binding, &first->graph(),
                        &binding,        nullptr,  {options.kernels == "reference"}};
  if (autocast) models.autocast = &*autocast;
  std::optional<RunnableModel> second;
  Binding second_binding;
  if (!options.second.empty()) {
    second = OpenRunnable(options.second, options.second_params, *opening, diagnostics);
    if (!second) return 2;
    if (first->format != second->format) {
      return FailToCompare(options.second, "its format differs from the first model's",
                           "name a model that was converted from the first", diagnostics);
    }
    second_binding = Bind(*second);
    models.second = &second->graph();
    models.second_binding = &second_binding;
    models.outputs_in_order = second->mxnet != nullptr;
  }
  if (!CheckOutput(*first, second ? &*second : nullptr, options, diagnostics)) return 2;
  const auto comparison = CompareOn(*runs, *first, models, options, diagnostics);
  if (!comparison) return 2;
  text = options.format == "json" ? ComparisonJson(*comparison, options)
                                  : ComparisonText(*comparison, options);
  if (!options.output.empty()) {
    if (!WriteFile(options.output, text, diagnostics)) return 2;
    text.clear();
  }
  return options.max_error && WorstOutput(*comparison) > *options.max_error ? 1 : 0;
}

}  // namespace

int Compare(const CompareOptions& options, std::string& text, Diagnostics& diagnostics) {
  const RunLimits limits(RunLimits::kMaxTrips, options.seconds);
  const int status = CompareAll(options, text, diagnostics);
  return status == 2 && limits.signal() != 0 ? 128 + limits.signal() : status;
}

}  // namespace opledger

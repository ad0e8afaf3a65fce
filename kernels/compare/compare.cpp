// Opens the models, takes the inputs, compares, reports.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/compare.h"

#include "kernels/model/model.h"
#include "registry/platform/files.h"

namespace opledger {
namespace {

int FailToCompare(const std::string& path, const std::string& message, const std::string& remedy,
                  Diagnostics& diagnostics) {
  diagnostics.Error({.path = path}, message, remedy);
  return 2;
}

}  // namespace

int Compare(const CompareOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (options.second.empty() == options.autocast.empty()) {
    const bool none = options.second.empty();
    return FailToCompare(options.first,
                         none ? "there is nothing to compare it with"
                              : "it is to be compared with two things at once",
                         "name a second model, or run this one by a list: --autocast float16",
                         diagnostics);
  }
  auto first = OpenRunnable(options.first, options.params, options.inputs, diagnostics);
  if (!first) return 2;
  std::optional<Autocast> autocast;
  if (!options.autocast.empty()) {
    autocast = AutocastOf(*first, options.autocast, options.list, diagnostics);
    if (!autocast) return 2;
  }
  const Binding binding = Bind(*first);
  ComparedModels models{&first->graph(), &binding, &first->graph(),
                        &binding,        nullptr,  {options.kernels == "reference"}};
  if (autocast) models.autocast = &*autocast;
  std::optional<RunnableModel> second;
  Binding second_binding;
  if (!options.second.empty()) {
    second = OpenRunnable(options.second, options.second_params, options.inputs, diagnostics);
    if (!second) return 2;
    if (first->format != second->format) {
      return FailToCompare(options.second, "it is of another format than the first model",
                           "name a model that was made of the first", diagnostics);
    }
    second_binding = Bind(*second);
    models.second = &second->graph();
    models.second_binding = &second_binding;
    models.outputs_in_order = second->mxnet != nullptr;
  }
  auto inputs = TakeInputs(*first, options.inputs, diagnostics);
  if (!inputs) return 2;
  std::string problem;
  const auto run = RunFirst(models, std::move(*inputs), problem);
  if (!run) return FailToCompare(options.first, problem, {}, diagnostics);
  const auto comparison = CompareModels(models, *run, false, problem);
  if (!comparison) return FailToCompare(options.first, problem, {}, diagnostics);
  text = options.format == "json" ? ComparisonJson(*comparison, options)
                                  : ComparisonText(*comparison, options);
  if (!options.output.empty()) {
    if (!WriteFile(options.output, text, diagnostics)) return 2;
    text.clear();
  }
  return options.max_error && WorstOutput(*comparison) > *options.max_error ? 1 : 0;
}

}  // namespace opledger

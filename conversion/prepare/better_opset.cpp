// A model in another opset is read and labeled again.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/better_opset.h"

#include <algorithm>

#include "conversion/label/opset_advice.h"
#include "conversion/model/onnx/validity.h"
#include "conversion/place/label_onnx.h"
#include "conversion/prepare/raise_opset.h"

namespace opledger {
namespace {

// Says why the newer opset is no improvement. Returns an empty string if it is one.
std::string WhyNoBetter(const OnnxModel& model, const std::vector<NodeLabel>& before,
                        const std::vector<NodeLabel>& after, const Settings& settings,
                        Signatures& signatures) {
  const std::string target = settings.options().target_dtype;
  if (CountLowerable(before) >= CountLowerable(after) &&
      CastMakes(model.graph.OpsetIn(0), settings.target(), signatures)) {
    return "no more nodes would run in " + target;
  }
  const bool some = std::any_of(after.begin(), after.end(),
                                [](const NodeLabel& label) { return label.label == Label::kLow; });
  if (!some && settings.options().io_types != "low") return "no node has to run in " + target;
  return {};
}

}  // namespace

std::vector<TypeProblem> FindProblems(const OnnxModel& model, const Typing& typing) {
  std::vector<TypeProblem> problems = FindInvalidNodes(model, typing);
  problems.insert(problems.end(), typing.problems.begin(), typing.problems.end());
  return problems;
}

std::string ProblemText(const OnnxModel& model, const TypeProblem& problem) {
  return NodeText(model.graph, problem.node) + ": " + problem.message;
}

WantedOpsets FindWantedOpsets(const OnnxModel& model, const Typing& typing,
                              const std::vector<NodeLabel>& labels, const Settings& settings,
                              Signatures& signatures) {
  WantedOpsets wanted;
  wanted.opsets = BetterOpsets(model.graph, typing, labels, settings.target(), signatures);
  const std::optional<std::int64_t> tuned = settings.list().opset;
  if (wanted.opsets.empty() || !tuned) return wanted;
  const std::int64_t opset = model.graph.OpsetIn(0);
  wanted.opsets.clear();
  wanted.if_better = false;
  if (*tuned > opset) wanted.opsets = {*tuned};
  if (*tuned == opset) {
    wanted.note = "not raised, since the list was tuned for opset " + std::to_string(opset);
  }
  return wanted;
}

std::optional<ModelInOpset> BringToOpset(const OnnxModel& model, const OpsetSteps& steps,
                                         std::int64_t opset, const Settings& settings,
                                         const std::vector<NodeLabel>* before,
                                         Signatures& signatures, std::string& obstacle) {
  RaisedOpset raised = RaiseOpset(model, signatures, steps, opset);
  obstacle = raised.obstacle;
  if (!raised.edits) return std::nullopt;
  Diagnostics unused;
  const SourceFile& file = model.file;
  auto next = ReadOnnx(
      SourceFile::FromText(file.path(), EditedText(file, *raised.edits), file.data_root()), unused);
  obstacle = "the result would be invalid";
  if (!next || !next->problems.empty()) return std::nullopt;
  Typing typing = InferTypes(next->graph, signatures);
  const std::vector<TypeProblem> problems = FindProblems(*next, typing);
  if (!problems.empty()) {
    obstacle = ProblemText(*next, problems.front());
    return std::nullopt;
  }
  auto labels = LabelOnnx(*next, typing, settings);
  obstacle.clear();
  if (before != nullptr) obstacle = WhyNoBetter(model, *before, labels, settings, signatures);
  if (!obstacle.empty()) return std::nullopt;
  return ModelInOpset{std::move(*next), std::move(*raised.edits), std::move(typing),
                      std::move(labels)};
}

}  // namespace opledger

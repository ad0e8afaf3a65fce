// Finds the opset in which more of a model can run low. Both `convert` (unless --opset says
// otherwise) and --autocast raise the model to it, so that both compute the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/prepare/opset_steps.h"

namespace opledger {

// Returns invalid nodes and types that do not fit.
std::vector<TypeProblem> FindProblems(const OnnxModel& model, const Typing& typing);
// Formats a problem: "Relu node 'r': what is wrong".
std::string ProblemText(const OnnxModel& model, const TypeProblem& problem);

struct WantedOpsets {
  std::vector<std::int64_t> opsets;  // newest first; empty: keep the current opset
  // Require that more nodes can be low. False if the list was tuned in this opset.
  bool if_better = true;
  std::string note;  // why the opset stays, if that needs explaining
};

// `labels`: of the model in its current opset.
WantedOpsets FindWantedOpsets(const OnnxModel& model, const Typing& typing,
                              const std::vector<NodeLabel>& labels, const Settings& settings,
                              Signatures& signatures);

struct ModelInOpset {
  OnnxModel model;
  EditList edits;  // edits of the previous file
  Typing typing;
  std::vector<NodeLabel> labels;
};

// Brings the model to `opset`. Returns nullopt if that fails, with the reason in `obstacle`. If
// `before` (the current labels) is not null, fails unless more nodes can be low and some must be.
std::optional<ModelInOpset> BringToOpset(const OnnxModel& model, const OpsetSteps& steps,
                                         std::int64_t opset, const Settings& settings,
                                         const std::vector<NodeLabel>* before,
                                         Signatures& signatures, std::string& obstacle);

}  // namespace opledger

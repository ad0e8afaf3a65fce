// The opset in which more of a model may run low: `convert` brings it there unless --opset says
// otherwise, and so does --autocast, so that both compute the same.
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

// What a node is no node of ONNX for, and types that do not fit.
std::vector<TypeProblem> FindProblems(const OnnxModel& model, const Typing& typing);
// "Relu node 'r': what is wrong".
std::string ProblemText(const OnnxModel& model, const TypeProblem& problem);

struct WantedOpsets {
  std::vector<std::int64_t> opsets;  // the newest first; empty: it stays as it is
  bool if_better = true;  // only where more nodes may then run low; else the list was tuned there
  std::string note;       // why it stays, where one may wonder
};

// `labels`: of the model as it is.
WantedOpsets FindWantedOpsets(const OnnxModel& model, const Typing& typing,
                              const std::vector<NodeLabel>& labels, const Settings& settings,
                              Signatures& signatures);

struct ModelInOpset {
  OnnxModel model;
  EditList edits;  // of the file of the one before
  Typing typing;
  std::vector<NodeLabel> labels;
};

// The model in `opset`. None: `obstacle` says what is in the way. `before`: the labels as it is,
// where it has to be better: more nodes may then run low, and some have to. Null: it need not.
std::optional<ModelInOpset> BringToOpset(const OnnxModel& model, const OpsetSteps& steps,
                                         std::int64_t opset, const Settings& settings,
                                         const std::vector<NodeLabel>* before,
                                         Signatures& signatures, std::string& obstacle);

}  // namespace opledger

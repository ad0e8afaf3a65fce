// Inlines calls in the model and in graphs inside its nodes. FunctionCalls inlines nested calls.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/inline_functions.h"

#include <set>

#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/prepare/function_calls.h"

namespace opledger {
namespace {

class Inliner {
 public:
  Inliner(const OnnxModel& model, Signatures& signatures, const InlineLimits& limits,
          Diagnostics& diagnostics)
      : model_(model),
        graph_(model.graph),
        signatures_(signatures),
        diagnostics_(diagnostics),
        calls_(model, limits, diagnostics),
        edits_(model.places.messages) {}

  bool Edit() {
    if (!EditScope(0)) return false;
    for (const Function& function : graph_.functions) {
      edits_.Replace(kNone, model_.places.messages[model_.places.scopes[function.body]].whole, {});
    }
    ImportOpsets();
    return true;
  }

  EditList Finish() { return edits_.Finish(); }
  std::uint64_t calls() const { return calls_.calls(); }

 private:
  bool EditScope(ScopeId scope) {
    InlinedText text;
    for (const NodeId id : graph_.scopes[scope].nodes) {
      const MessageSpan& frame = model_.places.messages[model_.places.nodes[id]];
      const FunctionId called = calls_.Called(frame.body);
      if (called != kNone) {
        text.nodes.clear();
        if (!CheckOpsets(called) || !calls_.Inline(frame.body, called, text)) return false;
        edits_.Replace(frame.parent, frame.whole, {std::move(text.nodes), 0, {}});
        continue;
      }
      for (const Attribute& attribute : graph_.nodes[id].attributes) {
        for (const ScopeId inner : attribute.scopes) {
          if (!EditScope(inner)) return false;
        }
      }
    }
    if (text.values.empty()) return true;
    const MessageId frame = model_.places.scopes[scope];
    edits_.Insert(frame, model_.places.messages[frame].body.end, {std::move(text.values), 0, {}});
    return true;
  }

  // Checks that the operators of the function, and of those it calls, mean the same in the model.
  // Imports domains that the model lacks.
  bool CheckOpsets(FunctionId id) {
    if (!checked_.insert(id).second) return true;
    const Function& function = graph_.functions[id];
    for (const auto& [domain, version] : function.opsets) {
      imported_.try_emplace(domain, version);
    }
    return CheckScope(function.body, function);
  }

  bool CheckScope(ScopeId scope, const Function& function) {
    for (const NodeId id : graph_.scopes[scope].nodes) {
      const Node& node = graph_.nodes[id];
      for (const Attribute& attribute : node.attributes) {
        for (const ScopeId inner : attribute.scopes) {
          if (!CheckScope(inner, function)) return false;
        }
      }
      const FunctionId called = calls_.Called(model_.places.messages[model_.places.nodes[id]].body);
      if (called != kNone ? !CheckOpsets(called) : !CheckVersion(node, function)) return false;
    }
    return true;
  }

  bool CheckVersion(const Node& node, const Function& function) {
    const auto own = function.opsets.find(node.domain);
    if (own == function.opsets.end()) return true;
    const auto model = graph_.opsets.find(node.domain);
    const std::int64_t version =
        model == graph_.opsets.end() ? imported_[node.domain] : model->second;
    if (own->second == version) return true;
    const Signature* here = signatures_.Find(node.domain, node.op, version);
    if (here != nullptr && here == signatures_.Find(node.domain, node.op, own->second)) return true;
    return diagnostics_.Error({.path = model_.file.path()},
                              "function '" + std::string(function.name) + "' uses " +
                                  QualifiedName(node.domain, node.op) + " of opset " +
                                  std::to_string(own->second) + ", but the model imports " +
                                  std::to_string(version),
                              "convert without --inline-functions, or bring both to one opset");
  }

  void ImportOpsets() {
    std::string imports;
    for (const auto& [domain, version] : imported_) {
      if (graph_.opsets.count(domain) > 0) continue;
      std::string opset;
      AppendBytesField(opset, opset_field::kDomain, domain);
      AppendVarintField(opset, opset_field::kVersion, static_cast<std::uint64_t>(version));
      AppendBytesField(imports, model_field::kOpsetImport, opset);
    }
    if (!imports.empty()) {
      edits_.Insert(kNone, model_.file.bytes().size(), {std::move(imports), 0, {}});
    }
  }

  const OnnxModel& model_;
  const Graph& graph_;
  Signatures& signatures_;
  Diagnostics& diagnostics_;
  FunctionCalls calls_;
  MessageEdits edits_;
  std::set<FunctionId> checked_;
  std::map<std::string_view, std::int64_t> imported_;  // domains that functions import
};

}  // namespace

std::optional<EditList> InlineFunctions(const OnnxModel& model, Signatures& signatures,
                                        const InlineLimits& limits, std::uint64_t& calls,
                                        Diagnostics& diagnostics) {
  Inliner inliner(model, signatures, limits, diagnostics);
  if (!inliner.Edit()) return std::nullopt;
  calls = inliner.calls();
  return inliner.Finish();
}

}  // namespace opledger

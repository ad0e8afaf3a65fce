// Any bytes as an MXNet symbol: no crash, no hang. Without edits it is written as it was read; one
// that can be typed is converted to one whose types fit, and that does not change again.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>

#include "conversion/labels.h"
#include "conversion/model/mxnet_operators.h"
#include "conversion/model/mxnet_symbol_edits.h"
#include "conversion/mxnet_edits.h"
#include "registry/precision_list.h"

namespace {

using opledger::Dtype;

void Require(bool law) {
  if (!law) std::abort();
}

// What a conversion needs that is no model, read once.
struct Tables {
  opledger::Diagnostics diagnostics;
  std::optional<opledger::MxnetOperators> operators = opledger::LoadMxnetOperators(diagnostics);
  std::optional<opledger::PrecisionList> list =
      opledger::ParsePrecisionList("list.json",
                                   R"({"framework": "mxnet", "target_dtype": "float16",
          "target": ["Convolution", "FullyConnected", "dot"],
          "fp32": ["exp", "softmax"], "widest": ["elemwise_add", "Concat"],
          "either": ["relu", "Activation", "Reshape", "BatchNorm", "_copy", "SliceChannel"]})",
                                   diagnostics);
};

// The converted symbol; none: this is none that can be converted.
std::optional<std::string> Converted(std::string bytes, bool& changed) {
  static Tables tables;
  Require(tables.operators && tables.list);
  opledger::Diagnostics diagnostics;
  auto symbol = opledger::ReadMxnetSymbol(
      opledger::SourceFile::FromText("fuzz-symbol.json", std::move(bytes)), diagnostics);
  Require(symbol.has_value() != diagnostics.has_errors());
  if (!symbol) return std::nullopt;
  opledger::EditList none = opledger::MxnetSymbolEdits(*symbol).Finish();
  Require(opledger::EditedText(symbol->file, none) == symbol->file.bytes());
  symbol->graph.casts_are_fixed = true;
  opledger::NameMxnetOperators(symbol->graph, *tables.operators);
  const opledger::Typing typing = opledger::TypeMxnet(*symbol, *tables.operators);
  if (!typing.problems.empty()) return std::nullopt;
  opledger::LabelOptions options;
  options.list = &*tables.list;
  const auto labels = opledger::LabelNodes(symbol->graph, typing, options);
  const opledger::Plan plan = opledger::MakePlan(symbol->graph, labels, {});
  changed = plan.Changes();
  auto edits = opledger::EditMxnet(*symbol, nullptr, plan, Dtype::kFloat16);
  return opledger::EditedText(symbol->file, edits.symbol);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bool changed = false;
  const auto once = Converted(std::string(reinterpret_cast<const char*>(data), size), changed);
  if (!once || !changed) return 0;
  Require(Converted(*once, changed).has_value());
  return 0;
}

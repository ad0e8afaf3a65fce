// Converts arbitrary bytes as an MXNet symbol and, after a NUL, its parameters; the size chooses
// the target type. Input whose types can be inferred yields a symbol that can be read again and
// whose types can be inferred with the written parameters.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "conversion/edit/mxnet_edits.h"
#include "conversion/hazards/model_hazards.h"
#include "conversion/hazards/option_pins.h"
#include "conversion/label/label.h"
#include "conversion/model/mxnet/mxnet.h"
#include "conversion/model/mxnet/mxnet_operators.h"
#include "conversion/model/mxnet/mxnet_symbol_edits.h"
#include "registry/precision_list/precision_list.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::Dtype;
using opledger::fuzz::Require;

// Tables that a conversion needs, read once.
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

struct Read {
  std::optional<opledger::MxnetSymbol> symbol;
  std::optional<opledger::MxnetParams> params;
  opledger::Typing typing;
};

struct Texts {
  std::string symbol;
  std::string params;
  bool has_params = false;
};

// Returns false if the input cannot be converted.
bool ReadTyped(const Texts& texts, bool offline, Tables& tables, Read& read) {
  opledger::Diagnostics diagnostics;
  read.symbol = opledger::ReadMxnetSymbol(
      opledger::SourceFile::FromText("fuzz-symbol.json", texts.symbol), diagnostics);
  if (!read.symbol) return false;
  read.symbol->graph.casts_are_fixed = true;
  if (texts.has_params) {
    read.params = opledger::ReadMxnetParams(
        opledger::SourceFile::FromText("fuzz.params", texts.params), diagnostics);
    if (!read.params ||
        !opledger::AttachParameters(*read.params, offline, *read.symbol, diagnostics)) {
      return false;
    }
  }
  opledger::NameMxnetOperators(read.symbol->graph, *tables.operators);
  read.typing = opledger::TypeMxnet(*read.symbol, *tables.operators);
  return read.typing.problems.empty();
}

}  // namespace

FUZZ_TARGET(mxnet_conversion) {
  static Tables tables;
  Require(tables.operators && tables.list, "the tables can be read");
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = std::min(all.find('\0'), size);
  Texts texts = {std::string(all.substr(0, middle)), "", middle < size};
  if (texts.has_params) texts.params = all.substr(middle + 1);
  const Dtype target = (size & 1) != 0 ? Dtype::kBfloat16 : Dtype::kFloat16;
  const bool offline = (size & 2) == 0;
  Read read;
  if (!ReadTyped(texts, offline, tables, read)) return 0;
  opledger::LabelOptions options;
  options.list = &*tables.list;
  auto labels = opledger::LabelNodes(read.symbol->graph, read.typing, options);
  if (read.params) {
    opledger::Diagnostics diagnostics;
    const auto numbers = opledger::ReadNumbers(&*read.params, read.symbol->graph, &labels, {});
    opledger::RaiseModelHazards(numbers, target, {}, labels, diagnostics);
  }
  opledger::ConvertOptions convert_options;
  convert_options.taint = (size & 4) != 0;
  opledger::PinByOptions(read.symbol->graph, convert_options, labels);
  opledger::PlanOptions plan_options;
  const opledger::Plan plan = opledger::PlaceFreeNodes(read.symbol->graph, labels, plan_options);
  auto edits =
      opledger::EditMxnet(*read.symbol, read.params ? &*read.params : nullptr, plan, target);
  texts.symbol = opledger::EditedText(read.symbol->file, edits.symbol);
  if (read.params) texts.params = opledger::EditedText(read.params->file, edits.params);
  if (!plan.Changes()) return 0;
  Read again;
  Require(ReadTyped(texts, offline, tables, again), "types of a converted symbol are consistent");
  return 0;
}

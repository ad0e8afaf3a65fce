// Lists names in file order; only the first ones if there are many.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/border_text.h"

#include <map>
#include <vector>

#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kShownNames = 8;

struct Names {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// "inputs a, b and 3 more". Empty if there are no names.
std::string ListText(const std::string& what, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = what + (names.size() == 1 ? " " : "s ");
  for (std::size_t i = 0; i < names.size() && i < kShownNames; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(names[i]);
  }
  if (names.size() > kShownNames)
    text += " and " + std::to_string(names.size() - kShownNames) + " more";
  return text;
}

std::string Line(const Names& names, const char* one, const char* many, const std::string& rest) {
  const std::string inputs = ListText("input", names.inputs);
  const std::string outputs = ListText("output", names.outputs);
  const std::string both = inputs.empty() || outputs.empty() ? "" : " and ";
  const bool single = names.inputs.size() + names.outputs.size() == 1;
  return "  --io-types low: " + inputs + both + outputs + (single ? one : many) + rest + "\n";
}

}  // namespace

std::string BorderText(const Graph& graph, const Plan& plan, const std::string& target) {
  const Scope& main = graph.scopes[0];
  Names low;
  for (const ValueId input : main.inputs) {
    if (plan.values[input].low) low.inputs.emplace_back(graph.values[input].name);
  }
  for (std::size_t i = 0; i < main.outputs.size(); ++i) {
    const ValueId output = main.outputs[i];
    const bool is_low =
        output != kNone && plan.values[output].float32 && plan.scope_outputs[0][i] == Want::kLow;
    if (is_low) low.outputs.emplace_back(graph.values[output].name);
  }
  std::map<std::string, Names> kept;  // by reason
  for (const KeptBorder& each : plan.kept_border) {
    Names& names = kept[each.why];
    const std::string name(graph.values[each.value].name);
    const bool is_input = graph.values[each.value].is_input;
    (is_input ? names.inputs : names.outputs).push_back(name);
  }
  std::string text;
  if (!low.inputs.empty() || !low.outputs.empty()) text = Line(low, " takes ", " take ", target);
  for (const auto& [why, names] : kept) {
    text += Line(names, " keeps float32: ", " keep float32: ", why);
  }
  return text;
}

}  // namespace opledger

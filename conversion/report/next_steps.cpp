// Starts with what keeps nodes in float32 at the cost of the most casts.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/next_steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "conversion/report/report.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

class StepFinder {
 public:
  explicit StepFinder(const ConversionReport& report) : report_(report), steps_(report.steps) {}

  std::vector<NextStep> Find() {
    Parameters();
    Operators();
    Sizes();
    Measure();
    return std::move(steps_);
  }

 private:
  std::string Convert(const std::string& options) const {
    return ConvertCommand(report_.model, options);
  }

  bool IsOnnx() const { return report_.format == "onnx"; }

  void Parameters() {
    const auto overflowing = std::count_if(
        report_.parameters.begin(), report_.parameters.end(), [](const ParameterReport& each) {
          return each.statistics && each.statistics->overflowing > 0;
        });
    if (overflowing == 0 || report_.target != Dtype::kFloat16 || !IsOnnx()) return;
    steps_.push_back({Counted(static_cast<std::size_t>(overflowing), "parameter") +
                          (overflowing == 1 ? " has" : " have") +
                          " elements that become infinite in float16, which is harmless here; "
                          "bfloat16 represents them.",
                      Convert("--target-dtype bfloat16")});
  }

  // Names the operator that the list keeps in float32 at the cost of the most casts.
  void Operators() {
    std::map<std::string, std::set<int>> casts;
    for (const NodeReport& node : report_.nodes) {
      if (node.label != Label::kFp32 || node.rule != LabelRule::kList) continue;
      casts[node.op].insert(node.casts_wanted.begin(), node.casts_wanted.end());
      casts[node.op].insert(node.casts_of_outputs.begin(), node.casts_of_outputs.end());
    }
    const auto most = std::max_element(
        casts.begin(), casts.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (most == casts.end() || most->second.empty() || !IsOnnx()) return;
    steps_.push_back({std::to_string(most->second.size()) + " of " +
                          Counted(report_.casts.size(), "cast") + " are next to " + most->first +
                          ", which the list keeps in float32. To measure which nodes tolerate " +
                          DtypeName(report_.target) + ":",
                      "opledger tune " + FileName(report_.model) + " --target-dtype " +
                          DtypeName(report_.target) +
                          " --max-error 1e-2 --beyond-list -o tuned.json"});
  }

  void Sizes() {
    const auto unknown = std::count_if(report_.casts.begin(), report_.casts.end(),
                                       [](const CastReport& cast) { return !cast.bytes; });
    if (unknown == 0 || !IsOnnx() || report_.open_input.empty()) return;
    steps_.push_back({Counted(static_cast<std::size_t>(unknown), "cast") +
                          (unknown == 1 ? " has" : " have") +
                          " no known size. To give the shapes of the inputs:",
                      Convert("--report report.html --input-shape " + report_.open_input)});
  }

  void Measure() {
    if (report_.Count(Precision::kLow) == 0 || !IsOnnx()) return;
    steps_.push_back({"To measure the errors of the outputs on your own inputs:",
                      Convert("--verify --inputs-from samples")});
  }

  const ConversionReport& report_;
  std::vector<NextStep> steps_;
};

}  // namespace

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string ConvertCommand(const std::string& model, const std::string& options) {
  return "opledger convert " + FileName(model) + " -o mixed.onnx " + options;
}

std::vector<NextStep> FindNextSteps(const ConversionReport& report) {
  return StepFinder(report).Find();
}

}  // namespace opledger

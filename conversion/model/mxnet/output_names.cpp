// If an operator has several outputs, used or not, nnvm numbers them unless FListOutputNames names
// them. Follows list_outputs of MXNet 1.9.1.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/output_names.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace opledger {
namespace {

const std::map<std::string_view, std::vector<std::string_view>>& NamedOutputs() {
  static const std::vector<std::string_view> kStatistics = {"output", "mean", "std"};
  static const std::vector<std::string_view> kRange = {"output", "min_output", "max_output"};
  static const std::vector<std::string_view> kTargets = {"loc_target", "loc_mask", "cls_target"};
  static const std::map<std::string_view, std::vector<std::string_view>> kNames = {
      {"BatchNorm", {"output", "mean", "var"}},
      {"BilinearSampler", {"output", "tmp"}},
      {"Correlation", {"output", "tmp1", "tmp2"}},
      {"Dropout", {"output", "mask"}},
      {"GridGenerator", {"output", "grid_dst"}},
      {"GroupNorm", kStatistics},
      {"InstanceNorm", {"output", "mean", "var"}},
      {"L2Normalization", {"output", "norm"}},
      {"LRN", {"output", "tmp_norm"}},
      {"LayerNorm", kStatistics},
      {"LeakyReLU", {"output", "mask"}},
      {"Pooling", {"output", "workspace"}},
      {"RNN", {"output", "state_output", "statecell_output"}},
      {"ROIPooling", {"output", "maxidx"}},
      {"SpatialTransformer", {"output", "grid_dst", "grid_src"}},
      {"_contrib_DeformablePSROIPooling", {"output", "top_count"}},
      {"_contrib_MultiProposal", {"output", "score"}},
      {"_contrib_MultiBoxTarget", kTargets},
      {"_contrib_Proposal", {"output", "score"}},
      {"_contrib_SyncBatchNorm", {"output", "mean", "var"}},
      {"_contrib_hawkesll", {"output", "out_state"}},
      {"_contrib_quantize_asym", {"output", "scale", "shift"}},
      {"_contrib_quantized_batch_norm", kRange},
      {"_contrib_quantized_elemwise_add", kRange},
      {"_contrib_quantized_elemwise_mul", kRange},
      {"_contrib_quantized_flatten", kRange},
      {"_npi_matmul", {"out"}},
      {"_npi_std", {"std"}},
      {"_npi_var", {"var"}},
      {"_npx_multibox_target", kTargets},
      {"_sparse_make_loss", {"loss"}},
      {"make_loss", {"loss"}},
  };
  return kNames;
}

// Operators that always have several outputs.
constexpr std::string_view kNumbered[] = {"CTCLoss",
                                          "_contrib_CTCLoss",
                                          "_contrib_box_encode",
                                          "_contrib_box_nms",
                                          "_contrib_ctc_loss",
                                          "_contrib_quantize",
                                          "_contrib_quantize_v2",
                                          "_contrib_requantize",
                                          "_histogram",
                                          "_linalg_det",
                                          "_linalg_gelqf",
                                          "_linalg_slogdet",
                                          "_linalg_syevd",
                                          "_npi_average",
                                          "_npi_histogram",
                                          "_npi_norm",
                                          "_npi_sort",
                                          "ctc_loss",
                                          "moments",
                                          "sort"};

std::string_view AttributeText(const Node& node, std::string_view name) {
  const Attribute* found = node.Find(name);
  return found != nullptr && found->kind == Attribute::Kind::kString ? found->text
                                                                     : std::string_view();
}

bool IsNumbered(const Node& node) {
  if (node.op == "SliceChannel" || node.op == "amp_multicast") {
    return AttributeText(node, "num_outputs") != "1";
  }
  if (node.op == "_split_v2") return AttributeText(node, "sections") != "1";
  if (node.op == "topk") return AttributeText(node, "ret_typ") == "both";
  return std::find(std::begin(kNumbered), std::end(kNumbered), node.op) != std::end(kNumbered);
}

}  // namespace

std::string MxnetOutputSuffix(const Node& node, int output, int seen) {
  const auto named = NamedOutputs().find(node.op);
  if (named != NamedOutputs().end() && output < static_cast<int>(named->second.size())) {
    return "_" + std::string(named->second[static_cast<std::size_t>(output)]);
  }
  return "_output" + (seen > 1 || IsNumbered(node) ? std::to_string(output) : std::string());
}

}  // namespace opledger

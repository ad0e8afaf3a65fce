// What measuring the registered kernels says about the policy of each operator (`opledger
// characterize`). In: a probe of each kernel, its inputs by role (probe.h, domain.h), its formula
// step by step (formulas.h); out: errors (measurement.h), policies (policy_rule.h), and how far
// lists agree (agreement.h, operator_names.h). Domains follow from mathematics, not from results.
// May include: kernels/compare, kernels/cpu/formulas, kernels/kernel, kernels/machine,
// kernels/model, kernels/tensor, registry/files, registry/json, registry/platform,
// registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/evidence/agreement.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct CharacterizeOptions {
  std::string target_dtype;      // float16 or bfloat16; empty: both
  std::string operators;         // a regular expression over names of kernels; empty: all
  std::string list;              // a file to hold the policies against; empty: none
  std::string kernels = "fast";  // or "reference"
  bool speed = false;            // measure CPU times too, which differ from run to run
  std::string output;            // a file for the evidence, schemas/evidence.schema.json
};

struct NamedAgreement {
  std::string list;  // "mxnet/float16.json", or as it was given
  Agreement agreement;
};

struct Characterization {
  std::vector<OperatorEvidence> operators;
  std::map<std::string, std::string> unmeasured;  // kernels without a probe, and why they have none
  std::vector<NamedAgreement> agreements;
};

// 0: done; 2, with errors: a file is not what it should be, or no kernel has such a name.
int Characterize(const CharacterizeOptions& options, std::string& text, Diagnostics& diagnostics);

std::string CharacterizationText(const Characterization& all, const CharacterizeOptions& options);
std::string EvidenceJson(const Characterization& all, const CharacterizeOptions& options);

}  // namespace opledger

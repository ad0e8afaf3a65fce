// Measures the registered kernels and recommends a policy for each operator (`opledger
// characterize`). In: a probe of each kernel, its inputs by role (probe.h, domain.h), its formula
// step by step (formulas.h). Out: errors (measurement.h), policies (policy_rule.h), and agreement
// with lists (agreement.h, operator_names.h). Domains are chosen mathematically, not by results.
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
  std::string operators;         // a regular expression for kernel names; empty: all
  std::string list;              // a list to compare with; empty: none
  std::string kernels = "fast";  // or "reference"
  bool speed = false;            // measure CPU times too, which differ from run to run
  std::string output;            // file for the evidence, schemas/evidence.schema.json
};

struct NamedAgreement {
  std::string list;  // "mxnet/float16.json", or as given
  Agreement agreement;
};

struct Characterization {
  std::vector<OperatorEvidence> operators;
  std::map<std::string, std::string> unmeasured;  // kernels without a probe, and the reason
  std::vector<NamedAgreement> agreements;
};

// Returns the exit status: 0 done; 2, with errors, a file is invalid or no kernel matches.
int Characterize(const CharacterizeOptions& options, std::string& text, Diagnostics& diagnostics);

std::string CharacterizationText(const Characterization& all, const CharacterizeOptions& options);
std::string EvidenceJson(const Characterization& all, const CharacterizeOptions& options);

}  // namespace opledger

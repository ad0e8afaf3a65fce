// contradicts-evidence: what a list or a kernel says of an operator is not what was measured.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "checker/findings/evidence.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kContradictsEvidencePage[] =
    R"(With `check --evidence FILE`, or "evidence" in opledger.json: a list lets an
operator run in 16 bits, but in measurements it leaves the type's range, loses
more than 4 bits or flushes results to zero. Or the measured error of a kernel is
larger than the bound it declares. `opledger characterize -o FILE` measures.

Why: a policy is a claim about numbers, and so is a bound. One that is wrong shows
in some model sooner or later, as a NaN of unknown origin.

Example:
  registered: exp
  measured: exp (float16: 36.8 % of the results are not finite on reals 64)
  list: {"framework": "demo", "target_dtype": "float16",
         "either": ["exp"]}
  finding: 'exp' is 'either' in list 'float16', but measured in float16 36.8 % of the results are not finite on reals 64

What to do: make the policy fp32, or conditional where only some values of an
attribute are harmful; or suppress the finding and state why such numbers never
occur. Raise a bound that is wrong, or fix the kernel.
)";

// The bound in ulp: 0 for "exact", 4 for "4 ulp"; none: it depends on the call, or is unknown.
std::optional<double> BoundOf(const Kernel& kernel) {
  const auto bound = kernel.details.find("error_bound");
  if (bound == kernel.details.end()) return std::nullopt;
  const std::string& text = bound->second;
  if (text == "exact") return 0;
  double ulp = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ulp);
  if (error != std::errc() || std::string_view(end) != " ulp") return std::nullopt;
  return ulp;
}

bool IsContradicted(const MeasuredOperator& measured, double bound) {
  constexpr double kRoundedTwice = 0.01;  // to float32 first, ulp
  if (bound == 0) return !measured.exact;
  return measured.ulp > std::max(bound, 0.5) + kRoundedTwice;
}

std::string UlpText(double ulp) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ulp", ulp);
  return text;
}

void CheckBound(const ListIndex& list, const EntryUse& use,
                const std::vector<const MeasuredOperator*>& all, std::vector<Finding>& findings) {
  const Dtype dtype = list.list->target_dtype;
  const auto kernels = KernelsTaking(*use.op, list.list->device, dtype, list.Known());
  // Which of several was measured is not known: the loosest bound counts.
  double loosest = 0;
  for (const Kernel* kernel : kernels) {
    const auto bound = BoundOf(*kernel);
    if (!bound) return;
    loosest = std::max(loosest, *bound);
  }
  if (kernels.empty()) return;
  for (const MeasuredOperator* measured : all) {
    if (!IsContradicted(*measured, loosest)) continue;
    Finding& finding = AddAtEntry(list, use,
                                  "the kernel of '" + use.op->name + "' is declared to be " +
                                      (loosest == 0 ? "exact" : "within " + UlpText(loosest)) +
                                      ", but measured in " + DtypeName(dtype) + " its error is " +
                                      UlpText(measured->ulp),
                                  findings);
    finding.related.push_back({measured->location, "measured here"});
    return;
  }
}

// Measured to do harm, whatever kind of the operator runs.
bool DoesHarm(const std::vector<const MeasuredOperator*>& all) {
  return std::all_of(all.begin(), all.end(), [](const MeasuredOperator* measured) {
    return measured->policy == Policy::kFp32 && measured->step != "loss";
  });
}

void CheckContradictsEvidence(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.evidence() == nullptr) return;
  const Evidence& evidence = *index.evidence();
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    if (list.list->framework != evidence.framework) return;
    const Dtype dtype = list.list->target_dtype;
    const auto all = evidence.Of(use.op->name, dtype);
    if (all.empty()) return;
    const Policy policy = use.entry->policy;
    if (policy == Policy::kFp32 || policy == Policy::kConditional || !DoesHarm(all)) {
      return CheckBound(list, use, all, findings);
    }
    Finding& finding =
        AddAtEntry(list, use,
                   "'" + use.op->name + "' is '" + PolicyName(policy) + "' in list '" + list.label +
                       "', but measured in " + DtypeName(dtype) + " " + all.front()->reason,
                   findings);
    finding.related.push_back({all.front()->location, "measured here"});
  });
}

}  // namespace

extern const Rule kContradictsEvidence = {
    "contradicts-evidence",
    Severity::kWarning,
    "a policy or a kernel's error bound contradicts a measurement",
    kContradictsEvidencePage,
    CheckContradictsEvidence,
    {"kernels"}};

}  // namespace opledger

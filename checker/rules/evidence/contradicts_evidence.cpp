// contradicts-evidence: a policy or an error bound contradicts measurements.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "checker/findings/evidence.h"
#include "checker/index/evidence_use.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"
#include "checker/terminal/shell_quote.h"

namespace opledger {
namespace {

constexpr char kContradictsEvidencePage[] =
    R"(With `check --evidence FILE`: a list lets an operator run in 16 bits, but in
measurements it leaves the type's range, loses more than 4 bits or flushes results
to zero; or a kernel's error is larger than the bound it declares. Measurements of
another framework apply through a row of the atlas, which `opledger docs --atlas`
shows. `opledger characterize` and `python -m opledger.evidence` measure operators.

Why: a wrong policy or bound shows in some model sooner or later, as a NaN of
unknown origin.

Example:
  registered: exp
  measured: exp (float16: 9 % of the results are not finite on reals 8)
  list: {"framework": "demo", "target_dtype": "float16", "either": ["exp"]}
  finding: 'exp' is 'either' in list 'float16', but measured in float16 9 % of the results are not finite on reals 8

What to do: make the policy fp32, or conditional if only some attributes do harm;
or suppress the finding and state why such values never occur. Raise a bound that
is wrong, or fix the kernel.
)";

// Returns the bound in ulp: 0 for "exact", 4 for "4 ulp". Returns nullopt if it depends on the call
// or is not known.
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
  constexpr double kRoundedTwice = 0.01;  // ulp; error of rounding to float32 first
  if (!measured.ulp) return false;
  if (bound == 0) return !measured.exact;
  return *measured.ulp > std::max(bound, 0.5) + kRoundedTwice;
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
  // It is not known which kernel was measured, so the loosest bound counts.
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
                                      UlpText(*measured->ulp),
                                  findings);
    finding.related.push_back({measured->location, "measured here"});
    return;
  }
}

bool DoesHarm(const MeasuredOperator& measured) {
  return measured.policy == Policy::kFp32 && measured.step != "loss";
}

// Returns a measurement that shows harm, if all measurements do, otherwise nullptr. For
// measurements by an atlas row, harm in a kernel that rounds every step counts, too, because the
// kernel of another framework may do that.
const MeasuredOperator* FindHarmful(const EntryMeasurements& found) {
  const auto harmful = [&](const MeasuredOperator* each) {
    return DoesHarm(*each) || (found.row != nullptr && !each->if_every_step_rounds.empty());
  };
  if (!std::all_of(found.measured.begin(), found.measured.end(), harmful)) return nullptr;
  const auto first = std::find_if(found.measured.begin(), found.measured.end(),
                                  [](const MeasuredOperator* each) { return DoesHarm(*each); });
  return first == found.measured.end() ? found.measured.front() : *first;
}

// Returns "PyTorch aten::exp".
std::string ShownOperator(const OperationTable& table, const std::string& framework,
                          const std::string& op) {
  return framework.empty() ? op : table.Shown(framework) + ' ' + op;
}

// Returns the basis of the row's alignment of a name: ", in the row by 'name'".
std::string BasisText(const OperationTable& table, const OperationRow* row,
                      const std::string& framework, const std::string& op) {
  for (const OperationTable::Place& place : table.PlacesOf(framework, op)) {
    if (place.row == row && place.name != nullptr)
      return ", in the row by '" + place.name->by + "'";
  }
  return {};
}

// Suggests the command that sets fp32, unless a name cannot be quoted for a shell.
void SuggestFp32(const ListIndex& list, Finding& finding) {
  const std::optional<std::string> name = ShellQuote(finding.op);
  const std::optional<std::string> reference = ShellQuote(list.reference);
  if (!name || !reference) return;
  finding.suggestions.push_back(
      {"opledger classify " + *name + " --as fp32 --list " + *reference + " --reason numeric", {}});
}

// Reports an operator that may run in 16 bits although all its measurements show harm.
void AddHarm(const OperationTable& table, const ListIndex& list, const EntryUse& use,
             const EntryMeasurements& found, const MeasuredOperator& measured,
             std::vector<Finding>& findings) {
  const std::string& framework = list.list->framework;
  std::string message =
      "'" + use.op->name + "' is '" + PolicyName(use.entry->policy) + "' in list '" + list.label +
      "', but measured in " + DtypeName(measured.dtype) + " " +
      (DoesHarm(measured) ? measured.reason
                          : measured.if_every_step_rounds + " if a kernel rounds every step");
  if (found.row != nullptr) {
    message += ", by atlas row '" + found.row->operation +
               "': " + ShownOperator(table, framework, use.op->name) + ", " +
               ShownOperator(table, measured.framework, measured.op);
  }
  Finding& finding = AddAtEntry(list, use, std::move(message), findings);
  std::string note = "measured here";
  if (measured.samples > 0) {
    note += " on " + Counted(static_cast<std::uint64_t>(measured.samples), "result");
  }
  if (found.row != nullptr) {
    note += ": " + ShownOperator(table, measured.framework, measured.op) +
            BasisText(table, found.row, measured.framework, measured.op);
  }
  finding.related.push_back({measured.location, note});
  SuggestFp32(list, finding);
}

void CheckContradictsEvidence(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.evidence() == nullptr) return;
  const EvidenceUse evidence(index);
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const EntryMeasurements found = evidence.Of(list, use);
    if (found.measured.empty()) return;
    const Policy policy = use.entry->policy;
    const MeasuredOperator* harmful = FindHarmful(found);
    if (harmful != nullptr && policy != Policy::kFp32 && policy != Policy::kConditional) {
      return AddHarm(index.evidence()->table, list, use, found, *harmful, findings);
    }
    // A bound applies to the kernels of one framework.
    if (found.row == nullptr) CheckBound(list, use, found.measured, findings);
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

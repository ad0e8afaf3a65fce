// incomplete-scan: the scan could not read a file or a registration.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>

#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kIncompleteScanPage[] =
    R"(Part of the source could not be read: a file that crashed the scanner or exceeded
its limits, a registration whose name is computed at run time, a macro that was
not expanded.

Why: that part may register operators. "Could not look" must differ from
"nothing found", so the exit status is 3.

Example:
  registered: relu
  incomplete: src/custom.cc:7:3 registration: the name is computed at run time
  list: {"framework": "demo", "target_dtype": "float16", "widest": ["relu"]}
  finding: scan incomplete (registration): the name is computed at run time

Lists whose source in the framework is missing, empty, ambiguous or computed are
reported, too. A baseline silences such a finding only until its file changes.

What to do: follow the message. List a registration that is known and intended
under "known_dynamic" in the dialect, with a reason; list an irrelevant file under
"exclude" in opledger.json.
Severity "off" silences the message, but the exit status stays 3; only an
ignore rule with a reason changes that.
)";

void CheckIncompleteScan(const CheckIndex& index, std::vector<Finding>& findings) {
  std::set<Incomplete> seen;
  std::map<std::string, std::string, std::less<>> digests;  // by path
  for (const Incomplete& incomplete : index.manifest().incomplete) {
    if (!seen.insert(incomplete).second) continue;
    Finding& finding = findings.emplace_back();
    finding.location = incomplete.location;
    const bool list = incomplete.stage == kListStage;
    finding.message = list ? kListIncomplete : "scan incomplete";
    if (!list && !incomplete.stage.empty()) finding.message += " (" + incomplete.stage + ")";
    if (!incomplete.detail.empty()) finding.message += ": " + incomplete.detail;
    if (list) continue;
    const auto [digest, is_new] = digests.try_emplace(incomplete.location.path);
    if (is_new) digest->second = index.DigestOf(incomplete.location.path);
    finding.digest = digest->second;
  }
}

}  // namespace

extern const Rule kIncompleteScan = {"incomplete-scan", Severity::kError,
                                     "part of the source could not be read", kIncompleteScanPage,
                                     CheckIncompleteScan};

}  // namespace opledger

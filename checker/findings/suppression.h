// Suppressions: comments in source that silence findings, with a reason and an optional last day.
//   // opledger-ignore(unclassified-operator): only built for tests [until 2027-06-30]
//   NNVM_REGISTER_OP(probe)
// A comment after code applies to its own line, one on its own line to the next line of code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/findings.h"
#include "checker/terminal/source_lines.h"
#include "registry/manifest/manifest.h"
#include "registry/text/location.h"

namespace opledger {

struct Suppression {
  std::vector<std::string> rules;
  std::string reason;
  std::string until;       // its last day, "2027-06-30"; empty: without end
  std::string problem;     // what is wrong with how it is written: it then silences nothing
  Location location;       // of the comment, from its keyword on
  int line = 0;            // of the code that it applies to
  Span bytes;              // of the file, to be taken out to drop it; empty: only by hand
  bool of_others = false;  // another dialect of the project may need it, or reports what is wrong

  bool Names(std::string_view rule) const;
  // Whether its last day is over on `today`.
  bool EndedOn(std::string_view today) const { return !until.empty() && until < today; }
};

// All suppressions of one file, in order.
std::vector<Suppression> ParseSuppressions(const std::string& path, std::string_view text,
                                           const std::vector<std::string>& known_rules);

// Those of all files in the manifest, and of those that rows of the lists stand in.
std::vector<Suppression> ReadSuppressions(const Manifest& manifest,
                                          const std::vector<PrecisionList>& lists_checked,
                                          SourceLines& lines,
                                          const std::vector<std::string>& known_rules);

// The day on which ends are checked, "2026-11-22": of SOURCE_DATE_EPOCH where that is set, else
// today's, in UTC.
std::string SuppressionDate();

}  // namespace opledger

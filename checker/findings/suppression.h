// Suppressions: comments in the source that silence findings, with a reason and optionally a last
// day.
//   // opledger-ignore(unclassified-operator): only built for tests [until 2027-06-30]
//   NNVM_REGISTER_OP(probe)
// A comment after code applies to its own line, any other to the next line of code.
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
  std::string until;       // last day, such as "2027-06-30"; empty: no end
  std::string problem;     // syntax error; the suppression then silences nothing
  Location location;       // from the keyword to the end of the comment
  int line = 0;            // line of the code that it applies to
  Span bytes;              // bytes to delete to remove it; empty: the user has to edit the line
  bool of_others = false;  // another dialect of the project may use it, or reports its problem

  bool Names(std::string_view rule) const;
  // Returns whether its last day is before `today`.
  bool EndedOn(std::string_view today) const { return !until.empty() && until < today; }
};

// Returns all suppressions of a file in order.
std::vector<Suppression> ParseSuppressions(const std::string& path, std::string_view text,
                                           const std::vector<std::string>& known_rules);

// Returns the suppressions in all files of the manifest and in the source files of the lists.
std::vector<Suppression> ReadSuppressions(const Manifest& manifest,
                                          const std::vector<PrecisionList>& lists_checked,
                                          SourceLines& lines,
                                          const std::vector<std::string>& known_rules);

// Returns the date that end dates are compared with, such as "2026-11-22": that of
// SOURCE_DATE_EPOCH if it is set, otherwise today's, in UTC.
std::string SuppressionDate();

}  // namespace opledger

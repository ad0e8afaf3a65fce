// Computes the fingerprints that identify findings in later runs.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/findings.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "registry/files/sha256.h"
#include "registry/platform/run_git.h"

namespace opledger {

const char* StatusName(FindingStatus status) {
  switch (status) {
    case FindingStatus::kNew:
      return "new";
    case FindingStatus::kBaseline:
      return "baseline";
    case FindingStatus::kSuppressed:
      break;
  }
  return "suppressed";
}

namespace {

// Returns the part of a message that describes the place itself: without a trailing part in
// parentheses, such as headers that were not found, and without line numbers.
std::string WithoutCircumstances(const std::string& message) {
  const std::size_t added = message.rfind("' (");
  std::string text;
  for (std::size_t i = 0; i < std::min(added, message.size()); ++i) {
    text += message[i];
    if (message[i] != ':') continue;
    while (i + 1 < message.size() && message[i + 1] >= '0' && message[i + 1] <= '9') ++i;
  }
  return text;
}

}  // namespace

std::string Finding::Fingerprint() const {
  // The length precedes each part, so that ("ab", "c") and ("a", "bc") differ.
  std::string key;
  const auto add = [&key](const std::string& part) {
    key += std::to_string(part.size()) + ':' + part;
  };
  add(rule);
  add(framework);
  add(op);
  add(list);
  if (op.empty()) add(location.path);
  if (!digest.empty()) {
    add(digest);
    add(std::to_string(location.line) + ':' + std::to_string(location.column));
    add(WithoutCircumstances(message));
  } else if (op.empty()) {
    add(message);
  }
  return Sha256Hex(key);
}

std::string FixText(const Finding& finding, const Suggestion& suggestion) {
  if (!suggestion.command.empty()) return Printable(suggestion.command);
  if (suggestion.edits.empty()) return {};
  const Edit& edit = suggestion.edits.front();
  std::string text = "write " + Printable(edit.text);
  if (edit.text.empty()) text = finding.list.empty() ? "remove this comment" : "remove this entry";
  return suggestion.safe ? text + ", as `opledger check --fix` does" : text;
}

bool IsIncompleteList(const Finding& finding) {
  return finding.rule == "incomplete-scan" && finding.message.starts_with(kListIncomplete);
}

bool IsFromSystem(std::string_view detail) {
  // These errors are caused by the source, such as a circular link or a file that is too large.
  constexpr int kOfSource[] = {ENOENT, ENOTDIR, EISDIR, ELOOP, EFBIG, EINVAL, EXDEV, ENODATA};
  constexpr int kLastError = 133;  // on Linux
  // A crash of a worker is caused by its input, unlike a worker that was killed or ended.
  for (const char* const each : {"; scan again", "the worker was killed", "the worker ended"}) {
    if (detail.find(each) != std::string_view::npos) return true;
  }
  for (int error = 0; error <= kLastError; ++error) {
    const bool of_source =
        std::find(std::begin(kOfSource), std::end(kOfSource), error) != std::end(kOfSource);
    if (!of_source && detail.ends_with(": " + ReadErrorText(error))) return true;
  }
  return false;
}

}  // namespace opledger

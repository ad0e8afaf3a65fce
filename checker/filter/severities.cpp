// Applies severities and ignore rules.
// SPDX-License-Identifier: Apache-2.0
#include "checker/filter/severities.h"

#include <algorithm>

#include "checker/rules/rules.h"
#include "registry/text/glob.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

bool IsLevel(std::string_view text) { return text == "off" || ParseSeverity(text); }

bool CheckIgnoreRule(const IgnoreRule& rule, Diagnostics& diagnostics) {
  if (!rule.rule.empty() && FindRule(rule.rule) == nullptr) {
    return diagnostics.Error(rule.location, "unknown rule '" + rule.rule + "'",
                             RuleHint(rule.rule));
  }
  if (rule.rule.empty() && rule.op.empty() && rule.path.empty()) {
    return diagnostics.Error(rule.location, "this ignore rule matches everything",
                             "name a rule, an operator or a path");
  }
  if (rule.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    return diagnostics.Error(rule.location, "this ignore rule has no reason",
                             "state in \"reason\" why these findings do not count");
  }
  return true;
}

bool AreRules(const char* flag, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  bool ok = true;
  for (const std::string& name : names) {
    if (FindRule(name) != nullptr) continue;
    diagnostics.Error({}, std::string(flag) + ": unknown rule '" + name + "'", RuleHint(name));
    ok = false;
  }
  return ok;
}

}  // namespace

std::string RuleHint(std::string_view name) {
  const std::string hint = Proposal(name, RuleNames());
  return hint.empty() ? "`opledger explain` lists the rules" : hint;
}

std::vector<std::string> SeverityChoices() { return {"error", "warning", "note", "off"}; }

bool Severities::AddProject(const ProjectFile& project, Diagnostics& diagnostics) {
  bool ok = true;
  for (const auto& [name, level] : project.severities) {
    const auto place = project.severity_locations.find(name);
    const Location location = place != project.severity_locations.end()
                                  ? place->second
                                  : Location{project.path, 0, 0, 0, 0};
    if (FindRule(name) == nullptr) {
      diagnostics.Error(location, "unknown rule '" + name + "'", RuleHint(name));
      ok = false;
    } else if (!IsLevel(level)) {
      diagnostics.Error(location, "unknown severity '" + level + "'",
                        ChoiceHint(level, SeverityChoices()));
      ok = false;
    } else {
      levels_[name] = ParseSeverity(level);
    }
  }
  for (const IgnoreRule& rule : project.ignore) {
    ok &= CheckIgnoreRule(rule, diagnostics);
    const bool is_name = !rule.op.empty() && rule.op.find_first_of("*?") == std::string::npos;
    (is_name ? ignored_operators_[rule.op] : ignored_patterns_).push_back(ignore_.size());
    ignore_.push_back(rule);
  }
  return ok;
}

bool Severities::AddFlag(std::string_view text, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  if (equals == std::string_view::npos) {
    return diagnostics.Error({}, "--severity " + name + " has no level",
                             "write --severity RULE=LEVEL, such as stale-entry=error");
  }
  const std::string level(text.substr(equals + 1));
  if (FindRule(name) == nullptr) {
    return diagnostics.Error({}, "--severity: unknown rule '" + name + "'", RuleHint(name));
  }
  if (!IsLevel(level)) {
    return diagnostics.Error({}, "--severity: unknown severity '" + level + "'",
                             ChoiceHint(level, SeverityChoices()));
  }
  levels_[name] = ParseSeverity(level);
  return true;
}

bool Severities::Select(const std::vector<std::string>& rules, Diagnostics& diagnostics) {
  selected_.insert(rules.begin(), rules.end());
  return AreRules("--select", rules, diagnostics);
}

bool Severities::Ignore(const std::vector<std::string>& rules, Diagnostics& diagnostics) {
  for (const std::string& rule : rules) levels_[rule] = std::nullopt;
  return AreRules("--ignore", rules, diagnostics);
}

const IgnoreRule* Severities::Ignoring(const Finding& finding) const {
  const auto matches = [&](std::size_t place) {
    const IgnoreRule& rule = ignore_[place];
    return (rule.rule.empty() || rule.rule == finding.rule) &&
           (rule.op.empty() || GlobMatch(rule.op, finding.op)) &&
           (rule.path.empty() || GlobMatch(rule.path, finding.location.path));
  };
  std::size_t first = ignore_.size();  // the first matching rule gives the reason
  const auto look = [&](const std::vector<std::size_t>& places) {
    const auto found = std::find_if(places.begin(), places.end(), matches);
    if (found != places.end()) first = std::min(first, *found);
  };
  look(ignored_patterns_);
  const auto named = ignored_operators_.find(finding.op);
  if (named != ignored_operators_.end()) look(named->second);
  return first < ignore_.size() ? &ignore_[first] : nullptr;
}

std::set<std::string> Severities::Named() const {
  std::set<std::string> names = selected_;
  for (const auto& [name, level] : levels_) {
    if (level) names.insert(name);
  }
  return names;
}

bool Severities::ApplySeverity(Finding& finding) const {
  if (!selected_.empty() && !selected_.contains(finding.rule)) return false;
  const auto level = levels_.find(finding.rule);
  if (level == levels_.end()) return true;
  if (level->second) finding.severity = *level->second;
  return level->second.has_value();
}

}  // namespace opledger

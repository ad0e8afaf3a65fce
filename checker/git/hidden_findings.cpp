// Identifies findings by their fingerprints. Searches for what hides one in the order in which
// findings are filtered.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/hidden_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "checker/filter/filter.h"
#include "checker/rules/rules.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

auto Key(const Suppression& each) {
  return std::tie(each.location.path, each.rules, each.reason, each.until);
}

// Returns the suppressions that the revision has too, each at most as often as there.
std::vector<Suppression> OldSuppressions(const RevisionCheck& before,
                                         const std::vector<Suppression>& now) {
  std::vector<Suppression> left = before.checked.suppressions;
  std::vector<Suppression> old;
  for (const Suppression& each : now) {
    const auto same = std::find_if(left.begin(), left.end(), [&](const Suppression& other) {
      return Key(other) == Key(each);
    });
    if (same == left.end()) continue;
    left.erase(same);
    old.push_back(each);
  }
  return old;
}

std::set<std::string> Fingerprints(const std::vector<Finding>& findings) {
  std::set<std::string> fingerprints;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::kNote) fingerprints.insert(finding.Fingerprint());
  }
  return fingerprints;
}

const ListIndex* ListOf(const CheckIndex& index, const std::string& label) {
  for (const ListIndex& list : index.lists()) {
    if (list.label == label) return &list;
  }
  return nullptr;
}

const ListEntry* EntryOf(const CheckIndex* index, const Finding& finding) {
  const ListIndex* const list = index != nullptr ? ListOf(*index, finding.list) : nullptr;
  const EntryUse* const use = list != nullptr ? list->Find(finding.op) : nullptr;
  return use == nullptr ? nullptr : use->entry;
}

// Returns whether the entry only moved between a list and one that it extends.
bool KeptItsPolicy(const Finding& finding, const CheckedProject& checked,
                   const RevisionCheck& before) {
  const ListEntry* const now = EntryOf(checked.index.get(), finding);
  const ListEntry* const then = EntryOf(before.checked.index.get(), finding);
  return finding.rule == "unclassified-operator" && now != nullptr && then != nullptr &&
         now->policy == then->policy;
}

// What hides a finding, and where.
struct Hider {
  Location place;
  std::string how;

  auto operator<=>(const Hider&) const = default;
};

class HiderSearch {
 public:
  HiderSearch(const std::vector<Finding>& all, const CheckedProject& checked,
              const CheckedProject& base, const RevisionSettings& settings)
      : checked_(checked), base_(base), settings_(settings) {
    for (const Finding& finding : all) found_.emplace(finding.Fingerprint(), &finding);
  }

  Hider Of(const Finding& hidden) const {
    const auto today = found_.find(hidden.Fingerprint());
    return today != found_.end() ? OfFilter(*today->second) : OfSource(hidden);
  }

 private:
  Location ProjectFileItself() const {
    const auto& file = checked_.project->file();
    const auto& then = base_.project->file();
    return {file ? file->path : then ? then->path : "opledger.json", 0, 0, 0, 0};
  }

  // For a finding of today that is filtered out.
  Hider OfFilter(const Finding& finding) const {
    if (const IgnoreRule* const rule = checked_.severities.Ignoring(finding)) {
      return {rule->location, "ignored by a rule of the project file"};
    }
    const CheckIndex& index = *checked_.index;
    for (const Suppression* const each : index.SuppressionsOf(finding)) {
      if (!each->EndedOn(index.today())) return {each->location, "silenced by a comment"};
    }
    if (checked_.baseline.Contains(finding)) {
      return {{checked_.baseline_path, 0, 0, 0, 0}, "in the baseline"};
    }
    const auto& file = checked_.project->file();
    if (!file || !file->severity_locations.contains(finding.rule)) {
      return {ProjectFileItself(), "of a rule that was on"};
    }
    return {file->severity_locations.at(finding.rule),
            "of rule '" + finding.rule + "', which is '" + file->severities.at(finding.rule) + "'"};
  }

  // For a finding that is not found today, because of other lists, sources or settings.
  Hider OfSource(const Finding& finding) const {
    for (const ListIndex& base_list : base_.index->lists()) {
      // Findings about lists that could not be read have no list.
      if (!finding.list.empty() && base_list.label != finding.list) continue;
      const PrecisionList& then = *base_list.list;
      const auto now = std::find_if(checked_.lists.begin(), checked_.lists.end(),
                                    [&](const auto& list) { return list.path == then.path; });
      if (now == checked_.lists.end()) {
        return {ProjectFileItself(), "of list '" + then.path + "', which is no longer checked"};
      }
      const std::string fields = ChangedFields(then, *now);
      if (!fields.empty()) return {PlaceOf(*now, fields), "gone because of the list's " + fields};
    }
    const std::string dialect = base_.project->file() ? base_.project->file()->dialect : "";
    if (settings_.Changed(dialect)) return {{dialect, 0, 0, 0, 0}, "gone because of the dialect"};
    return {ProjectFileItself(), "gone because of sources or builds in the project file"};
  }

  // Returns the place of the first field, or the file if the field is gone.
  static Location PlaceOf(const PrecisionList& list, const std::string& fields) {
    const std::string field = fields.substr(1, fields.find('"', 1) - 1);
    const JsonValue* const value = list.document.root.Find(field);
    return value != nullptr ? list.document.At(value->span) : Location{list.path, 0, 0, 0, 0};
  }

  // Returns the text of a field without white space.
  static std::string TextOf(const PrecisionList& list, const char* field) {
    const JsonValue* const value = list.document.root.Find(field);
    if (value == nullptr) return {};
    std::string text = list.document.text.substr(value->span.begin, value->span.size());
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
    return text;
  }

  static std::string ChangedFields(const PrecisionList& then, const PrecisionList& now) {
    std::vector<std::string> fields;
    if (then.unlisted != now.unlisted) fields.emplace_back("\"unlisted\"");
    if (then.extends != now.extends) fields.emplace_back("\"extends\"");
    if (then.configuration != now.configuration) fields.emplace_back("\"configuration\"");
    if (then.device != now.device) fields.emplace_back("\"device\"");
    if (then.target_dtype != now.target_dtype) fields.emplace_back("\"target_dtype\"");
    for (const char* field : {"derived_from", "complete", "documented_in", "tested_in"}) {
      if (TextOf(then, field) != TextOf(now, field))
        fields.push_back('"' + std::string(field) + '"');
    }
    return Join(fields, ", ");
  }

  const CheckedProject& checked_;
  const CheckedProject& base_;
  const RevisionSettings& settings_;
  std::map<std::string, const Finding*> found_;
};

constexpr std::size_t kMostShown = 5;

Finding Describe(const Hider& hider, const std::vector<const Finding*>& hidden,
                 const std::string& revision) {
  Finding finding;
  finding.rule = kHiddenFindingsName;
  finding.severity = FindRule(kHiddenFindingsName)->severity;
  finding.framework = hidden.front()->framework;
  finding.location = hider.place;
  finding.message = Counted(hidden.size(), "finding") + " that '" + revision + "' would report " +
                    (hidden.size() == 1 ? "is " : "are ") + hider.how;
  for (const Finding* each : hidden) {
    if (finding.related.size() == kMostShown) {
      finding.related.push_back(
          {hider.place, "and " + std::to_string(hidden.size() - kMostShown) + " more"});
      break;
    }
    finding.related.push_back({each->location, each->message + " [" + each->rule + ']'});
  }
  return finding;
}

}  // namespace

void KeepOldSuppressions(const RevisionCheck& before, CheckedProject& checked) {
  checked.suppressions = OldSuppressions(before, checked.suppressions);
  checked.MakeIndex();
}

std::optional<std::vector<Finding>> FindHidden(const std::vector<Finding>& all,
                                               const RevisionCheck& before,
                                               const std::string& revision, CheckedProject& checked,
                                               const RevisionSettings& settings,
                                               Diagnostics& diagnostics) {
  const bool comments =
      OldSuppressions(before, checked.suppressions).size() < checked.suppressions.size();
  if (!settings.found() || (!settings.differ() && !comments)) return std::vector<Finding>();
  CheckedProject base;
  // Name the dialect only if one of the states has several.
  const bool several = checked.project->NamesDialects() || settings.Dialects().size() > 1;
  const CheckOptions there =
      several ? settings.OptionsFor(checked.manifest->dialect) : settings.OptionsThere();
  if (!OpenCheckedProject(there, base, diagnostics)) return std::nullopt;
  base.index->CompareWith(before.checked.index.get());
  KeepOldSuppressions(before, base);
  const std::vector<Finding> all_then = RunRules(*base.index, base.severities.Named());
  const FilteredFindings then =
      FilterFindings(all_then, base.severities, *base.index, base.baseline);
  const FilteredFindings now =
      FilterFindings(all, checked.severities, *checked.index, checked.baseline);
  std::set<std::string> reported = Fingerprints(now.counted);
  reported.merge(Fingerprints(before.findings));  // findings of the revision are not new
  const HiderSearch search(all, checked, base, settings);
  std::map<Hider, std::vector<const Finding*>> by_hider;
  for (const Finding& finding : then.counted) {
    if (finding.severity == Severity::kNote || reported.contains(finding.Fingerprint())) continue;
    if (KeptItsPolicy(finding, checked, before)) continue;
    by_hider[search.Of(finding)].push_back(&finding);
  }
  std::vector<Finding> hidden;
  for (const auto& [hider, findings] : by_hider) {
    Finding finding = Describe(hider, findings, revision);
    // Use the severity of the revision or the command line, not that of the change.
    if (base.severities.ApplySeverity(finding)) hidden.push_back(std::move(finding));
  }
  return hidden;
}

std::optional<std::vector<Finding>> FindHiddenDialect(const std::string& dialect,
                                                      const RevisionCheck& before,
                                                      const std::string& revision,
                                                      const RevisionSettings& settings,
                                                      Diagnostics& diagnostics) {
  CheckedProject base;
  CheckOptions options = settings.OptionsFor(dialect);
  options.allow_empty = true;  // its sources may be gone, too
  if (!OpenCheckedProject(options, base, diagnostics)) return std::nullopt;
  base.index->CompareWith(before.checked.index.get());
  KeepOldSuppressions(before, base);
  const FilteredFindings then = FilterFindings(RunRules(*base.index, base.severities.Named()),
                                               base.severities, *base.index, base.baseline);
  const std::set<std::string> known = Fingerprints(before.findings);
  std::vector<const Finding*> gone;
  for (const Finding& finding : then.counted) {
    const bool counts = finding.severity != Severity::kNote;
    if (counts && !known.contains(finding.Fingerprint())) gone.push_back(&finding);
  }
  std::vector<Finding> hidden;
  if (gone.empty()) return hidden;
  const Hider hider = {{base.project->file()->path, 0, 0, 0, 0},
                       "of dialect '" + base.manifest->dialect + "', which is no longer checked"};
  Finding finding = Describe(hider, gone, revision);
  if (base.severities.ApplySeverity(finding)) hidden.push_back(std::move(finding));
  return hidden;
}

}  // namespace opledger

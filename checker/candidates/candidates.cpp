// Turns ranked policies into notes and suggested commands.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "checker/candidates/operator_line.h"
#include "checker/candidates/rank.h"
#include "checker/terminal/shell_quote.h"

namespace opledger {
namespace {

constexpr double kChance = 0.1;       // minimum probability of a candidate that is shown
constexpr double kCommendable = 0.8;  // minimum probability of a policy that the command names
constexpr double kLikely = 0.5;       // minimum probability of a suggestion
// Measured by tests/checker/suggestions_test.py. kKept scales the probabilities of the ranking to
// the share that turned out right. kKeptOfFew is used instead if a list names fewer than kFewest
// operators, or less than kFew of those that need a policy.
constexpr double kKept = 0.97;
constexpr double kFew = 0.25;
constexpr double kFewest = 10;
constexpr double kKeptOfFew = 0.5;
constexpr std::size_t kMaxLines = 3;
constexpr std::size_t kMaxReasons = 3;

const ListEntry* EntryOf(const Operator& op, const ListIndex& list) {
  const EntryUse* const use = list.Find(op.name);
  return use == nullptr ? nullptr : use->entry;
}

// An operator before it was renamed, and its entry in the list.
struct FormerOperator {
  const Operator* op = nullptr;      // nullptr: the operator is not a renamed one
  const ListEntry* entry = nullptr;  // in the revision compared with; nullptr: no entry
  const ListEntry* kept = nullptr;   // the list's entry under the old name, or nullptr
};

FormerOperator FindFormer(const CheckIndex& index, const ListIndex& list, const Operator* old) {
  FormerOperator former{old};
  if (old == nullptr) return former;
  for (const ListIndex& before : index.before()->lists()) {
    if (before.label == list.label) former.entry = EntryOf(*old, before);
  }
  former.kept = EntryOf(*old, list);
  return former;
}

// Returns "--like OLD" if the list still has the entry of the old name, otherwise "--as" with the
// policy of that entry. Returns an empty string if there was no entry, or if it is conditional.
std::string PolicyOfFormer(const FormerOperator& former) {
  if (former.kept != nullptr) {
    const std::optional<std::string> name = ShellQuote(former.op->name);
    if (name && former.kept->op == former.op->name) return "--like " + *name;
  }
  const ListEntry* const entry = former.entry;
  if (entry == nullptr || entry->policy == Policy::kConditional) return {};
  return std::string("--as ") + PolicyName(entry->policy);
}

// Returns a command that can be run as it is. The policy is that of the operator's former name, or
// the likeliest one, or a placeholder.
std::string ClassifyCommand(const Finding& finding, const ListIndex& list, const ListEntry* sibling,
                            const FormerOperator& former) {
  // A list of what the sources register states only what happens to operators without a rule.
  const bool registered = !list.list->rule_text.empty() && list.list->runs_unlisted.has_value();
  std::string policy = registered ? PolicyName(*list.list->runs_unlisted) : "POLICY";
  std::string reason;
  if (!registered && !finding.candidates.empty()) {
    const Candidate& best = finding.candidates.front();
    const bool named = best.probability >= kCommendable && best.policy != Policy::kConditional;
    if (named) policy = PolicyName(best.policy);
    const bool shared = named && sibling != nullptr && sibling->policy == best.policy;
    if (shared && !sibling->reason.empty()) reason = " --reason " + sibling->reason;
  }
  const std::optional<std::string> name = ShellQuote(finding.op);
  const std::optional<std::string> reference = ShellQuote(list.reference);
  if (!name || !reference) return {};
  std::string how = registered ? std::string() : PolicyOfFormer(former);
  if (!how.empty()) reason.clear();
  if (how.empty()) how = "--as " + policy;
  return "opledger classify " + *name + " " + how + " --list " + *reference + reason;
}

// Never 0 % or 100 %.
long Percent(double probability) { return std::clamp(std::lround(probability * 100), 1L, 99L); }

void AddTo(Finding& finding, const Operator& op, const ListIndex& list,
           const ClassifiedList& classified, const PolicyPriors& priors,
           const FormerOperator& former) {
  const std::vector<Feature> features = ReadFeatures(op);
  const Neighbours neighbours =
      FindNeighbours(op.name, features, classified, ClassifiedList::kNobody);
  if (!classified.operators().empty() && Sum(priors.operators) > 0) {
    const auto terms = ReadTerms(features, neighbours, classified, priors, ClassifiedList::kNobody);
    finding.candidates = RankPolicies(terms, classified, priors);
    Calibrate(list, classified.operators().size(), finding.candidates);
  }
  const ListEntry* sibling = nullptr;
  if (neighbours.nearest.index != ClassifiedList::kNobody) {
    sibling = EntryOf(*classified.operators()[neighbours.nearest.index].op, list);
  }
  if (sibling != nullptr) {
    finding.related.push_back({sibling->location, "its nearest sibling, '" + sibling->op +
                                                      "', is under '" +
                                                      PolicyName(sibling->policy) + "'"});
  }
  if (former.op != nullptr) {
    const std::string policy = former.entry == nullptr ? ", which had no entry"
                                                       : std::string(", which was '") +
                                                             PolicyName(former.entry->policy) + "'";
    finding.related.push_back(
        {finding.location, "it seems to be a new name for '" + former.op->name + "'" + policy});
  }
  const std::string line = DescribeOperator(op);
  if (!line.empty()) finding.related.push_back({finding.location, line});
  for (std::string& text : CandidateLines(finding.candidates, kMaxReasons)) {
    finding.related.push_back({finding.location, std::move(text)});
  }
  std::string command = ClassifyCommand(finding, list, sibling, former);
  if (!command.empty()) finding.suggestions.push_back({std::move(command), {}});
}

}  // namespace

PolicyPriors ShippedPriors(Diagnostics& diagnostics) {
  Diagnostics messages;
  std::optional<PolicyPriors> priors = ReadPolicyPriors(messages);
  if (priors) return std::move(*priors);
  for (const Diagnostic& each : messages.all()) {
    diagnostics.Warning(each.location, "no policies are suggested: " + each.message, each.hint);
    if (messages.incomplete()) diagnostics.MarkIncomplete();
  }
  return {};
}

bool IsSuggestion(const std::vector<Candidate>& candidates) {
  return !candidates.empty() && candidates.front().probability >= kLikely;
}

void Calibrate(const ListIndex& list, std::size_t decided, std::vector<Candidate>& candidates) {
  const auto named = static_cast<double>(decided);
  const auto needed = named + static_cast<double>(list.unclassified.size());
  const bool few = named < kFewest || (!list.list->unlisted && named < kFew * needed);
  for (Candidate& each : candidates) each.probability *= few ? kKeptOfFew : kKept;
}

std::vector<std::string> CandidateLines(const std::vector<Candidate>& candidates,
                                        std::size_t most) {
  std::vector<std::string> lines;
  for (const Candidate& candidate : candidates) {
    const bool told = candidate.probability >= kChance && !candidate.support.empty();
    if (!told || lines.size() == kMaxLines) continue;
    std::string line = "or '";
    if (lines.empty()) line = IsSuggestion(candidates) ? "suggested: '" : "uncertain, possibly '";
    line += std::string(PolicyName(candidate.policy)) + "' (" +
            std::to_string(Percent(candidate.probability)) + " %)";
    const std::size_t count = std::min(most, candidate.support.size());
    for (std::size_t i = 0; i < count; ++i) {
      line += (i == 0 ? ": " : "; ") + candidate.support[i].text;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void AddCandidates(const CheckIndex& index, std::vector<Finding>& findings,
                   Diagnostics& diagnostics) {
  std::optional<PolicyPriors> priors;
  std::map<const ListIndex*, ClassifiedList> classified;
  for (Finding& finding : findings) {
    const Operator* op = index.Primary(finding.op);
    if (finding.rule != "unclassified-operator" || op == nullptr) continue;
    if (!priors) priors = ShippedPriors(diagnostics);
    const auto renamed = index.renames().find(op);
    const Operator* const old = renamed == index.renames().end() ? nullptr : renamed->second;
    for (const ListIndex& list : index.lists()) {
      if (list.label != finding.list) continue;
      auto known = classified.find(&list);
      if (known == classified.end()) {
        known = classified.emplace(&list, ClassifiedList(DecidedOperators(index, list))).first;
      }
      AddTo(finding, *op, list, known->second, *priors, FindFormer(index, list, old));
    }
  }
}

}  // namespace opledger

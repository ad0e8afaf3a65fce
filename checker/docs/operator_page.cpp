// Prints the facts first, then each list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/operator_page.h"

#include "checker/candidates/candidates.h"
#include "checker/candidates/operator_line.h"
#include "checker/candidates/rank.h"
#include "checker/terminal/terminal.h"
#include "registry/manifest/absence.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxSitesShown = 10;

std::string Label(const char* label) {
  std::string text = label;
  text.resize(12, ' ');
  return text;
}

std::string Header(const Operator& op) {
  std::string text = ShownPath(op.name) + " (operator)\n\n";
  std::size_t count = 0;
  for (const Site& site : op.sites) {
    if (++count > kMaxSitesShown) break;
    text += Label(count == 1 ? "registered" : "") + ShownPlace(site.location);
    if (!site.macro.empty()) text += ", by " + Printable(site.macro);
    if (!site.condition.text().empty()) text += ", if " + Printable(site.condition.text());
    text += '\n';
  }
  if (count > kMaxSitesShown) text += Label("") + "and elsewhere\n";
  const std::string aliases = Join(op.aliases, ", ", &Alias::name);
  if (!aliases.empty()) text += Label("aliases") + Printable(aliases) + '\n';
  const std::string line = DescribeOperator(op);
  if (!line.empty()) text += Label("takes") + Printable(line) + '\n';
  if (op.exempt == kUnreachable) {
    text += Label("exempt") + "it needs no policy: the code that registers it never runs\n";
  } else if (!op.exempt.empty()) {
    text += Label("exempt") + "it needs no policy: filter " + Printable(op.exempt) + '\n';
  }
  return text;
}

std::string EntryLine(const ListEntry& entry) {
  std::string text = std::string("'") + PolicyName(entry.policy) + "'";
  if (!entry.reason.empty()) text += ", " + entry.reason;
  if (!entry.note.empty()) text += ": " + entry.note;
  return Printable(text) + ", " + ShownPlace(entry.location);
}

std::string CandidateBlock(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const std::string& line : CandidateLines(candidates, 0)) {
    text += "  " + line + '\n';
    for (const Candidate& candidate : candidates) {
      if (line.find("'" + std::string(PolicyName(candidate.policy)) + "'") == std::string::npos) {
        continue;
      }
      for (const Support& support : candidate.support) {
        text += "    " + Printable(support.text) + '\n';
      }
    }
  }
  return text;
}

std::string WhyAbsent(const Operator& op, const ListIndex& list, const Manifest& manifest) {
  if (op.sites.empty()) return {};
  const std::string why = WhyNot(op.sites.front().condition, manifest, list.configuration);
  return why.empty() ? "" : ": " + Printable(why);
}

std::string ListBlock(const Operator& op, const CheckIndex& index, const ListIndex& list,
                      const PolicyPriors& priors) {
  const Manifest& manifest = index.manifest();
  std::string text = "\n" + Printable(list.label) + " (" + Printable(list.configuration) + "): ";
  const EntryUse* const use = list.Find(op.name);
  if (use != nullptr) {
    text += EntryLine(*use->entry) + '\n';
    text += "  without this entry:\n";
  } else if (!list.Exists(op)) {
    text += "not in this configuration" + WhyAbsent(op, list, manifest) + '\n';
  } else if (op.exempt.empty() && list.RunsOnlyElsewhere(op)) {
    return text + "needs no policy: it has no kernel for " + Printable(list.list->device) + '\n';
  } else if (op.exempt.empty() && list.IsUndecided(op)) {
    const FixedCast* const fixed = list.OtherType(op);
    return text +
           (fixed != nullptr ? "cast to " + fixed->dtype +
                                   " by the sources, whatever type "
                                   "autocast uses"
                             : "undecided: it is not known what its autocast rule casts to") +
           '\n';
  } else if (op.exempt.empty() && list.list->unlisted) {
    text += "no entry; the framework runs it under " +
            std::string(PolicyName(list.list->runs_unlisted.value_or(*list.list->unlisted))) + '\n';
  } else {
    text += "no policy\n";
  }
  const ClassifiedList classified(DecidedOperators(index, list));
  const bool ranks = !classified.operators().empty() && Sum(priors.operators) > 0;
  if (!ranks || (use == nullptr && (!list.Exists(op) || !op.exempt.empty()))) return text;
  int without = ClassifiedList::kNobody;
  for (std::size_t i = 0; i < classified.operators().size(); ++i) {
    if (classified.operators()[i].op == &op) without = static_cast<int>(i);
  }
  const std::vector<Feature> features = ReadFeatures(op);
  const Neighbours neighbours = FindNeighbours(op.name, features, classified, without);
  std::vector<Candidate> candidates = RankPolicies(
      ReadTerms(features, neighbours, classified, priors, without), classified, priors);
  Calibrate(list, classified.operators().size(), candidates);
  return text + CandidateBlock(candidates);
}

}  // namespace

std::string OperatorPage(const Operator& op, const CheckIndex& index, Diagnostics& diagnostics) {
  const PolicyPriors priors = ShippedPriors(diagnostics);
  std::string text = Header(op);
  for (const ListIndex& list : index.lists()) {
    text += ListBlock(op, index, list, priors);
  }
  return text;
}

}  // namespace opledger

// Computes the scores of policies.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/rank.h"

#include <algorithm>
#include <cmath>

#include "checker/candidates/support_text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxSimilar = 10;  // neighbors that are compared
constexpr double kAssumed = 2;           // operators of the list that a prior counts as
constexpr double kOwnVote = 0.5;         // weight of the whole list in the vote of the neighbors
constexpr double kSome = 0.25;  // minimum vote of the list; below it, priors are used alone
constexpr PolicyCounts kEvenShares = {0.2, 0.2, 0.2, 0.2, 0.2};
constexpr double kMinSupport = 0.05;  // minimum weight that is reported
constexpr std::size_t kPolicyCount = std::size(kPolicies);

// Returns the logarithms, shifted so that their mean is 0.
PolicyCounts Centred(PolicyCounts values) {
  double mean = 0;
  for (double& value : values) {
    value = std::log(value);
    mean += value / kPolicyCount;
  }
  for (double& value : values) value -= mean;
  return values;
}

// Returns how often a feature occurs among the operators of each policy: `counts` of `all`,
// smoothed by `kAssumed` operators distributed as `expected`. Returns `expected` if there are
// hardly any.
PolicyCounts Rates(const PolicyCounts& counts, const PolicyCounts& all,
                   const PolicyCounts& expected) {
  if (Sum(counts) < kSome) return expected;
  PolicyCounts rates;
  for (std::size_t i = 0; i < kPolicyCount; ++i) {
    rates[i] = (counts[i] + kAssumed * expected[i]) / (all[i] + kAssumed);
  }
  return rates;
}

// Returns the same rate for every policy.
PolicyCounts Evenly(const PolicyCounts& counts, const PolicyCounts& all) {
  PolicyCounts even;
  even.fill((Sum(counts) + 0.5) / (Sum(all) + 1));
  return even;
}

PolicyCounts Shares(const PolicyCounts& policies, const PolicyCounts& usual) {
  PolicyCounts shares;
  for (std::size_t i = 0; i < kPolicyCount; ++i) {
    shares[i] = (policies[i] + kAssumed * usual[i]) / (Sum(policies) + kAssumed);
  }
  return shares;
}

FeatureTerm AlikeTerm(const std::vector<Likeness>& most_similar, const ClassifiedList& list,
                      const PolicyCounts& shares) {
  FeatureTerm term = {{FeatureKind::kAlike, ""}, {}, {}, false, most_similar};
  PolicyCounts votes = {};
  for (const Likeness& each : most_similar) {
    const auto policy = static_cast<std::size_t>(list.operators()[each.index].policy);
    votes[policy] += each.similarity * each.similarity;
    ++term.counts[policy];
  }
  for (std::size_t i = 0; i < kPolicyCount; ++i) {
    term.logarithms[i] = (votes[i] + kOwnVote * shares[i]) / (Sum(votes) + kOwnVote);
  }
  term.logarithms = Centred(term.logarithms);
  return term;
}

FeatureTerm PlainTerm(const Feature& feature, const PolicyCounts& counts,
                      const PolicyCounts& policies, const PolicyPriors& priors) {
  FeatureTerm term = {feature, {}, counts, false, {}};
  PolicyCounts expected = Evenly(counts, policies);
  const auto prior = priors.features.find(feature);
  if (IsSharedFeature(feature.kind) && prior != priors.features.end()) {
    const PolicyCounts& elsewhere = prior->second;
    expected = Rates(elsewhere, priors.operators, Evenly(elsewhere, priors.operators));
    if (Sum(counts) < kSome) {
      term.counts = elsewhere;
      term.elsewhere = true;
    }
  }
  term.logarithms = Centred(Rates(counts, policies, expected));
  return term;
}

Support MakeSupport(const FeatureTerm& term, std::size_t policy, double weight,
                    const ClassifiedList& list) {
  Support support;
  support.feature = FeatureKindName(term.feature.kind);
  support.value = term.feature.value;
  support.agreeing = static_cast<int>(std::lround(term.counts[policy]));
  support.of = static_cast<int>(std::lround(Sum(term.counts)));
  support.elsewhere = term.elsewhere;
  support.weight = weight;
  support.text = SupportText(term, kPolicies[policy], support, list);
  return support;
}

}  // namespace

Neighbours FindNeighbours(const std::string& name, const std::vector<Feature>& features,
                          const ClassifiedList& list, int without) {
  return {list.NearestNeighbours(features, kMaxSimilar, without),
          list.NearestByName(name, features, without)};
}

std::vector<FeatureTerm> ReadTerms(const std::vector<Feature>& features,
                                   const Neighbours& neighbours, const ClassifiedList& list,
                                   const PolicyPriors& priors, int without) {
  const PolicyCounts policies = list.Policies(without);
  const PolicyCounts shares = Shares(policies, Shares(priors.operators, kEvenShares));
  std::vector<FeatureTerm> terms;
  terms.push_back({{FeatureKind::kShare, ""}, Centred(shares), policies, false, {}});
  terms.push_back(AlikeTerm(neighbours.most_similar, list, shares));
  // Priors only: finding the siblings of all operators of the list would take too long.
  const Likeness& nearest = neighbours.nearest;
  terms.push_back(PlainTerm(list.SiblingFeature(nearest), {}, policies, priors));
  if (nearest.index != ClassifiedList::kNobody) terms.back().alike.push_back(nearest);
  for (const Feature& feature : features) {
    terms.push_back(PlainTerm(feature, list.WithFeature(feature, without), policies, priors));
  }
  return terms;
}

std::vector<Candidate> RankPolicies(const std::vector<FeatureTerm>& terms,
                                    const ClassifiedList& list, const PolicyPriors& priors) {
  std::vector<Candidate> candidates;
  double all = 0;
  for (std::size_t policy = 0; policy < kPolicyCount; ++policy) {
    Candidate candidate;
    candidate.policy = kPolicies[policy];
    double score = 0;
    for (const FeatureTerm& term : terms) {
      const double weight =
          priors.weights[static_cast<std::size_t>(term.feature.kind)] * term.logarithms[policy];
      score += weight;
      const bool nobody = term.feature.kind == FeatureKind::kSibling && term.alike.empty();
      // An unknown number of inputs is not shown as evidence.
      const bool unknown = term.feature.kind == FeatureKind::kInputs && term.feature.value.empty();
      const bool told = weight > kMinSupport && term.counts[policy] >= 0.5 && !nobody && !unknown;
      if (told) candidate.support.push_back(MakeSupport(term, policy, weight, list));
    }
    std::stable_sort(candidate.support.begin(), candidate.support.end(),
                     [](const Support& a, const Support& b) { return a.weight > b.weight; });
    candidate.probability = std::exp(score);
    all += candidate.probability;
    candidates.push_back(std::move(candidate));
  }
  for (Candidate& candidate : candidates) candidate.probability /= all;
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.probability > b.probability; });
  return candidates;
}

}  // namespace opledger

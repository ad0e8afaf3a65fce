// Measures the accuracy of suggested policies: learns from the lists of all frameworks but one,
// predicts every operator of that one, and compares with the framework's decision.
//   suggestion_accuracy MANIFESTS LISTS [PRIORS]
// MANIFESTS contains DIALECT.json, LISTS is registry/lists. Prints JSON, and writes the priors
// learned from all lists to PRIORS. tests/checker/suggestions_test.py runs it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "checker/candidates/candidates.h"
#include "checker/candidates/rank.h"
#include "checker/index/index.h"
#include "registry/dialect/dialect.h"
#include "registry/files/files.h"
#include "registry/json/json_write.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPolicyCount = std::size(kPolicies);
constexpr double kSure = 0.9;
constexpr std::size_t kBins = 10;  // ranges of probability

struct TrainingList {
  std::string framework;
  std::string label;
  std::unique_ptr<Manifest> manifest;
  std::vector<PrecisionList> lists;
  std::unique_ptr<CheckIndex> index;
  std::unique_ptr<ClassifiedList> classified;
  std::vector<Neighbours> neighbours;  // for each operator, among the others
};

// One row of a regression: for each kind of feature, its sums for each policy.
struct Example {
  std::array<PolicyCounts, kFeatureKindCount> logarithms = {};
  std::size_t policy = 0;
};
using Examples = std::vector<Example>;

struct Score {
  int operators = 0;
  int first = 0;   // correct first candidate
  int second = 0;  // correct first or second candidate
  int sure = 0;    // predicted with at least probability kSure
  int sure_right = 0;
  // By probability of the first candidate: count, correct predictions, sum of probabilities.
  std::array<int, kBins> count = {};
  std::array<int, kBins> right = {};
  std::array<double, kBins> promised = {};
};

Example MakeExample(const std::vector<FeatureTerm>& terms, Policy policy) {
  Example example;
  example.policy = static_cast<std::size_t>(policy);
  for (const FeatureTerm& term : terms) {
    PolicyCounts& sums = example.logarithms[static_cast<std::size_t>(term.feature.kind)];
    for (std::size_t i = 0; i < kPolicyCount; ++i) sums[i] += term.logarithms[i];
  }
  return example;
}

// Adds each of a list's operators with weight `vote`, and its siblings.
void AddPriors(const TrainingList& training, double vote, PolicyPriors& priors) {
  const ClassifiedList& list = *training.classified;
  for (std::size_t i = 0; i < list.operators().size(); ++i) {
    const auto policy = static_cast<std::size_t>(list.operators()[i].policy);
    priors.operators[policy] += vote;
    for (const Feature& feature : list.features(static_cast<int>(i))) {
      if (IsSharedFeature(feature.kind)) priors.features[feature][policy] += vote;
    }
    priors.features[list.SiblingFeature(training.neighbours[i].nearest)][policy] += vote;
  }
}

// Learns from the lists of all frameworks but these, without weights.
PolicyPriors Learn(const std::vector<TrainingList>& lists, const std::set<std::string>& but) {
  std::map<std::string, int> count;
  for (const TrainingList& list : lists) ++count[list.framework];
  PolicyPriors priors;
  for (const TrainingList& list : lists) {
    if (!but.contains(list.framework)) AddPriors(list, 1.0 / count[list.framework], priors);
  }
  std::erase_if(priors.features, [](const auto& row) { return Sum(row.second) < kMinWithFeature; });
  return priors;
}

Examples MakeExamples(const TrainingList& training, const PolicyPriors& priors) {
  const ClassifiedList& list = *training.classified;
  Examples examples;
  for (std::size_t i = 0; i < list.operators().size(); ++i) {
    const auto index = static_cast<int>(i);
    const ClassifiedOperator& each = list.operators()[i];
    examples.push_back(MakeExample(
        ReadTerms(list.features(index), training.neighbours[i], list, priors, index), each.policy));
  }
  return examples;
}

// Adds the gradient of the log-likelihood of the decisions under these weights.
void AddGradient(const Examples& examples, const std::array<double, kFeatureKindCount>& weights,
                 std::array<double, kFeatureKindCount>& gradient) {
  for (const Example& example : examples) {
    PolicyCounts chances = {};
    for (std::size_t kind = 0; kind < kFeatureKindCount; ++kind) {
      for (std::size_t i = 0; i < kPolicyCount; ++i) {
        chances[i] += weights[kind] * example.logarithms[kind][i];
      }
    }
    for (double& chance : chances) chance = std::exp(chance);
    const double all = Sum(chances);
    for (std::size_t kind = 0; kind < kFeatureKindCount; ++kind) {
      const PolicyCounts& terms = example.logarithms[kind];
      double slope = terms[example.policy];
      for (std::size_t i = 0; i < kPolicyCount; ++i) slope -= terms[i] * chances[i] / all;
      gradient[kind] += slope / static_cast<double>(examples.size());
    }
  }
}

// Fits non-negative weights by logistic regression; every list counts the same.
std::array<double, kFeatureKindCount> Fit(const std::vector<Examples>& lists) {
  constexpr int kSteps = 250;
  constexpr double kStep = 0.15;
  constexpr double kShrink = 0.01;
  std::array<double, kFeatureKindCount> weights;
  weights.fill(0.3);
  for (int step = 0; step < kSteps; ++step) {
    std::array<double, kFeatureKindCount> gradient = {};
    for (const Examples& examples : lists) AddGradient(examples, weights, gradient);
    for (std::size_t kind = 0; kind < kFeatureKindCount; ++kind) {
      const double slope = gradient[kind] / static_cast<double>(lists.size());
      weights[kind] = std::max(0.0, weights[kind] + kStep * (slope - kShrink * weights[kind]));
    }
  }
  for (double& weight : weights) weight = std::round(weight * 100) / 100;
  return weights;
}

// Leaves `framework` out of everything; empty: leaves out none.
PolicyPriors LearnAll(const std::vector<TrainingList>& lists, const std::string& framework) {
  std::vector<Examples> examples;
  for (const TrainingList& list : lists) {
    if (list.framework == framework) continue;
    examples.push_back(MakeExamples(list, Learn(lists, {framework, list.framework})));
  }
  PolicyPriors priors = Learn(lists, {framework});
  priors.weights = Fit(examples);
  return priors;
}

void Add(const TrainingList& training, std::size_t decided, std::vector<Candidate> candidates,
         Policy policy, Score& score) {
  Calibrate(training.index->lists().front(), decided, candidates);
  ++score.operators;
  const bool right = candidates[0].policy == policy;
  if (right) ++score.first;
  if (right || candidates[1].policy == policy) ++score.second;
  const double probability = candidates[0].probability;
  const std::size_t bin = std::min(kBins - 1, static_cast<std::size_t>(probability * kBins));
  ++score.count[bin];
  score.right[bin] += right ? 1 : 0;
  score.promised[bin] += probability;
  if (probability < kSure) return;
  ++score.sure;
  if (right) ++score.sure_right;
}

// Predicts every operator from all others.
Score ScoreOneMissing(const TrainingList& training, const PolicyPriors& priors) {
  const ClassifiedList& list = *training.classified;
  Score score;
  for (std::size_t i = 0; i < list.operators().size(); ++i) {
    const auto index = static_cast<int>(i);
    const ClassifiedOperator& each = list.operators()[i];
    const auto terms = ReadTerms(list.features(index), training.neighbours[i], list, priors, index);
    Add(training, list.operators().size(), RankPolicies(terms, list, priors), each.policy, score);
  }
  return score;
}

// Predicts the operators of one part from the other; known[i] says whether the i-th is in the known
// part.
void ScoreByOthers(const TrainingList& training, const std::vector<bool>& known,
                   const PolicyPriors& priors, Score& score) {
  const ClassifiedList& list = *training.classified;
  std::vector<ClassifiedOperator> operators;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i]) operators.push_back(list.operators()[i]);
  }
  const ClassifiedList others(std::move(operators));
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i]) continue;
    const ClassifiedOperator& each = list.operators()[i];
    const std::vector<Feature>& features = list.features(static_cast<int>(i));
    const Neighbours neighbours =
        FindNeighbours(each.op->name, features, others, ClassifiedList::kNobody);
    const auto terms = ReadTerms(features, neighbours, others, priors, ClassifiedList::kNobody);
    Add(training, others.operators().size(), RankPolicies(terms, others, priors), each.policy,
        score);
  }
}

Score ScoreHalfMissing(const TrainingList& training, const PolicyPriors& priors) {
  const ClassifiedList& list = *training.classified;
  Score score;
  std::vector<bool> known;  // about half, by a hash of the name
  for (const ClassifiedOperator& each : list.operators()) {
    unsigned hash = 2166136261U;
    for (const char c : each.op->name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    known.push_back((hash >> 16U) % 2 == 0);
  }
  ScoreByOthers(training, known, priors, score);
  known.flip();
  ScoreByOthers(training, known, priors, score);
  return score;
}

Score ScoreAllMissing(const TrainingList& training, const PolicyPriors& priors) {
  Score score;
  const std::size_t count = training.classified->operators().size();
  ScoreByOthers(training, std::vector<bool>(count, false), priors, score);
  return score;
}

// Predicts every third operator, listed or not, from all others, for a framework that runs unlisted
// operators under one policy, so that its list decides about each.
Score ScoreUnlisted(const TrainingList& training, const PolicyPriors& priors) {
  const CheckIndex& index = *training.index;
  const ClassifiedList list(DecidedOperators(index, index.lists().front()));
  Score score;
  for (std::size_t i = 0; i < list.operators().size(); i += 3) {
    const auto one = static_cast<int>(i);
    const ClassifiedOperator& each = list.operators()[i];
    const Neighbours neighbours = FindNeighbours(each.op->name, list.features(one), list, one);
    Add(training, list.operators().size(),
        RankPolicies(ReadTerms(list.features(one), neighbours, list, priors, one), list, priors),
        each.policy, score);
  }
  return score;
}

bool ReadLists(const fs::path& manifests, const fs::path& folder, std::vector<TrainingList>& lists,
               Diagnostics& diagnostics) {
  std::set<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") paths.insert(entry.path());
  }
  for (const fs::path& path : paths) {
    const std::string framework = path.parent_path().filename();
    if (!fs::exists(manifests / (framework + ".json")))
      continue;  // opledger's own list, of no framework
    TrainingList& list = lists.emplace_back();
    list.framework = framework;
    auto manifest = ReadManifest(DiskSource(), manifests / (list.framework + ".json"), diagnostics);
    auto read = ReadPrecisionList(DiskSource(folder), path, diagnostics);
    if (!manifest || !read) return false;
    list.manifest = std::make_unique<Manifest>(std::move(*manifest));
    list.lists.push_back(std::move(*read));
    if (const auto dialect = FindDialect(DiskSource(), framework, Reach::kAnywhere, diagnostics)) {
      list.lists.front().unlisted = ParsePolicy(dialect->unlisted_default);
    }
    list.index = std::make_unique<CheckIndex>(CheckInput{*list.manifest, list.lists, "union"});
    list.label = list.lists.front().Label();
    list.classified =
        std::make_unique<ClassifiedList>(ClassifiedOperators(list.index->lists().front()));
    const std::vector<ClassifiedOperator>& operators = list.classified->operators();
    for (int i = 0; i < static_cast<int>(operators.size()); ++i) {
      list.neighbours.push_back(
          FindNeighbours(operators[i].op->name, list.classified->features(i), *list.classified, i));
    }
  }
  return true;
}

void WriteScore(const char* name, const Score& score, JsonWriter& json) {
  json.BeginCompactObject(name);
  json.Field("first", score.first);
  json.Field("second", score.second);
  json.Field("sure", score.sure);
  json.Field("sure_right", score.sure_right);
  json.CompactArray("count", score.count);
  json.CompactArray("right", score.right);
  json.CompactArray("promised", score.promised);
  json.EndObject();
}

std::string Measure(const std::vector<TrainingList>& lists) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginArray();
  std::map<std::string, PolicyPriors> without;
  for (const TrainingList& list : lists) {
    const auto found = without.find(list.framework);
    const PolicyPriors& priors =
        found != without.end()
            ? found->second
            : without.emplace(list.framework, LearnAll(lists, list.framework)).first->second;
    const PolicyCounts policies = list.classified->Policies(ClassifiedList::kNobody);
    json.BeginObject();
    json.Field("framework", list.framework);
    json.Field("list", list.label);
    json.Field("operators", static_cast<std::int64_t>(list.classified->operators().size()));
    json.Field("majority",
               static_cast<std::int64_t>(*std::max_element(policies.begin(), policies.end())));
    WriteScore("one_missing", ScoreOneMissing(list, priors), json);
    WriteScore("half_missing", ScoreHalfMissing(list, priors), json);
    WriteScore("all_missing", ScoreAllMissing(list, priors), json);
    if (list.lists.front().unlisted) WriteScore("unlisted", ScoreUnlisted(list, priors), json);
    json.EndObject();
  }
  json.EndArray();
  return text + '\n';
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return 2;
  Diagnostics diagnostics;
  std::vector<TrainingList> lists;
  bool ok = ReadLists(arguments[0], arguments[1], lists, diagnostics);
  if (ok) {
    std::fputs(Measure(lists).c_str(), stdout);
    ok = arguments.size() < 3 ||
         WriteFile(arguments[2], WritePolicyPriors(LearnAll(lists, "")), diagnostics);
  }
  for (const Diagnostic& each : diagnostics.all()) {
    std::fprintf(stderr, "%s: %s\n", each.location.path.text().c_str(), each.message.c_str());
  }
  return ok ? 0 : 2;
}

}  // namespace
}  // namespace opledger

int main(int argc, char** argv) {
  return opledger::Main(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}

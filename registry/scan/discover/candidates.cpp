// Groups uses, decides which argument is the name, and rates how likely it is that a group
// registers operators: by the number of names and by the words of its own name.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/discover/candidates.h"

#include <algorithm>
#include <set>

#include "registry/scan/outline/registration_words.h"

namespace opledger::scan {
namespace {

constexpr double kInside = 0.3;  // weight of candidates that are only used inside functions

// Forms that are mostly used for registries weigh more than forms that are used for everything.
double WeightOf(NamedForm form) {
  switch (form) {
    case NamedForm::kMacro:
    case NamedForm::kMethod:
      return 1;
    case NamedForm::kCMakeCall:
    case NamedForm::kVariable:
    case NamedForm::kFunction:
    case NamedForm::kTableGen:
      return 0.7;
    case NamedForm::kDecorator:
    case NamedForm::kYamlKey:
      return 0.5;
    case NamedForm::kPythonCall:
    case NamedForm::kTable:
      return 0.3;
  }
  return 1;
}

}  // namespace

const char* KindOf(NamedForm form) {
  switch (form) {
    case NamedForm::kMacro:
      return "macro";
    case NamedForm::kVariable:
      return "class";
    case NamedForm::kFunction:
      return "function";
    case NamedForm::kMethod:
      return "method";
    case NamedForm::kTable:
      return "table";
    case NamedForm::kDecorator:
      return "decorator";
    case NamedForm::kPythonCall:
      return "Python function";
    case NamedForm::kYamlKey:
      return "YAML key";
    case NamedForm::kCMakeCall:
      return "CMake command";
    case NamedForm::kTableGen:
      return "TableGen class";
  }
  return "";
}

namespace {

Location PlaceAt(const std::string& path, const LineIndex& lines, std::size_t offset,
                 std::size_t size) {
  const auto [line, column] = lines.At(offset);
  return {path, line, column, line, column + static_cast<int>(size)};
}

}  // namespace

void CandidateTable::Add(const std::string& path, const LineIndex& lines, const FileUses& found) {
  for (const NamedUse& use : found.uses) {
    Group& group = groups_[{use.form, use.name, use.module}];
    ++group.uses;
    group.inside += use.inside ? 1 : 0;
    ++group.files[path];
    group.schema = group.schema || use.schema;
    for (std::size_t i = 0; i < NamedUse::kArguments; ++i) {
      std::string name = use.arguments[i];
      if (name.empty()) continue;
      ++group.named[i];
      if (name[0] == '"') {
        name.erase(0, 1);
        ++group.quoted[i];
      }
      group.values[i].emplace(std::move(name), PlaceAt(path, lines, use.offset, use.name.size()));
    }
  }
  for (const FoundDefinition& definition : found.definitions) {
    definitions_.emplace(definition.name,
                         PlaceAt(path, lines, definition.offset, definition.name.size()));
  }
}

// Returns the argument with the most distinct names that is almost always a name. Prefers a string
// if two are similar.
std::size_t CandidateTable::NameArgument(const Group& group) {
  std::size_t best = 0;
  const auto worth = [&](std::size_t i) {
    const double share = static_cast<double>(group.named[i]) / static_cast<double>(group.uses);
    const double quoted = group.quoted[i] * 2 > group.uses ? 1.3 : 1;
    return static_cast<double>(group.values[i].size()) * quoted * share * share;
  };
  for (std::size_t i = 1; i < NamedUse::kArguments; ++i) {
    if (worth(i) > worth(best) * 1.25) best = i;
  }
  return best;
}

// Definitions in Python have qualified names.
std::optional<Location> CandidateTable::DefinitionOf(const Candidate& candidate) const {
  const bool python =
      candidate.form == NamedForm::kDecorator || candidate.form == NamedForm::kPythonCall;
  const std::string name = python ? candidate.module + '.' + candidate.name : candidate.name;
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? std::nullopt : std::optional(found->second);
}

// Returns the names without the first and last word that most of them share, in lower case, as they
// may appear elsewhere: "OpType_ArgMax" -> "argmax".
std::set<std::string> PlainNames(const Candidate& candidate) {
  std::map<std::string, std::size_t> beginnings;
  std::map<std::string, std::size_t> ends;
  for (const auto& [name, place] : candidate.values) {
    const std::vector<std::string> words = WordsOf(name);
    if (words.size() < 2) continue;
    ++beginnings[words.front()];
    ++ends[words.back()];
  }
  const auto frequent = [&](const std::map<std::string, std::size_t>& counts) {
    for (const auto& [word, count] : counts) {
      if (count * 10 >= candidate.values.size() * 8) return word;
    }
    return std::string();
  };
  const std::string begin = frequent(beginnings);
  const std::string end = frequent(ends);
  std::set<std::string> plain;
  for (const auto& [name, place] : candidate.values) {
    std::string text;
    const std::vector<std::string> words = WordsOf(name.substr(name.rfind(':') + 1));
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool common =
          (i == 0 && words[i] == begin) || (i + 1 == words.size() && words[i] == end);
      if (!common || words.size() == 1) text += words[i];
    }
    plain.insert(std::move(text));
  }
  return plain;
}

// Names of operators occur in several places: kernels, shapes, converters. Weighs each candidate by
// the share of its names that another candidate has, too.
void WeighByVocabulary(std::vector<Candidate>& candidates) {
  std::vector<std::set<std::string>> names;
  std::map<std::string, int> known;
  for (const Candidate& candidate : candidates) {
    names.push_back(PlainNames(candidate));
    for (const std::string& name : names.back()) ++known[name];
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto shared = std::count_if(names[i].begin(), names[i].end(),
                                      [&](const std::string& name) { return known[name] > 1; });
    candidates[i].score *= 0.5 + static_cast<double>(shared) /
                                     static_cast<double>(std::max<std::size_t>(names[i].size(), 1));
  }
}

// Folders of tools and converters seldom hold the registry itself.
double WeightOfFolders(const Candidate& candidate) {
  static constexpr std::string_view kBeside[] = {"tools",     "tool",       "scripts", "script",
                                                 "converter", "converters", "convert", "codegen",
                                                 "ci",        "conformance"};
  int beside = 0;
  int all = 0;
  for (const auto& [path, uses] : candidate.files) {
    all += uses;
    for (const std::string_view name : kBeside) {
      const std::string inner = '/' + path;
      if (inner.find('/' + std::string(name) + '/') == std::string::npos) continue;
      beside += uses;
      break;
    }
  }
  return beside * 2 > all ? 0.1 : 1;
}

std::vector<Candidate> CandidateTable::Take(std::size_t fewest) {
  std::vector<Candidate> candidates;
  for (auto& [key, group] : groups_) {
    const std::size_t argument = NameArgument(group);
    if (group.values[argument].size() < fewest) continue;
    Candidate candidate;
    candidate.form = std::get<0>(key);
    candidate.name = std::get<1>(key);
    candidate.module = std::get<2>(key);
    candidate.argument = argument;
    candidate.quoted = group.quoted[argument] * 2 > group.uses;
    candidate.schema = group.schema;
    candidate.values = std::move(group.values[argument]);
    candidate.scoped =
        std::any_of(candidate.values.begin(), candidate.values.end(),
                    [](const auto& value) { return value.first.find("::") != std::string::npos; });
    candidate.inside = group.inside == group.uses;
    candidate.weight = RegistrationWeight(candidate.name);
    candidate.files = std::move(group.files);
    candidate.definition = DefinitionOf(candidate);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void Rank(std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) {
    const bool of_module = candidate.form == NamedForm::kMethod && !candidate.module.empty();
    // Functions call many things with such names: options, metrics.
    candidate.score = static_cast<double>(candidate.values.size()) * WeightOf(candidate.form) *
                      candidate.weight * (candidate.inside ? kInside : 1) *
                      (of_module ? std::min(RegistrationWeight(candidate.module), 2.0) : 1) *
                      WeightOfFolders(candidate);
  }
  WeighByVocabulary(candidates);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
}

}  // namespace opledger::scan

// Which uses belong together, which of their arguments is the name, and how likely it is that they
// register: by how many names they are given and by what their own name says.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/discover/candidates.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace opledger::scan {
namespace {

constexpr std::size_t kFewest = 3;     // names, for a candidate
constexpr std::size_t kLongest = 120;  // characters of a name

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_' || c == '.' || c == ':' || c == '/' || c == '-';
}

// "REGISTER_OpKernel" -> {"register", "op", "kernel"}
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '_';
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool before_lower = (before >= 'a' && before <= 'z') || IsDigit(before);
    if (!IsLetter(c) && !IsDigit(c)) {
      words.emplace_back();
    } else {
      if (upper && before_lower) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    before = c;
  }
  std::erase(words, std::string());
  return words;
}

struct WordWeight {
  std::string_view word;  // a whole one, or with '*' the beginning of one
  double weight;
};

// What the name of a macro, function, class or key says of what it is for.
constexpr WordWeight kWeights[] = {{"regist*", 4},
                                   {"reg", 3},
                                   {"op", 3},
                                   {"ops", 2},
                                   {"operator*", 3},
                                   {"layer*", 3},
                                   {"kernel*", 2},
                                   {"library", 3},
                                   {"plugin*", 2},
                                   {"creator", 2},
                                   {"func", 2},
                                   {"def", 2},
                                   {"export*", 2},
                                   {"ffi", 2},
                                   {"custom", 1.5},
                                   {"impl", 1.5},
                                   {"module", 1.2},
                                   {"handler", 1.5},
                                   {"primitive", 2},
                                   {"test*", 0.02},
                                   {"typed", 1.2},
                                   {"bench*", 0.02},
                                   {"expect*", 0.01},
                                   {"assert*", 0.01},
                                   {"check*", 0.05},
                                   {"case", 0.1},
                                   {"flag*", 0.02},
                                   {"log*", 0.02},
                                   {"param*", 0.1},
                                   {"option*", 0.1},
                                   {"include", 0.1},
                                   {"disallow", 0.01},
                                   {"copy", 0.1},
                                   {"instantiate", 0.3},
                                   {"declare", 0.6},
                                   {"fixture", 0.02},
                                   {"suite", 0.02},
                                   {"error*", 0.1},
                                   {"trace", 0.1},
                                   {"pattern", 0.3},
                                   {"pass", 0.1},
                                   {"rewriter", 0.2},
                                   {"fake", 0.1},
                                   {"annotator", 0.2},
                                   {"converter*", 0.3},
                                   {"visitor", 0.2},
                                   {"grad*", 0.5},
                                   {"solver", 0.3},
                                   {"shape*", 0.5},
                                   {"cublas", 0.1},
                                   {"enum", 0.2},
                                   {"type", 0.3},
                                   {"types", 0.2},
                                   {"name", 0.5},
                                   {"id", 0.2},
                                   {"uses", 0.02},
                                   {"run", 0.05},
                                   {"config*", 0.1},
                                   {"logger", 0.02},
                                   {"backend", 0.3},
                                   {"device*", 0.3},
                                   {"attr*", 0.3},
                                   {"node", 0.6},
                                   {"object", 0.4},
                                   {"info", 0.3},
                                   {"env*", 0.05},
                                   {"dim*", 0.1},
                                   {"version", 0.1},
                                   {"property", 0.02},
                                   {"setter", 0.01},
                                   {"staticmethod", 0.01},
                                   {"classmethod", 0.01},
                                   {"abstractmethod", 0.01},
                                   {"dataclass", 0.01},
                                   {"wraps", 0.02},
                                   {"overload", 0.02},
                                   {"pytest", 0.01},
                                   {"mark", 0.02},
                                   {"parametrize", 0.01},
                                   {"jit", 0.3},
                                   {"cache*", 0.05},
                                   {"contextmanager", 0.01},
                                   {"skip*", 0.02},
                                   {"warn*", 0.02},
                                   {"deprecated", 0.02},
                                   {"import", 0.02},
                                   {"print", 0.01}};

bool Fits(std::string_view word, std::string_view pattern) {
  if (!pattern.ends_with('*')) return word == pattern;
  return word.starts_with(pattern.substr(0, pattern.size() - 1));
}

double WeightOf(std::string_view name) {
  double weight = 1;
  for (const std::string& word : WordsOf(name)) {
    for (const WordWeight& each : kWeights) {
      if (Fits(word, each.word)) weight *= each.weight;
    }
  }
  return weight;
}

// What is written for registries alone weighs more than what everything is written with.
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

std::string NameIn(std::string_view text) {
  text = text.substr(0, text.find('('));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.size() > kLongest) return {};
  const bool starts =
      IsLetter(text.front()) || text.front() == '_' || (IsDigit(text.front()) && text.size() > 2);
  const bool named = starts && std::all_of(text.begin(), text.end(), IsNameCharacter) &&
                     std::any_of(text.begin(), text.end(), IsLetter);
  return named ? std::string(text) : std::string();
}

namespace {

Location PlaceAt(const std::string& path, const LineIndex& lines, std::size_t offset,
                 std::size_t size) {
  const auto [line, column] = lines.At(offset);
  return {path, line, column, line, column + static_cast<int>(size)};
}

}  // namespace

void CandidateTable::Add(const std::string& path, const LineIndex& lines, const FileUses& found) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
  for (const NamedUse& use : found.uses) {
    Group& group = groups_[{use.form, use.name, use.module}];
    ++group.uses;
    ++group.files[path];
    ++group.folders[folder];
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

// The first argument that has most different names and nearly always is one; a string where two
// are alike.
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

// In Python definitions have qualified names.
std::optional<Location> CandidateTable::DefinitionOf(const Candidate& candidate) const {
  const bool python =
      candidate.form == NamedForm::kDecorator || candidate.form == NamedForm::kPythonCall;
  const std::string name = python ? candidate.module + '.' + candidate.name : candidate.name;
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? std::nullopt : std::optional(found->second);
}

// The names without what all of them begin and end with, as one spells them elsewhere:
// "OpType_ArgMax" -> "argmax".
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

// Names of operators occur in several places: kernels, shapes, converters. The share of a
// candidate's names that some other one has too.
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

// What lies in folders of tools and converters is seldom the registry itself.
double WeightOfFolders(const Candidate& candidate) {
  static constexpr std::string_view kBeside[] = {"tools",     "tool",       "scripts", "script",
                                                 "converter", "converters", "convert", "codegen",
                                                 "ci",        "conformance"};
  int beside = 0;
  int all = 0;
  for (const auto& [folder, uses] : candidate.folders) {
    all += uses;
    for (const std::string_view name : kBeside) {
      const std::string inner = '/' + folder + '/';
      if (inner.find('/' + std::string(name) + '/') == std::string::npos) continue;
      beside += uses;
      break;
    }
  }
  return beside * 2 > all ? 0.1 : 1;
}

std::vector<Candidate> CandidateTable::Take() {
  std::vector<Candidate> candidates;
  for (auto& [key, group] : groups_) {
    const std::size_t argument = NameArgument(group);
    if (group.values[argument].size() < kFewest) continue;
    Candidate candidate;
    candidate.form = std::get<0>(key);
    candidate.name = std::get<1>(key);
    candidate.module = std::get<2>(key);
    candidate.argument = argument;
    candidate.quoted = group.quoted[argument] * 2 > group.uses;
    candidate.schema = group.schema;
    candidate.uses = group.uses;
    candidate.values = std::move(group.values[argument]);
    candidate.scoped =
        std::any_of(candidate.values.begin(), candidate.values.end(),
                    [](const auto& value) { return value.first.find("::") != std::string::npos; });
    candidate.says_registers = WeightOf(candidate.name) >= 2;
    candidate.folders = std::move(group.folders);
    candidate.files = std::move(group.files);
    candidate.definition = DefinitionOf(candidate);
    candidate.score = static_cast<double>(candidate.values.size()) * WeightOf(candidate.form) *
                      WeightOf(candidate.name) *
                      (candidate.module.empty() || candidate.form != NamedForm::kMethod
                           ? 1
                           : std::min(WeightOf(candidate.module), 2.0)) *
                      WeightOfFolders(candidate);
    candidates.push_back(std::move(candidate));
  }
  WeighByVocabulary(candidates);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return candidates;
}

}  // namespace opledger::scan

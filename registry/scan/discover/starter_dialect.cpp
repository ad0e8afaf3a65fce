// Chooses the candidates that a dialect should read, and writes that dialect for the user to edit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "registry/json/json_write.h"
#include "registry/scan/discover/candidates.h"
#include "registry/scan/discover/discover.h"
#include "registry/scan/outline/registration_words.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMostSinks = 12;
constexpr double kLeastScore = 6;     // of the most likely candidate, for a dialect to be suggested
constexpr double kLeastShare = 0.4;   // of the score of the most likely candidate
constexpr double kLeastCommon = 0.3;  // share of names that chosen candidates have, too
constexpr std::size_t kExamples = 3;
// Least number of names from which a candidate is shown: for tables, for names that indicate
// registration, and for any name.
constexpr std::size_t kLargeTable = 30;
constexpr std::size_t kSeveral = 10;
constexpr std::size_t kMany = 100;
constexpr double kUnrelated = 0.1;  // weight of a name that indicates something else

// Returns the share of the candidate's names that are known.
double ShareKnown(const Candidate& candidate, const std::set<std::string>& known) {
  const auto count = std::count_if(candidate.values.begin(), candidate.values.end(),
                                   [&](const auto& value) { return known.contains(value.first); });
  return static_cast<double>(count) / static_cast<double>(candidate.values.size());
}

// Returns whether a dialect can read the candidate. A table alone has too little information, and
// functions call `Register` for options and metrics as often as for operators.
bool CanBeRead(const Candidate& candidate) {
  if (candidate.form == NamedForm::kTable) return false;
  if (candidate.form == NamedForm::kFunction && candidate.inside) return false;
  const bool python =
      candidate.form == NamedForm::kDecorator || candidate.form == NamedForm::kPythonCall;
  return !python || !candidate.module.empty();
}

// Returns globs for the top-level folders that hold all uses.
std::set<std::string> SourcesOf(const std::vector<Candidate>& candidates,
                                const std::vector<std::size_t>& chosen) {
  std::set<std::string> globs;
  for (const std::size_t i : chosen) {
    for (const auto& [path, uses] : candidates[i].files) {
      const std::size_t slash = path.find('/');
      globs.insert(slash == std::string::npos ? "*" : path.substr(0, slash) + "/**");
    }
  }
  return globs;
}

std::string EscapedPattern(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '.' || c == '+') text += '\\';
    text += c;
  }
  return text;
}

std::string Comment(const Candidate& candidate) {
  std::string text = std::to_string(candidate.values.size()) + " names, such as ";
  std::size_t count = 0;
  for (const auto& [name, place] : candidate.values) {
    if (count++ == kExamples) break;
    text += (count > 1 ? ", " : "") + name;
  }
  return text;
}

class DialectText {
 public:
  DialectText(const std::vector<Candidate>& candidates, const std::vector<std::size_t>& chosen)
      : candidates_(candidates), chosen_(chosen), json_(text_, 2) {}

  std::string Write(const std::string& name) {
    json_.BeginObject();
    json_.Field("name", name);
    json_.Field("$comment",
                "written by opledger init from code that looks like registration; "
                "compare it with names from another source: opledger scan --verify");
    json_.CompactArray("sources", SourcesOf(candidates_, chosen_));
    json_.CompactArray(
        "exclude",
        std::vector<std::string>{"**/test/**", "**/tests/**", "**/third_party/**", "**/3rdparty/**",
                                 "**/build/**", "**/example/**", "**/examples/**"});
    Sinks();
    Methods();
    Data();
    Python();
    Suspicious();
    json_.EndObject();
    return text_ + '\n';
  }

 private:
  bool Any(bool (*is)(NamedForm)) const {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](std::size_t i) { return is(candidates_[i].form); });
  }
  template <typename Write>
  void Each(const Write& write) {
    for (const std::size_t i : chosen_) write(candidates_[i]);
  }

  void Sinks() {
    json_.BeginArray("sinks");
    std::set<std::string> modules;
    Each([&](const Candidate& candidate) {
      switch (candidate.form) {
        case NamedForm::kMacro:
        case NamedForm::kVariable:
        case NamedForm::kFunction:
          Sink(candidate);
          break;
        case NamedForm::kMethod:
          Module(candidate, modules);
          break;
        default:
          break;
      }
    });
    json_.EndArray();
  }

  void Sink(const Candidate& candidate) {
    json_.BeginCompactObject();
    json_.Field("macro", candidate.name);
    json_.Field("parameters", -1);
    if (candidate.argument > 0) json_.Field("name", static_cast<int>(candidate.argument));
    if (candidate.quoted) {
      json_.Field("form", candidate.schema ? "schema" : "string");
    } else if (candidate.scoped) {
      json_.Field("form", "type");
    }
    if (candidate.form != NamedForm::kMacro) json_.Field("call", true);
    if (candidate.form == NamedForm::kVariable) json_.Field("variable", true);
    json_.Field("$comment", Comment(candidate));
    json_.EndObject();
  }

  // A method of an object that a macro provides: the macro opens a block.
  void Module(const Candidate& candidate, std::set<std::string>& modules) {
    if (candidate.module.empty()) {
      json_.BeginCompactObject();
      json_.Field("macro", candidate.name);
      json_.Field("call", true);
      json_.Field("parameters", -1);
      json_.Field("form", candidate.schema ? "schema" : "string");
      json_.Field("$comment", Comment(candidate));
      json_.EndObject();
    } else if (modules.insert(candidate.module).second) {
      json_.BeginCompactObject();
      json_.Field("macro", candidate.module);
      json_.Field("parameters", 2);
      json_.BeginCompactObject("scope");
      json_.Field("namespace", 0);
      json_.Field("receiver", 1);
      json_.EndObject();
      json_.Field("$comment", Comment(candidate));
      json_.EndObject();
    }
  }

  void Methods() {
    std::map<std::string, bool> methods;  // method -> whether it receives schemas
    Each([&](const Candidate& candidate) {
      if (candidate.form == NamedForm::kMethod && !candidate.module.empty()) {
        methods[candidate.name] = methods[candidate.name] || candidate.schema;
      }
    });
    if (methods.empty()) return;
    json_.BeginArray("scope_methods");
    for (const auto& [method, schema] : methods) {
      json_.BeginCompactObject();
      json_.Field("method", method);
      if (!schema) json_.Field("form", "string");
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Data() {
    if (!Any([](NamedForm form) {
          return form == NamedForm::kYamlKey || form == NamedForm::kCMakeCall ||
                 form == NamedForm::kTableGen;
        })) {
      return;
    }
    json_.BeginArray("data");
    Each([&](const Candidate& candidate) {
      for (const auto& [file, uses] : candidate.files) DataFile(candidate, file);
    });
    json_.EndArray();
  }

  void DataFile(const Candidate& candidate, const std::string& file) {
    const std::string name = EscapedPattern(candidate.name);
    std::string pattern;
    if (candidate.form == NamedForm::kCMakeCall) {
      pattern = "^[ \t]*" + name + "[ \t]*\\([ \t]*([A-Za-z_][A-Za-z0-9_]*)";
    } else if (candidate.form == NamedForm::kTableGen) {
      pattern = candidate.quoted
                    ? "^def [^:]*:[ \t]*" + name + "<[^\"\n]*\"([^\"\n]+)\""
                    : "^def ([A-Za-z_][A-Za-z0-9_]*)[ \t]*:[ \t]*" + name + "([^A-Za-z0-9_]|$)";
    } else if (candidate.form != NamedForm::kYamlKey) {
      return;
    }
    json_.BeginCompactObject();
    json_.Field("path", file);
    if (pattern.empty()) {
      json_.Field("name", candidate.name);
    } else {
      json_.Field("pattern", pattern);
      json_.Field("comment", candidate.form == NamedForm::kCMakeCall ? "#" : "//");
    }
    json_.EndObject();
  }

  void Python() {
    if (!Any([](NamedForm form) {
          return form == NamedForm::kDecorator || form == NamedForm::kPythonCall;
        })) {
      return;
    }
    json_.BeginObject("python");
    json_.BeginArray("sinks");
    Each([&](const Candidate& candidate) {
      if (candidate.form != NamedForm::kDecorator && candidate.form != NamedForm::kPythonCall) {
        return;
      }
      json_.BeginCompactObject();
      json_.Field("function", candidate.module + '.' + candidate.name);
      if (candidate.quoted) {
        json_.BeginCompactArray("name");
        json_.Integer(0);
        json_.String("name");
        json_.EndArray();
      }
      json_.Field("$comment", Comment(candidate));
      json_.EndObject();
    });
    json_.EndArray();
    json_.EndObject();
  }

  // Writes the longest prefix that the names of the macros share as the suspicious word.
  void Suspicious() {
    std::string common;
    Each([&](const Candidate& candidate) {
      if (candidate.form != NamedForm::kMacro) return;
      if (common.empty()) {
        common = candidate.name;
        return;
      }
      std::size_t same = 0;
      while (same < common.size() && same < candidate.name.size() &&
             common[same] == candidate.name[same]) {
        ++same;
      }
      if (same >= 4) common.resize(same);
    });
    if (common.size() < 4) return;
    while (common.ends_with('_')) common.pop_back();
    if (!NamesRegistration(common)) return;  // "CAFFE": a prefix of all macros of the project
    json_.BeginCompactObject("suspicious");
    json_.Field("containing", common);
    json_.EndObject();
  }

  const std::vector<Candidate>& candidates_;
  const std::vector<std::size_t>& chosen_;
  std::string text_;
  JsonWriter json_;
};

void WritePlace(JsonWriter& json, const Location& place) {
  json.Field("path", std::string(place.path));
  json.Field("line", place.line);
}

// Returns whether the candidate should be shown, even if no dialect can read it.
bool IsLikely(const Candidate& candidate) {
  if (candidate.form == NamedForm::kTable) return candidate.values.size() >= kLargeTable;
  const bool many = candidate.values.size() >= kMany && candidate.weight > kUnrelated;
  if (many || (candidate.values.size() >= kSeveral && NamesRegistration(candidate.name)))
    return true;
  return (candidate.weight >= kRegisters) && candidate.score >= kLeastScore;
}

void WriteCandidate(JsonWriter& json, const Candidate& candidate, bool is_chosen) {
  json.BeginObject();
  json.Field("kind", KindOf(candidate.form));
  json.Field("name", candidate.name);
  json.Field("module", candidate.module);
  json.Field("likely", IsLikely(candidate));
  json.Field("chosen", is_chosen);
  json.BeginArray("names");
  for (const auto& [value, place] : candidate.values) {
    json.BeginObject();
    json.Field("name", value);
    WritePlace(json, place);
    json.EndObject();
  }
  json.EndArray();
  if (candidate.definition) {
    json.BeginObject("definition");
    WritePlace(json, *candidate.definition);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

std::vector<std::size_t> LikelyCandidates(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> chosen;
  std::set<std::string> known;
  double best = 0;
  for (std::size_t i = 0; i < candidates.size() && chosen.size() < kMostSinks; ++i) {
    const Candidate& candidate = candidates[i];
    if (!CanBeRead(candidate) || candidate.score < kLeastScore) continue;
    const double share = ShareKnown(candidate, known);
    const bool adds = share < 1;
    const bool likely = share >= kLeastCommon ||
                        ((candidate.weight >= kRegisters) && candidate.score >= best * kLeastShare);
    if (!likely || !adds) continue;
    if (chosen.empty()) best = candidate.score;
    chosen.push_back(i);
    for (const auto& [name, place] : candidate.values) known.insert(name);
  }
  return chosen;
}

std::string StarterDialect(const std::string& name, const std::vector<Candidate>& candidates,
                           const std::vector<std::size_t>& chosen) {
  return DialectText(candidates, chosen).Write(name);
}

std::string DiscoveryJson(const std::string& name, const std::vector<Candidate>& candidates) {
  constexpr std::size_t kShown = 40;
  const std::vector<std::size_t> chosen = LikelyCandidates(candidates);
  std::string text;
  JsonWriter json(text);
  json.BeginObject();
  json.BeginArray("candidates");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_chosen = std::find(chosen.begin(), chosen.end(), i) != chosen.end();
    if (i < kShown || is_chosen) WriteCandidate(json, candidates[i], is_chosen);
  }
  json.EndArray();
  json.Field("dialect", chosen.empty() ? std::string() : StarterDialect(name, candidates, chosen));
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger::scan

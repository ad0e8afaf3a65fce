// Parses an unfinished command line and completes its last word.
// SPDX-License-Identifier: Apache-2.0
#include "checker/completion/completion.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "checker/filter/severities.h"
#include "checker/project/list_choice.h"
#include "checker/project/project.h"
#include "checker/reports/reports.h"
#include "checker/rules/rules.h"
#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/platform/run_git.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// The texts of completion.bash and completion.zsh.
extern const std::string_view kBashCompletion;
extern const std::string_view kZshCompletion;

namespace {

// How the value of an option is completed.
enum class ValueSource {
  kNothing,     // free text or a number
  kWords,       // one of `words`
  kFile,        // files, and `words`
  kFolder,      // folders only
  kCommas,      // words separated by commas
  kPair,        // WORD=VALUE; the values are in `values`
  kWordOrFile,  // WORD or WORD=FILE
  kNamedFile,   // ANYTHING=FILE
  kOperator,    // names of operators
  kList,        // labels of the project's lists, and files
  kRevision,    // branches and tags of git, and files
};

std::vector<std::string> None() { return {}; }
std::vector<std::string> Dialects() {
  Diagnostics ignored;
  return ShippedDialects(ignored);
}
std::vector<std::string> Dtypes() { return {"float16", "bfloat16"}; }
std::vector<std::string> Opsets() { return {"auto", "keep"}; }  // also takes a number

// A placeholder in help, and how its values are completed.
struct NamedValue {
  const char* name;
  ValueSource source;
  std::vector<std::string> (*words)() = None;
  std::vector<std::string> (*values)() = None;
};

constexpr NamedValue kValues[] = {
    {"FILE", ValueSource::kFile},
    {"FILE|DIR", ValueSource::kFile},
    {"PATH", ValueSource::kFile},
    {"MODEL", ValueSource::kFile},
    {"FACTS", ValueSource::kFile},
    {"DIR", ValueSource::kFolder},
    {"BUILD", ValueSource::kFolder},
    {"NAME|FILE", ValueSource::kFile, Dialects},
    {"FILE|LABEL", ValueSource::kList},
    {"LABEL", ValueSource::kWords, Dtypes},
    {"PROFILE", ValueSource::kFile},
    {"PYTHON", ValueSource::kFile},
    {"OPSET", ValueSource::kWords, Opsets},
    {"RULE", ValueSource::kWords, RuleNames},
    {"RULE,RULE", ValueSource::kCommas, RuleNames},
    {"RULE=LEVEL", ValueSource::kPair, RuleNames, SeverityChoices},
    {"FMT[=FILE]", ValueSource::kWordOrFile, ReportFormatNames},
    {"OPERATOR", ValueSource::kOperator},
    {"REV", ValueSource::kRevision},
    {"REV..REV", ValueSource::kRevision},
    {"SECOND", ValueSource::kFile},
    {"BASE", ValueSource::kRevision},
    {"HEAD", ValueSource::kRevision},
    {"E", ValueSource::kNothing},
    {"GLOB", ValueSource::kNothing},
    {"HOW", ValueSource::kNothing},
    {"K/N", ValueSource::kNothing},
    {"N", ValueSource::kNothing},
    {"NAME", ValueSource::kNothing},
    {"NAME=DTYPE", ValueSource::kNothing},
    {"NAME=FILE", ValueSource::kNamedFile},
    {"NAME=D,D", ValueSource::kNothing},
    {"NAME=LO,HI", ValueSource::kNothing},
    {"NAME=POLICY", ValueSource::kNothing},
    {"SECONDS", ValueSource::kNothing},
    {"NODE", ValueSource::kNothing},
    {"OP,OP", ValueSource::kNothing},
    {"REGEX", ValueSource::kNothing},
    {"SIZE", ValueSource::kNothing},
    {"TEMPLATE", ValueSource::kNothing},
    {"TEXT", ValueSource::kNothing},
    {"V,W", ValueSource::kNothing},
    {"X=Y", ValueSource::kNothing},
};

constexpr const char* kManifestFile = "operators.json";

// Returns whether a name needs no quotes in a shell. Others are not offered, as they may come from
// an untrusted source tree.
bool IsPlain(std::string_view name) {
  if (name.empty() || name.front() == '-') return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("_.:/@+-").find(c) == std::string_view::npos) return false;
  }
  return true;
}

const OptionSyntax* FindOption(const std::vector<OptionSyntax>& options, std::string_view name) {
  for (const OptionSyntax& option : options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
      return &option;
    }
  }
  return nullptr;
}

// What the words before the unfinished one contain.
struct Typed {
  std::string verb;
  std::vector<OptionSyntax> options;        // options that may follow
  const OptionSyntax* expecting = nullptr;  // the option whose value comes next, or nullptr
  std::size_t arguments = 0;                // positional arguments of the verb so far
  std::string folder;                       // value of -C
  std::string project_file;                 // value of --config
};

// Adds the options of a verb, or none if there is no such verb.
void EnterVerb(const std::string& name, const std::vector<VerbSyntax>& verbs, Typed& typed) {
  typed.verb = name;
  for (const VerbSyntax& verb : verbs) {
    if (verb.name != name) continue;
    if (!verb.takes_common) typed.options.clear();
    typed.options.insert(typed.options.begin(), verb.options.begin(), verb.options.end());
  }
}

Typed ReadTyped(const std::vector<VerbSyntax>& verbs, const std::vector<std::string>& words) {
  Typed typed;
  typed.options = verbs.front().options;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (typed.expecting != nullptr) {
      const std::string& option = typed.expecting->names.front();
      if (option == "-C") typed.folder = word;
      if (option == "--config") typed.project_file = word;
      typed.expecting = nullptr;
    } else if (word.starts_with('-')) {
      const OptionSyntax* const option = FindOption(typed.options, word);
      if (option != nullptr && !option->value.empty()) typed.expecting = option;
    } else if (typed.verb.empty()) {
      EnterVerb(word, verbs, typed);
    } else {
      ++typed.arguments;
    }
  }
  return typed;
}

class Completer {
 public:
  Completer(const std::vector<VerbSyntax>& verbs, const std::vector<std::string>& words)
      : verbs_(verbs), typed_(ReadTyped(verbs, words)), word_(words.empty() ? "" : words.back()) {}

  std::string Answer() {
    const std::size_t equals = word_.find('=');
    if (typed_.expecting != nullptr) {
      AddValue(*typed_.expecting);
    } else if (word_.starts_with("--") && equals != std::string::npos) {
      const OptionSyntax* const option = FindOption(typed_.options, word_.substr(0, equals));
      MoveLead(equals + 1);
      if (option != nullptr) AddValue(*option);
    } else if (word_.starts_with('-')) {
      AddFlags();
    } else if (typed_.verb.empty()) {
      for (const VerbSyntax& verb : verbs_) {
        if (!verb.name.empty()) Add(verb.name, verb.summary);
      }
    } else {
      AddArgument();
    }
    return kind_ + '\n' + lead_ + '\n' + candidates_;
  }

 private:
  void Add(const std::string& candidate, const std::string& help = {}) {
    if (!candidate.starts_with(word_)) return;
    candidates_ += candidate + (help.empty() ? "" : '\t' + help) + '\n';
  }

  void AddAll(const std::vector<std::string>& words, const char* suffix = "") {
    for (const std::string& word : words) Add(word + suffix);
  }

  // Moves the next `count` bytes of the word to the part that is not completed.
  void MoveLead(std::size_t count) {
    lead_ += word_.substr(0, count);
    word_.erase(0, count);
  }

  void AddFlags() {
    for (const OptionSyntax& option : typed_.options) {
      if (option.is_positional()) continue;
      for (const std::string& name : option.names) Add(name, option.help);
    }
  }

  // Completes the next positional argument; the last one may be repeatable.
  void AddArgument() {
    const OptionSyntax* last = nullptr;
    std::size_t count = 0;
    for (const OptionSyntax& option : typed_.options) {
      if (!option.is_positional()) continue;
      last = &option;
      if (count++ == typed_.arguments) return AddValue(option);
    }
    if (last != nullptr && last->repeatable) AddValue(*last);
  }

  void AddValue(const OptionSyntax& option) {
    if (!option.choices.empty()) return AddAll(option.choices);
    const auto* const value =
        std::find_if(std::begin(kValues), std::end(kValues),
                     [&](const NamedValue& each) { return each.name == option.value; });
    if (value == std::end(kValues)) return;
    const std::size_t equals = word_.find('=');
    const bool has_equals = equals != std::string::npos;
    switch (value->source) {
      case ValueSource::kNothing:
        return;
      case ValueSource::kWords:
        return AddAll(value->words());
      case ValueSource::kFile:
        kind_ = "files";
        return AddAll(value->words());
      case ValueSource::kFolder:
        kind_ = "folders";
        return;
      case ValueSource::kCommas:
        kind_ = "commas";
        MoveLead(word_.rfind(',') + 1);
        return AddAll(value->words());
      case ValueSource::kPair:
        if (!has_equals) kind_ = "nospace";
        if (!has_equals) return AddAll(value->words(), "=");
        MoveLead(equals + 1);
        return AddAll(value->values());
      case ValueSource::kWordOrFile:
      case ValueSource::kNamedFile:
        kind_ = has_equals ? "files" : "nospace";
        return has_equals ? MoveLead(equals + 1) : AddAll(value->words());
      case ValueSource::kOperator:
        return AddOperators();
      case ValueSource::kList:
        kind_ = "files";
        return AddLists();
      case ValueSource::kRevision:
        kind_ = "files";
        return AddRevisions();
    }
  }

  // Returns the options under which the command would run.
  GlobalOptions Global() const {
    GlobalOptions global;
    global.here = DiskSource(typed_.folder);
    global.project_file = typed_.project_file;
    return global;
  }

  void AddOperators() {
    const std::set<std::string> names = OperatorNames(Global());
    AddAll({names.begin(), names.end()});
  }

  void AddLists() {
    std::set<std::string> labels = {kAllLists};
    Diagnostics ignored;
    const std::optional<Project> project = Project::Open(Global(), ".", ignored);
    for (const ListName& list : project ? ListsOfProject(*project) : std::vector<ListName>()) {
      if (IsPlain(list.label)) labels.insert(list.label);
    }
    if (labels.size() == 1) labels.merge(std::set<std::string>{"bfloat16", "float16"});
    AddAll({labels.begin(), labels.end()});
  }

  void AddRevisions() {
    Diagnostics ignored;
    std::vector<std::string> names;
    const TakeRecord take = [&](std::string_view line) {
      names.emplace_back(line);
      return true;
    };
    const std::vector<std::string> arguments = {"for-each-ref", "--format=%(refname:short)"};
    if (ReadGit(typed_.folder, arguments, {}, take, ignored) != 0) return;
    for (const std::string& name : names) {
      if (IsPlain(name)) Add(name);
    }
  }

  const std::vector<VerbSyntax>& verbs_;
  Typed typed_;
  std::string word_;
  std::string kind_ = "words";
  std::string lead_;
  std::string candidates_;
};

}  // namespace

std::string Complete(const std::vector<VerbSyntax>& verbs, const std::vector<std::string>& words) {
  return Completer(verbs, words).Answer();
}

std::string VerbAmong(const VerbSyntax& before, const std::vector<std::string>& words) {
  return ReadTyped({before}, words).verb;
}

std::string CompletionScript(const std::string& shell) {
  return std::string(shell == "bash" ? kBashCompletion : kZshCompletion);
}

std::set<std::string> OperatorNames(const GlobalOptions& global) {
  Diagnostics ignored;
  std::set<std::string> names;
  const std::optional<Project> project = Project::Open(global, ".", ignored);
  if (!project) return names;
  if (project->source().Examine(kManifestFile).IsThere()) {
    const std::optional<Manifest> manifest =
        ReadManifest(project->source(), kManifestFile, ignored);
    if (manifest) {
      for (const Operator& op : manifest->operators) {
        if (IsPlain(op.name)) names.insert(op.name);
      }
    }
  }
  if (!names.empty() || !project->file()) return names;
  for (const std::string& path : project->file()->lists) {
    if (!IsOfProject(path, *project, ignored)) continue;
    const std::optional<PrecisionList> list = ReadListOfProject(path, *project, ignored);
    if (!list) continue;
    for (const ListEntry& entry : list->entries) {
      if (IsPlain(entry.op)) names.insert(entry.op);
    }
  }
  return names;
}

}  // namespace opledger

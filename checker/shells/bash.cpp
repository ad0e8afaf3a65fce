// The completion script for bash (4.4 or newer): what each verb takes as `case` tables, below them
// the same few functions for all.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "checker/completion/option_values.h"
#include "checker/shells/shells.h"
#include "registry/project/version.h"

namespace opledger {
namespace {

constexpr const char* kBashFunctions = R"(
# LEAD WORD SUFFIX CANDIDATE...: offers those that begin with WORD.
_opledger_offer() {
  local lead=$1 word=$2 suffix=$3 each
  shift 3
  for each; do
    [[ $each == "$word"* ]] || continue
    each=$lead$each$suffix
    COMPREPLY+=("${each#"$kept"}")
  done
}

# LEAD WORD KIND: offers files (f) or folders (d).
_opledger_files() {
  local found
  compopt -o filenames
  mapfile -t found < <(compgen -"$3" -- "$2")
  _opledger_offer "$1" "$2" '' "${found[@]}"
}

# LEAD WORD COMMAND...: offers the lines that the command prints and that need no quotes.
_opledger_lines() {
  local lead=$1 word=$2 lines line safe=()
  shift 2
  mapfile -t lines < <("$@" 2>/dev/null)
  for line in "${lines[@]}"; do
    [[ $line =~ ^[A-Za-z0-9_.:/@+-]+$ ]] && safe+=("$line")
  done
  _opledger_offer "$lead" "$word" '' "${safe[@]}"
}

# LEAD WORD: what `source`, `words` and `values` say.
_opledger_complete() {
  local lead=$1 word=$2
  case $source in
    words) _opledger_offer "$lead" "$word" '' $words ;;
    file)
      _opledger_offer "$lead" "$word" '' $words
      _opledger_files "$lead" "$word" f
      ;;
    folder) _opledger_files "$lead" "$word" d ;;
    commas)
      compopt -o nospace
      [[ $word == *,* ]] && lead+=${word%,*}, word=${word##*,}
      _opledger_offer "$lead" "$word" '' $words
      ;;
    pair)
      if [[ $word == *=* ]]; then
        _opledger_offer "$lead${word%%=*}=" "${word#*=}" '' $values
      else
        compopt -o nospace
        _opledger_offer "$lead" "$word" = $words
      fi
      ;;
    word-or-file)
      if [[ $word == *=* ]]; then
        _opledger_files "$lead${word%%=*}=" "${word#*=}" f
      else
        compopt -o nospace
        _opledger_offer "$lead" "$word" '' $words
      fi
      ;;
    named-file)
      [[ $word == *=* ]] && _opledger_files "$lead${word%%=*}=" "${word#*=}" f
      ;;
    operator) _opledger_lines "$lead" "$word" "${program[@]}" completion operators ;;
    revision)
      _opledger_lines "$lead" "$word" git for-each-ref --format='%(refname:short)'
      _opledger_files "$lead" "$word" f
      ;;
  esac
}

_opledger() {
  local IFS=$' \t\n' flags= takes= places= source= words= values= verb= expects= kept= glued= i word
  local typed=() program=("${COMP_WORDS[0]}") last=${COMP_WORDS[COMP_CWORD]} index=0
  COMPREPLY=()
  # '=' and ':' are words of their own there.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word =~ ^[=:]+$ && ${#typed[@]} -gt 0 ]]; then
      typed[-1]+=$word glued=yes
    elif [[ $glued ]]; then
      typed[-1]+=$word glued=
    else
      typed+=("$word")
    fi
  done
  local current=${typed[-1]}
  unset 'typed[-1]'
  kept=${current%"$last"}
  [[ $last =~ ^[=:]+$ ]] && kept=$current
  [[ ! $kept && $current == [\'\"]* ]] && current=${current:1}

  _opledger_syntax ''
  for word in "${typed[@]}"; do
    if [[ $expects ]]; then
      [[ $expects == -C || $expects == --config ]] && program+=("$expects" "$word")
      expects=
    elif [[ $word == -* ]]; then
      [[ $word != *=* && " $takes " == *" $word "* ]] && expects=$word
    elif [[ ! $verb ]]; then
      verb=$word places=
      _opledger_syntax "$verb"
    else
      ((index += 1))
    fi
  done

  local place=($places)
  if [[ $expects ]]; then
    _opledger_value "$verb" "$expects"
    _opledger_complete '' "$current"
  elif [[ $current == --*=* ]]; then
    _opledger_value "$verb" "${current%%=*}"
    _opledger_complete "${current%%=*}=" "${current#*=}"
  elif [[ $current == -* ]]; then
    _opledger_offer '' "$current" '' $flags
  elif ((${#place[@]})); then
    ((index < ${#place[@]})) && word=${place[index]} || word=${place[-1]}
    [[ $word == *... || $index -lt ${#place[@]} ]] || return 0
    _opledger_value "$verb" "${word%...}"
    _opledger_complete '' "$current"
  fi
}

complete -F _opledger opledger
)";

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

const char* SourceName(ValueSource source) {
  switch (source) {
    case ValueSource::kNothing:
      return "";
    case ValueSource::kWords:
      return "words";
    case ValueSource::kFile:
      return "file";
    case ValueSource::kFolder:
      return "folder";
    case ValueSource::kCommas:
      return "commas";
    case ValueSource::kPair:
      return "pair";
    case ValueSource::kWordOrFile:
      return "word-or-file";
    case ValueSource::kNamedFile:
      return "named-file";
    case ValueSource::kOperator:
      return "operator";
    case ValueSource::kRevision:
      return "revision";
  }
  return "";
}

// One branch of _opledger_syntax: what a verb has, after what all have.
std::string SyntaxBranch(const VerbSyntax& verb) {
  std::string flags;
  std::string takes;
  std::string places;
  for (const OptionSyntax& option : verb.options) {
    if (option.is_positional()) {
      places += ' ' + option.names.front() + (option.repeatable ? "..." : "");
      continue;
    }
    for (const std::string& name : option.names) {
      flags += ' ' + name;
      if (!option.value.empty()) takes += ' ' + name;
    }
  }
  std::string text = "    " + (verb.name.empty() ? "''" : verb.name) + ")\n";
  const std::string sets = verb.takes_common ? "+='" : "='";
  text += "      flags" + sets + flags + "'\n      takes" + sets + takes + "'\n";
  if (verb.name.empty()) places = "VERB";
  if (!places.empty())
    text += "      places='" + places.substr(places.front() == ' ' ? 1 : 0) + "'\n";
  return text + "      ;;\n";
}

std::string Assignments(const OptionValue& value) {
  std::string text = std::string("source=") + SourceName(value.source);
  if (!value.words.empty()) text += " words='" + Joined(value.words) + "'";
  if (!value.values.empty()) text += " values='" + Joined(value.values) + "'";
  return text;
}

// Patterns of _opledger_value by what they assign: many options take a file.
std::string ValueBranches(const std::vector<VerbSyntax>& verbs) {
  std::map<std::string, std::string> patterns;
  std::vector<std::string> names;
  for (const VerbSyntax& verb : verbs) {
    if (!verb.name.empty()) names.push_back(verb.name);
    for (const OptionSyntax& option : verb.options) {
      const OptionValue value = ValueOf(option);
      if (value.source == ValueSource::kNothing) continue;
      std::string& pattern = patterns[Assignments(value)];
      for (const std::string& name : option.names) {
        const std::string key =
            verb.name.empty() ? "*' " + name + "'" : "'" + verb.name + ' ' + name + "'";
        pattern += (pattern.empty() ? "" : " | ") + key;
      }
    }
  }
  std::string text = "    ' VERB') source=words words='" + Joined(names) + "' ;;\n";
  for (const auto& [assignments, pattern] : patterns) {
    text += "    " + pattern + ")\n      " + assignments + "\n      ;;\n";
  }
  return text;
}

std::string BashScript(const std::vector<VerbSyntax>& verbs) {
  std::string text = std::string("# Completions of opledger ") + Version() +
                     " for bash, as `opledger completion bash` writes them.\n"
                     "# To load them: source <(opledger completion bash)\n"
                     "\n# VERB: its flags, those that take a value, its arguments in order.\n"
                     "_opledger_syntax() {\n  case $1 in\n";
  for (const VerbSyntax& verb : verbs) text += SyntaxBranch(verb);
  text +=
      "  esac\n}\n\n# VERB FLAG, or VERB ARGUMENT: how what it takes is completed.\n"
      "_opledger_value() {\n  case \"$1 $2\" in\n";
  return text + ValueBranches(verbs) + "  esac\n}\n" + kBashFunctions;
}

}  // namespace

extern const Shell kBashShell;
const Shell kBashShell = {"bash", BashScript};

}  // namespace opledger

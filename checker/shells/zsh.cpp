// The completion script for zsh: what each verb takes as specifications of _arguments.
// SPDX-License-Identifier: Apache-2.0
#include "checker/completion/option_values.h"
#include "checker/shells/shells.h"
#include "registry/project/version.h"

namespace opledger {
namespace {

constexpr const char* kZshFunctions = R"(
_opledger_commas() {
  compset -P '*,'
  compadd -q -S , -- "$@"
}

# WORD... -- VALUE...
_opledger_pair() {
  local split=${argv[(i)--]}
  if compset -P '*='; then
    compadd -- "${(@)argv[split + 1, -1]}"
  else
    compadd -S = -- "${(@)argv[1, split - 1]}"
  fi
}

_opledger_word_or_file() {
  if compset -P '*='; then
    _files
  else
    compadd -S '' -- "$@"
  fi
}

_opledger_words_and_files() {
  compadd -- "$@"
  _files
}

# Of the lines that a command prints, those that need no quotes.
_opledger_lines() {
  local -a lines=("${(@f)$("$@" 2>/dev/null)}")
  compadd -- "${(@M)lines:#[A-Za-z0-9_.:/@+-]##}"
}

_opledger_operators() {
  local -a before
  [[ -n $opt_args[-C] ]] && before+=(-C ${(Q)opt_args[-C]})
  [[ -n $opt_args[--config] ]] && before+=(--config ${(Q)opt_args[--config]})
  _opledger_lines "${(Q)opledger_program}" $opledger_before $before completion operators
}

_opledger_revisions() {
  _opledger_lines git for-each-ref --format='%(refname:short)'
  _files
}

_opledger() {
  setopt localoptions extendedglob
  local opledger_program=$words[1] context state state_descr line ret=1
  local -a opledger_before
  local -A opt_args
  _arguments -C : "${(@)opledger_common}" ':verb:->verb' '*::argument:->argument' && ret=0
  [[ -n $opt_args[-C] ]] && opledger_before+=(-C ${(Q)opt_args[-C]})
  [[ -n $opt_args[--config] ]] && opledger_before+=(--config ${(Q)opt_args[--config]})
  case $state in
    verb) _describe -t verbs verb opledger_verbs && ret=0 ;;
    argument)
      local -a specifications
      _opledger_syntax $words[1]
      _arguments : "${(@)specifications}" && ret=0
      ;;
  esac
  return ret
}

if [[ $funcstack[1] == _opledger ]]; then
  _opledger "$@"
else
  compdef _opledger opledger
fi
)";

// Within single quotes.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string Escaped(const std::string& text, const char* special) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view(special).find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

// What stands behind the last colon of a specification.
std::string Action(const OptionValue& value) {
  switch (value.source) {
    case ValueSource::kNothing:
      return " ";
    case ValueSource::kWords:
      return "(" + Spaced(value.words).substr(1) + ")";
    case ValueSource::kFile:
      return value.words.empty() ? "_files" : " _opledger_words_and_files" + Spaced(value.words);
    case ValueSource::kFolder:
      return "_files -/";
    case ValueSource::kCommas:
      return " _opledger_commas" + Spaced(value.words);
    case ValueSource::kPair:
      return " _opledger_pair" + Spaced(value.words) + " --" + Spaced(value.values);
    case ValueSource::kWordOrFile:
      return " _opledger_word_or_file" + Spaced(value.words);
    case ValueSource::kNamedFile:
      return " _opledger_word_or_file";
    case ValueSource::kOperator:
      return " _opledger_operators";
    case ValueSource::kRevision:
      return " _opledger_revisions";
  }
  return " ";
}

std::string Specifications(const VerbSyntax& verb) {
  std::string text;
  for (const OptionSyntax& option : verb.options) {
    const std::string shown = option.value.empty() ? option.names.front() : option.value;
    const std::string takes = ":" + Escaped(shown, ":\\") + ":" + Action(ValueOf(option));
    if (option.is_positional()) {
      text += "    " + Quoted((option.repeatable ? "*" : "") + takes) + '\n';
      continue;
    }
    for (const std::string& name : option.names) {
      std::string specification =
          option.repeatable ? "*" : "(" + Spaced(option.names).substr(1) + ")";
      specification += name;
      const bool is_long = name.starts_with("--");
      if (!option.value.empty()) specification += is_long ? "=" : "+";
      specification += "[" + Escaped(option.help, "[]\\") + "]";
      if (!option.value.empty()) specification += takes;
      text += "    " + Quoted(specification) + '\n';
    }
  }
  return text;
}

std::string ZshScript(const std::vector<VerbSyntax>& verbs) {
  std::string text = std::string("#compdef opledger\n# Completions of opledger ") + Version() +
                     " for zsh, as `opledger completion zsh` writes them.\n"
                     "# To load them: source <(opledger completion zsh), or write them into a file "
                     "_opledger in $fpath.\n\ntypeset -ga opledger_verbs=(\n";
  for (const VerbSyntax& verb : verbs) {
    if (!verb.name.empty()) text += "  " + Quoted(verb.name + ":" + verb.summary) + '\n';
  }
  text +=
      ")\n\ntypeset -ga opledger_common=(\n" + Specifications(verbs.front()) +
      ")\n\n# VERB: its specifications.\n_opledger_syntax() {\n  specifications=()\n  case $1 in\n";
  for (const VerbSyntax& verb : verbs) {
    if (verb.name.empty()) continue;
    text += "  " + verb.name + ") specifications=(\n" + Specifications(verb);
    text += verb.takes_common ? "    \"${(@)opledger_common}\"\n  ) ;;\n" : "  ) ;;\n";
  }
  return text + "  esac\n}\n" + kZshFunctions;
}

}  // namespace

extern const Shell kZshShell;
const Shell kZshShell = {"zsh", ZshScript};

}  // namespace opledger

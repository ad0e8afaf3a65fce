#compdef opledger
# Completions of opledger for zsh, as `opledger completion zsh` writes them.
# To load them: source <(opledger completion zsh), or write them into a file _opledger in $fpath.

_opledger() {
  local -a answer found shown
  answer=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  found=("${(@)answer[3,-1]}")
  compset -p $#answer[2]
  case $answer[1] in
    nospace)
      if [[ $found[1] == *= ]]; then
        compadd -S = -- "${(@)found%=}"
      else
        compadd -S '' -a found
      fi
      ;;
    commas) compadd -q -S , -a found ;;
    folders) _files -/ ;;
    *)
      shown=("${(@)found/$'\t'/ -- }")
      compadd -l -d shown -- "${(@)found%%$'\t'*}"
      [[ $answer[1] == files ]] && _files
      ;;
  esac
}

if [[ $funcstack[1] == _opledger ]]; then
  _opledger "$@"
else
  compdef _opledger opledger
fi

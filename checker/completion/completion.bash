# Completions of opledger for bash (4.4 or newer), as `opledger completion bash` writes them.
# To load them: source <(opledger completion bash)

_opledger() {
  local IFS=$' \t\n' words=() answer found word glued= last=${COMP_WORDS[COMP_CWORD]} i
  COMPREPLY=()
  # In COMP_WORDS, '=' and ':' are separate words.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word =~ ^[=:]+$ && ${#words[@]} -gt 0 ]]; then
      words[-1]+=$word glued=yes
    elif [[ $glued ]]; then
      words[-1]+=$word glued=
    else
      words+=("$word")
    fi
  done
  local current=${words[-1]} kept
  kept=${current%"$last"}
  [[ $last =~ ^[=:]+$ ]] && kept=$current
  [[ ! $kept && $current == [\'\"]* ]] && current=${current:1}
  words[-1]=$current

  mapfile -t answer < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
  local kind=${answer[0]} lead=${answer[1]}
  found=("${answer[@]:2}")
  found=("${found[@]%%$'\t'*}")
  case $kind in
    nospace | commas) compopt -o nospace ;;
    files | folders)
      [[ $kind == folders ]] && kind=directorys
      compopt -o filenames
      mapfile -t answer < <(compgen -A "${kind%s}" -- "${current#"$lead"}")
      found+=("${answer[@]}")
      ;;
  esac
  for word in "${found[@]}"; do
    word=$lead$word
    COMPREPLY+=("${word#"$kept"}")
  done
}

complete -F _opledger opledger

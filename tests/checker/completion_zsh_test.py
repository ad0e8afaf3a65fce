#!/usr/bin/env python3
"""Checks the script of `opledger completion zsh` in a real zsh: it offers everything that --help
shows."""
# SPDX-License-Identifier: Apache-2.0

import sys

import completion_lines
from typed_lines import Terminal

# Every completion calls compadd; this one also records its arguments. With -O, -A or -D it is only
# a query. It does not change the word being completed.
SETUP = r"""
PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp beep; LISTMAX=100000
autoload -Uz compinit; compinit -u -D
source <(opledger completion zsh)
compadd() {
  local -a noted asked
  zparseopts -E -a asked O: A: D:
  if (( $#asked )); then builtin compadd "$@"; return; fi
  builtin compadd -O noted "$@"
  print -rl -- $noted >> offered
  builtin compadd "$@"
}
offer() {
  BUFFER=$(<line); CURSOR=$#BUFFER
  : > offered
  zle complete-word
  BUFFER=
  print -n "OFFERED$(( ++offers ))." > $TTY
}
zle -N offer; bindkey '^T' offer
zle-line-init() { print -n READY. > $TTY }
zle -N zle-line-init
"""


class Zsh:
    def __init__(self, folder, environment):
        self.folder = folder
        (folder / "setup.zsh").write_text(SETUP)
        self.terminal = Terminal(["zsh", "-f", "-i"], folder, {**environment, "TERM": "xterm"})
        self.terminal.send("source ./setup.zsh\n")
        self.terminal.until("READY.")
        self.lines = 0

    def offered(self, line):
        self.lines += 1
        (self.folder / "line").write_text(line)
        self.terminal.send("\x14")
        self.terminal.until(f"OFFERED{self.lines}.")
        return sorted(set((self.folder / "offered").read_text().splitlines()) - {""})


def expected_words(line, words):
    """Returns the offered words: a file without its folder, the key of a pair without its '='."""
    def shown(word):
        if "/" in word:
            return word.rstrip("/").rsplit("/", 1)[-1]
        return word.rstrip("=")
    return sorted(set(map(shown, words)))


def problems_of(folder, environment, lines):
    zsh = Zsh(folder, environment)
    problems = []
    for line, words in lines.items():
        found, wanted = zsh.offered(line), expected_words(line, words)
        if found != wanted:
            problems.append(f"{line!r}: offered {found}, not {wanted}")
    zsh.terminal.close()
    return problems


if __name__ == "__main__":
    sys.exit(completion_lines.run_in("zsh", problems_of))

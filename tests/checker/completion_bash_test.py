#!/usr/bin/env python3
"""Checks the script of `opledger completion bash` in a real bash: it offers everything that --help
shows."""
# SPDX-License-Identifier: Apache-2.0

import re
import shlex
import subprocess
import sys

import completion_lines
from typed_lines import Terminal

DRIVER = r"""
source <(opledger completion bash) || exit 1
compopt() { :; }
"""


def words_of(line):
    """Returns COMP_WORDS as bash splits a line whose cursor is at its end."""
    words = []
    for word in line.split(" "):
        words += re.findall(r"[=:]+|[^=:]+", word) or [""]
    return words


def offered(lines, folder, environment):
    """Returns line -> words offered by the function that the script defines."""
    script = DRIVER
    for line in lines:
        words = words_of(line)
        script += (f"COMP_WORDS=({' '.join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1}\n"
                   "_opledger opledger; printf '%s\\n' \"${COMPREPLY[@]}\" '== end'\n")
    done = subprocess.run(["bash", "--norc", "-c", script], cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=120, check=False)
    if done.stderr or done.returncode:
        return {"bash itself": done.stderr}
    parts = done.stdout.split("== end\n")
    return {line: sorted({word for word in part.splitlines() if word})
            for line, part in zip(lines, parts)}


def expected_reply(line, words):
    """Returns what readline gets: words without the part before the last word break."""
    last = line.split(" ")[-1]
    tail = re.search(r"[^=:]*$", last)[0]
    kept = last[:len(last) - len(tail)]
    lead = "stale-entry," if ",near" in line else ""
    def reply(word):
        word = lead + word
        return word[len(kept):] if kept and word.startswith(kept) else word
    return sorted(map(reply, words))


def folders_without_slash(words):
    return [word.rstrip("/") for word in words]  # bash adds the slash


def typed(folder, environment):
    """Types two lines in a terminal with readline; returns problems."""
    shell = Terminal(["bash", "--norc", "--noprofile", "-i"], folder,
                     {**environment, "PS1": "", "INPUTRC": "/dev/null", "TERM": "xterm"})
    shell.send("bind 'set enable-bracketed-paste off'; source <(opledger completion bash)\n"
               "opledger() { if [[ $1 == *complet* ]]; then command opledger \"$@\"; else "
               "printf '<%s>' \"$@\" E'N'D; echo; fi; }\n")
    problems = []
    for line, wanted in (("opledger check --fail-on=wa\t\n", "<check><--fail-on=warning><END>"),
                         ("opledger classify aten::a\t\n", "<classify><aten::add><END>"),
                         ("opledger check 'lists/b\t\n", "<check><lists/bfloat16.json><END>")):
        shell.send(line)
        seen = shell.until("<END>")
        if wanted not in seen:
            problems.append(f"{line!r} became {seen!r}, not {wanted!r}")
    shell.close()
    return problems


def problems_of(folder, environment, lines):
    found = offered(lines, folder, environment)
    problems = [f"{line!r}: offered {found.get(line)}, not {wanted}" for line, wanted in
                ((line, expected_reply(line, folders_without_slash(words))) for line, words in lines.items())
                if found.get(line) != wanted]
    problems += [] if "bash itself" not in found else [found["bash itself"]]
    return problems + typed(folder, environment)


if __name__ == "__main__":
    sys.exit(completion_lines.run_in("bash", problems_of))

#!/usr/bin/env python3
"""Messages, help texts and READMEs avoid phrases that are riddles in English. Only phrases that are never right here are
refused; everything else is for readers."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, code_files, files, relative, report

# What is refused, and what to write instead.
PHRASES = [
    (r"(?<!there )\b(?:is|are) none\b(?! the)", "say what is wrong: 'is not a ...', 'does not match ...'"),
    (r"\bnobody (?:computes|reads|says|knows|classified)\b", "name what is missing: 'has no producer', 'is not read'"),
    (r"\bhangs? on\b", "'depends on'"),
    (r"\b(?:is|are|was|were) told\b", "'is reported', 'is printed'"),
    (r"\bwhat became of\b", "'the outcome of'"),
    (r"\bstands? (?:at|there|without|behind|before)\b", "'is at', 'is missing'"),
    (r"\bof no (?:class|list|policy)\b", "'has no policy'"),
]
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
FOLDERS = ("registry", "checker", "conversion", "kernels", "python", "ci", "docs", "schemas")
DOCUMENTS = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.md")))]


def phrase_problems(text):
    return [f"'{found[0]}': {instead}" for pattern, instead in PHRASES
            if (found := re.search(pattern, text))]


def messages(path):
    """Each string literal that has a space in it."""
    code = re.sub(r'"\s*\n\s*"', "", path.read_text())  # one literal continues the other
    for line in code.split("\n"):
        if not line.lstrip().startswith(("//", "#include")):
            yield from (each for each in LITERAL.findall(re.sub(r"//[^\"]*$", "", line)) if " " in each)


def main():
    problems = []
    for path in code_files() + files((".py",), ("python",)):
        if not relative(path).startswith("tests/"):
            problems += [f"{relative(path)}: {problem}" for text in messages(path) for problem in phrase_problems(text)]
    for path in DOCUMENTS:
        for number, line in enumerate(path.read_text().split("\n"), 1):
            problems += [f"{relative(path)}:{number}: {problem}" for problem in phrase_problems(line)]
    for text in ("its range is none", "nobody computes it", "the names hang on it", "what is told"):
        if not phrase_problems(text):
            problems.append(f"the language test accepts '{text}'")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())

"""Command lines to complete in every shell, and the words that must be offered; parses --help."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = re.findall(r'^    \{"([^"]+)", ', (ROOT / "checker/completion/completion.cpp").read_text(), re.MULTILINE)
HOSTILE = ("$(touch pwned)", "a b", "`touch pwned`", "x;touch pwned", "-rf", "'", 'q"q', "new\nline")

# Line -> all words offered; None instead of words: whatever the test computes.
LINES = {
    "opledger che": ["check"],
    "opledger -C . --config none che": ["check"],
    "opledger --color ": ["auto", "always", "never"],
    "opledger --color=n": ["never"],
    "opledger check --fail-on ": ["error", "warning", "note", "never"],
    "opledger check --fail-on=w": ["warning"],
    "opledger -q check --fail-on n": ["note", "never"],
    "opledger check --select near": ["near-miss-name"],
    "opledger check --select stale-entry,near": ["near-miss-name"],
    "opledger check --severity stale-e": ["stale-entry="],
    "opledger check --severity stale-entry=": ["error", "warning", "note", "off"],
    "opledger check --severity=stale-entry=of": ["off"],
    "opledger check --output-format s": ["sarif"],
    "opledger check --output-format sarif=lists/bf": ["lists/bfloat16.json"],
    "opledger check --dialect mxn": ["mxnet"],
    "opledger check --operators opera": ["operators.json"],
    "opledger check lists/fl": ["lists/float16.json"],
    "opledger -C li": ["lists/"],
    "opledger baseline ": ["write", "prune", "show"],
    "opledger baseline write --severity dupl": ["duplicate-entry="],
    "opledger classify hard": ["hard_swish"],
    "opledger classify aten::ad": ["aten::add"],
    "opledger classify exp --as ": ["target", "fp32", "widest", "conditional", "either"],
    "opledger classify exp --then ": ["target", "fp32", "widest", "either"],
    "opledger classify exp --reason n": ["numeric", "no-kernel"],
    "opledger classify exp --list bfl": ["bfloat16"],
    "opledger explain glue": ["glued-literals"],
    "opledger diff old-b": ["old-branch"],
    "opledger check --against old-b": ["old-branch"],
    "opledger docs --format ": ["md", "html", "json", "svg"],
    "opledger import --target-dtype ": ["float16", "bfloat16"],
    "opledger completion ": ["bash", "zsh", "operators"],
    "opledger convert mod": ["model.onnx"],
    "opledger convert model.onnx --cost ": ["casts", "bytes"],
    "opledger inspect model.onnx --format ": ["text", "json"],
    "opledger run model.onnx --kernels ": ["fast", "reference"],
    "opledger run model.onnx --input x=mod": ["model.onnx"],
    "opledger revert --sidecar mod": ["model.onnx"],
}


def make_project(folder):
    """Writes the demo with an operators.json, names that must not be executed, and a branch."""
    shutil.copytree(ROOT / "tests/demo", folder, dirs_exist_ok=True)
    site = {"path": "src/a.cc", "line": 1, "column": 1, "end_line": 1, "end_column": 2}
    names = ["hard_swish", "exp", "aten::add", "aten::mul", *HOSTILE]
    (folder / "operators.json").write_text(json.dumps(
        {"schema": "opledger-operators/1", "dialect": "mxnet",
         "operators": [{"name": name, "sites": [site]} for name in sorted(names)]}))
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@e"]
    for arguments in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "a"],
                      ["branch", "old-branch"], ["branch", "old-$(touch${IFS}pwned)"]):
        subprocess.run([*git, *arguments], check=True)


def help_of(binaries, verb):
    """Returns flag -> the choices that help shows, or None; and the same for positional arguments.

    Returns None if the verb's program was not built."""
    done = subprocess.run([binaries / "opledger", *([verb] if verb else []), "--help"], text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None
    flags, arguments = {}, {}
    for line in re.split("\n(?:Examples|Start here):", done.stdout)[0].splitlines():
        match = re.match(r"  (\S+)(?: (\S+))?", line)
        if not match or line.startswith("   "):
            continue
        choices = re.search(r"\{([\w,-]+)\}", match[2] or "")
        choices = choices[1].split(",") if choices else None
        value = match[2] if match[1].startswith("-") else match[1]
        if value and not choices and value not in VALUES:
            raise LookupError(f"checker/completion/completion.cpp does not know {value}, of {verb} {match[1]}")
        if match[1].startswith("-"):
            for name in match[1].split(","):
                flags[re.sub(r"\{.*\}", "", name)] = choices
        else:
            arguments[match[1]] = choices
    return flags, arguments


def verbs_of(binaries):
    text = subprocess.run([binaries / "opledger", "--help"], text=True, capture_output=True,
                          check=True).stdout
    return re.findall(r"^  ([a-z]+) ", text.split("\nStart here:\n")[1], re.MULTILINE)


def lines_from_help(binaries):
    """Returns more such lines: the verbs, the flags of each, and the choices of each flag."""
    verbs = verbs_of(binaries)
    lines = {"opledger ": verbs}
    common, _ = help_of(binaries, "")
    for verb in verbs:
        known = help_of(binaries, verb)
        if known is None:
            print(f"SKIPPED: {verb}: its program was not built")
            continue
        flags, arguments = known
        ours = "-C" not in flags and verb not in ("convert", "inspect", "revert", "run",
                                                    "compare", "bench", "tune", "characterize")
        lines[f"opledger {verb} -"] = sorted({**flags, **(common if ours else {})})
        for flag, choices in flags.items():
            if choices:
                lines[f"opledger {verb} {flag} "] = choices
        for choices in list(arguments.values())[:1]:
            if choices:
                lines[f"opledger {verb} "] = choices
    return lines


def run_in(shell, problems_of):
    """Runs the test of one shell. Returns 77 without the shell, 1 if problems_of(folder,
    environment, lines) returns any or a name of the hostile project was executed, otherwise 0."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    if shutil.which(shell) is None:
        print(f"SKIPPED: there is no {shell}")
        return 77
    with tempfile.TemporaryDirectory(prefix=f"opledger-{shell}-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        make_project(folder)
        environment = {**os.environ, "PATH": f"{binaries}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                       "HOME": str(folder)}
        problems = problems_of(folder, environment, {**LINES, **lines_from_help(binaries)})
        if (folder / "pwned").exists():
            problems.append("a name was executed")
    print("\n".join(problems))
    return 1 if problems else 0

#!/usr/bin/env python3
"""Runs golden cases: files that contain commands, their input files and the expected results.

    run_golden.py [--bin FOLDER] [--jobs N] [--every N] CASE.txt|FOLDER...      a folder: all cases in it

    # What the case shows, in one or two lines.
    requires: scanner                  optional: the case is skipped if this is missing
    $ opledger check src --list list.json
    exit 1                             exit status of the command above; the default is 0
    -- list.json --                    an input file
    -- stdout --                       expected output of all commands together
    -- stderr --
    -- output list.json --             expected content of a file after the commands

All commands run in order, through `sh`, in one scratch folder, with the build's programs first in
PATH. The content of a section is everything between its line and the next section, byte for byte;
if the line's name ends in ` (no newline)`, the last newline is dropped. If there is no `stdout` or
`stderr` section, nothing may be printed there. `ignore: stderr` in the head means that this stream
is not compared. In an expected section, `{VERSION}` means the tool's version, `{SCRATCH}` the
scratch folder and `{SOURCE}` the repository, which commands have as $OPLEDGER_SOURCE.
Requirements: scanner (opledger-scan was built), mxnet-source (commands have its folder as
$OPLEDGER_MXNET_SOURCE).

Prints "N passed, N failed, N skipped" and the reason for each case that did not pass. Exit status: 0 all passed,
1 a case failed (with a unified diff), 2 a file is malformed, 77 all were skipped. OPLEDGER_UPDATE_GOLDEN=1 writes
the actual results into the files instead.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import test_data  # noqa: E402
SECTION = re.compile(r"-- (.+?)( \(no newline\))? --")
STREAMS = ("stdout", "stderr")
SKIPPED = 77
TIMEOUT_SECONDS = 120


class Malformed(Exception):
    pass


@dataclasses.dataclass
class Command:
    text: str
    exit_status: int = 0


@dataclasses.dataclass
class Case:
    path: pathlib.Path
    head: list[str]  # lines as written, for updates
    commands: list[Command]
    requires: list[str]
    ignore: list[str]
    sections: dict[str, str]  # in file order


def read(path):
    """Bytes that are not UTF-8 become surrogates; only LF ends a line."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def parse_head(case, number, line):
    if line.startswith("$ "):
        case.commands.append(Command(line[2:]))
    elif match := re.fullmatch(r"exit (\d+)", line):
        if not case.commands:
            raise Malformed(f"{case.path}:{number}: 'exit' before the first command")
        case.commands[-1].exit_status = int(match[1])
    elif match := re.fullmatch(r"(requires|ignore): (.+)", line):
        getattr(case, match[1]).extend(re.split(r",\s*", match[2]))
    elif line and not line.startswith("#"):
        raise Malformed(f"{case.path}:{number}: not a comment, '$ command', 'exit N', "
                        f"'requires: NAME', 'ignore: STREAM' or a section: {line!r}")


def parse(path):
    case = Case(path, [], [], [], [], {})
    name, strip = None, False
    lines = read(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        section = SECTION.fullmatch(line)
        if section:
            if strip:
                case.sections[name] = case.sections[name].removesuffix("\n")
            name, strip = section[1], bool(section[2])
            if name in case.sections:
                raise Malformed(f"{path}:{number}: section '{name}' occurs twice")
            case.sections[name] = ""
        elif name is None:
            case.head.append(line)
            parse_head(case, number, line)
        else:
            case.sections[name] += line + "\n"
    if strip:
        case.sections[name] = case.sections[name].removesuffix("\n")
    if not case.commands:
        raise Malformed(f"{path}: no '$ command' line")
    for stream in case.ignore:
        if stream not in STREAMS:
            raise Malformed(f"{path}: 'ignore: {stream}': must be stdout or stderr")
    return case


def render(case):
    """Returns the file's text: the head with the commands' exit statuses, then the sections."""
    commands = iter(case.commands)
    out = []
    for line in case.head:
        if re.fullmatch(r"exit \d+", line):
            continue
        out.append(line + "\n")
        if line.startswith("$ "):
            status = next(commands).exit_status
            if status:
                out.append(f"exit {status}\n")
    for name, content in case.sections.items():
        complete = content == "" or content.endswith("\n")
        out.append(f"-- {name}{'' if complete else ' (no newline)'} --\n")
        out.append(content if complete else content + "\n")
    return "".join(out)


def is_input(name):
    return name not in STREAMS and not name.startswith("output ")


def missing(case, bin_folder):
    """Returns the requirements of the case that this machine or build does not meet."""
    have = {
        "scanner": lambda: (bin_folder / "opledger-scan").exists(),
        "mxnet-source": lambda: test_data.source(test_data.MXNET_SOURCE) is not None,
    }
    for name in case.requires:
        if name not in have:
            raise Malformed(f"{case.path}: 'requires: {name}': must be one of {', '.join(have)}")
    return [name for name in case.requires if not have[name]()]


def environment(case, scratch, bin_folder):
    """The commands' environment. Of the caller's, only PATH, sanitizer options and folders of real data are kept."""
    kept = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
    result = {name: os.environ[name] for name in kept if name in os.environ}
    if "mxnet-source" in case.requires:
        result["OPLEDGER_MXNET_SOURCE"] = str(test_data.source(test_data.MXNET_SOURCE).resolve())
    result.update(PATH=f"{bin_folder}:{os.environ.get('PATH', '/usr/bin:/bin')}", LANG="C.UTF-8",
                  TZ="UTC", HOME=str(scratch / "home"), TMPDIR=str(scratch / "tmp"),
                  OPLEDGER_CACHE_DIR=str(scratch / "cache"), OPLEDGER_SOURCE=str(ROOT))
    return result


def run(case, scratch, bin_folder):
    """Runs the commands in `scratch`/work; returns (exit statuses, {"stdout": text, "stderr": text})."""
    work = scratch / "work"
    for folder in (work, scratch / "home", scratch / "tmp"):
        folder.mkdir()
    for name, content in case.sections.items():
        if is_input(name):
            target = work / name
            if not target.resolve().is_relative_to(work.resolve()):
                raise Malformed(f"{case.path}: input file '{name}' is outside the scratch folder")
            write(target, content)
    statuses, streams = [], {"stdout": b"", "stderr": b""}
    for command in case.commands:
        try:
            done = subprocess.run(["sh", "-c", command.text], cwd=work, stdin=subprocess.DEVNULL,
                                  env=environment(case, scratch, bin_folder), capture_output=True,
                                  timeout=TIMEOUT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            streams["stderr"] += f"[did not end within {TIMEOUT_SECONDS} s: {command.text}]\n".encode()
            statuses.append(-1)
            continue
        statuses.append(done.returncode)
        streams["stdout"] += done.stdout
        streams["stderr"] += done.stderr
    return statuses, {name: text.decode("utf-8", "surrogateescape")
                      for name, text in streams.items()}


def actual_sections(case, streams, work):
    """Returns the actual content of each expected section, by name; None if the file does not exist."""
    actual = {name: text for name, text in streams.items() if name not in case.ignore}
    for name in case.sections:
        if name.startswith("output "):
            path = work / name.removeprefix("output ")
            actual[name] = read(path) if path.is_file() else None
    return actual


def placeholders(scratch, version):
    return {"{SCRATCH}": str(scratch / "work"), "{SOURCE}": str(ROOT), "{VERSION}": version}


def diff(name, expected, actual):
    def lines(text):
        result = text.split("\n")
        if result[-1] == "":
            return result[:-1]
        return result[:-1] + [result[-1] + "\\ (no newline at the end)"]
    return "\n".join(difflib.unified_diff(lines(expected), lines(actual), f"{name} (expected)",
                                          f"{name} (actual)", lineterm=""))


def compare(case, statuses, actual, values):
    """Returns the differences as a list of texts."""
    problems = [f"exit status {status}, expected {command.exit_status}: $ {command.text}"
                for command, status in zip(case.commands, statuses)
                if status != command.exit_status]
    for name, text in actual.items():
        expected = case.sections.get(name, "")
        for placeholder, value in values.items():
            expected = expected.replace(placeholder, value)
        if text is None:
            problems.append(f"{name.removeprefix('output ')}: was not written")
        elif text != expected:
            problems.append(diff(name, expected, text))
    return problems


def update(case, statuses, actual, values):
    for command, status in zip(case.commands, statuses):
        command.exit_status = status
    for name, text in actual.items():
        text = text or ""
        for placeholder, value in values.items():
            # The version may occur in a text by coincidence: replace it only in sections that had the placeholder.
            if placeholder != "{VERSION}" or placeholder in case.sections.get(name, ""):
                text = text.replace(value, placeholder)
        if text or name.startswith("output "):
            case.sections[name] = text
        else:
            case.sections.pop(name, None)
    write(case.path, render(case))


def run_case(path, options):
    """Returns ("passed" | "failed" | "skipped" | "malformed", message)."""
    try:
        case = parse(path)
        lacking = missing(case, options.bin)
    except Malformed as error:
        return "malformed", f"{error}\n"
    if lacking:
        return "skipped", f"SKIPPED {path}: requires {', '.join(lacking)}\n"
    with tempfile.TemporaryDirectory(prefix="opledger-golden-") as folder:
        scratch = pathlib.Path(folder).resolve()
        try:
            statuses, streams = run(case, scratch, options.bin)
        except Malformed as error:
            return "malformed", f"{error}\n"
        actual = actual_sections(case, streams, scratch / "work")
        values = placeholders(scratch, options.tool_version)
        problems = compare(case, statuses, actual, values)
        if problems and os.environ.get("OPLEDGER_UPDATE_GOLDEN") == "1":
            update(case, statuses, actual, values)
            return "passed", f"UPDATED {path}\n"
    if problems:
        return "failed", f"FAILED {path}\n" + "\n".join(problems) + "\n"
    return "passed", ""


def chosen_cases(paths, every):
    for path in paths:
        yield from sorted(path.rglob("*.txt"))[::every] if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin",
                        help="folder of the programs under test")
    parser.add_argument("--tool-version", default="0.1.0")
    parser.add_argument("--jobs", type=int, default=1, help="number of cases that run at once")
    parser.add_argument("--every", type=int, default=1, help="run only every Nth case of a folder")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda path: run_case(path, options), chosen_cases(options.cases, options.every)))
    counts = collections.Counter(what for what, _ in results)
    print(", ".join(f"{counts[what]} {what}" for what in ("passed", "failed", "skipped")))
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(said for _, said in results).encode("utf-8", "backslashreplace"))
    if counts["malformed"]:
        return 2
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else SKIPPED


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares scan and check with `clang -E` in the same run.

    tests/bench/scan_benchmark.py [--build build] [--repeats 5] [--sample N]

Rows: a scan of all of MXNet with an empty cache (CPU time, and peak memory, at -j1); the same with
a warm cache, compared with the cold scan; a check of one changed file with a warm cache. CPU time
is user + system of the process and all children it waited for; medians of repeats. `clang -E` runs
once per file, sequentially, with the dialect's include directories and -nostdinc; missing headers
stop neither side. With --sample N it runs on N files only, and the total is extrapolated. --other
DIALECT=FOLDER adds the cold scan of another framework's checkout, which has no bar. Exit status: 0
all bars are met, 1 some are not, 2 it could not run, 77 no MXNet source.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from test_data import MXNET_SOURCE, require_sources  # noqa: E402

CHANGED_FILE = "src/operator/nn/activation.cc"


@dataclasses.dataclass
class Cost:
    cpu: float  # seconds
    wall: float  # seconds
    memory: float  # peak of the largest process, MB


class Failed(Exception):
    pass


def run(command, folder, cache=None, accepted=(0,)):
    """Returns the cost of one command; discards its output."""
    environment = {**os.environ, "OPLEDGER_CACHE_DIR": str(cache)} if cache else None
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # wait4, since getrusage does not separate the memory of one child from that of earlier ones.
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if accepted is not None and process.returncode not in accepted:
        raise Failed(f"exit {process.returncode}: {' '.join(map(str, command))}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def median(costs):
    return Cost(*(statistics.median(getattr(cost, field.name) for cost in costs)
                  for field in dataclasses.fields(Cost)))


def clang_preprocess(clang, dialect, source, path):
    directories = [f"-I{folder}" for folder in dialect["include_directories"]]
    return run([clang, "-E", "-x", "c++", "-std=c++17", "-nostdinc", *directories, path,
                "-o", "/dev/null"], source, accepted=None)


def expression(glob):
    """Returns the regular expression of a glob: ** spans folders, * does not."""
    parts = re.split(r"(\*\*/|\*\*|\*)", glob)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("".join(meaning.get(part) or re.escape(part) for part in parts))


def units(dialect, source):
    """Returns the translation units that a scan reads."""
    wanted = [expression(glob) for glob in dialect["sources"]]
    excluded = [expression(each if isinstance(each, str) else each["path"]) for each in dialect.get("exclude", [])]
    paths = (path.relative_to(source).as_posix() for path in source.rglob("*")
             if path.suffix in dialect["extensions"])
    return sorted(path for path in paths if any(glob.fullmatch(path) for glob in wanted)
                  and not any(glob.fullmatch(path) for glob in excluded))


def clang_all(clang, dialect, source, sample):
    """Returns (cost over all files, how it was measured)."""
    paths = units(dialect, source)
    step = max(1, len(paths) // sample) if sample else 1
    chosen = paths[::step]
    costs = [clang_preprocess(clang, dialect, source, path) for path in chosen]
    scale = len(paths) / len(chosen)
    how = f"{len(paths)} files" if step == 1 else f"{len(chosen)} of {len(paths)} files, extrapolated"
    return Cost(scale * sum(cost.cpu for cost in costs), scale * sum(cost.wall for cost in costs),
                max(cost.memory for cost in costs)), how


class Report:
    def __init__(self):
        self.all_met = True

    def row(self, work, ours, theirs, ratio, bars):
        """`bars`: (text, whether it is met)."""
        print(f"{work}\n  ours    {ours}\n  against {theirs}\n  ratio   {ratio}")
        for text, met in bars:
            print(f"  bar     {text}: {'met' if met else 'MISSED'}")
            self.all_met = self.all_met and met
        print()


def whole_tree(options, dialect, source, folder, report):
    scan = [options.build / "bin/opledger", "scan", "--dialect", "mxnet", "-j", "1",
            "-o", folder / "operators.json"]
    cold, warm = [], []
    for repeat in range(options.repeats):
        cache = folder / f"cache-{repeat}"
        cold.append(run(scan, source, cache))
        warm.append(run(scan, source, cache))
    cold, warm = median(cold), median(warm)
    clang, how = clang_all(options.clang, dialect, source, options.sample)
    report.row("scan of all of MXNet, cold, -j1",
               f"{cold.cpu:.3f} s CPU, {cold.memory:.0f} MB",
               f"{clang.cpu:.1f} s CPU, {clang.memory:.0f} MB: {options.clang} -E of {how}",
               f"1/{clang.cpu / cold.cpu:.0f}",
               [("CPU <= 1/250", cold.cpu * 250 <= clang.cpu), ("<= 64 MB", cold.memory <= 64)])
    report.row("scan of all of MXNet, warm cache, -j1", f"{warm.cpu:.3f} s CPU",
               f"{cold.cpu:.3f} s CPU: own cold run", f"1/{cold.cpu / warm.cpu:.1f}",
               [("CPU <= 1/5", warm.cpu * 5 <= cold.cpu)])


def another(options, name, source, folder, report):
    dialect = json.loads((ROOT / f"registry/dialects/{name}.json").read_text())
    scan = [options.build / "bin/opledger", "scan", "--dialect", name, "--config", "none", "-j", "1",
            "-o", folder / "operators.json"]
    cold = median([run(scan, source, folder / f"cache-{name}-{repeat}")
                   for repeat in range(options.repeats)])
    clang, how = clang_all(options.clang, dialect, source, options.sample)
    report.row(f"scan of {source.name} ({name}), cold, -j1",
               f"{cold.cpu:.3f} s CPU, {cold.memory:.0f} MB",
               f"{clang.cpu:.1f} s CPU, {clang.memory:.0f} MB: {options.clang} -E of {how}",
               f"1/{clang.cpu / cold.cpu:.0f}", [])


def changed_file(options, dialect, source, folder, report):
    copy, cache = folder / "mxnet", folder / "cache-changed"
    shutil.copytree(source, copy, symlinks=True)
    check = [options.build / "bin/opledger", "check", "--dialect", "mxnet", CHANGED_FILE]
    accepted = (0, 1)
    run(check[:-1], copy, cache, accepted)
    ours, theirs = [], []
    for repeat in range(2 * options.repeats):
        with open(copy / CHANGED_FILE, "a", encoding="utf-8") as file:
            file.write(f"// change {repeat}\n")
        ours.append(run(check, copy, cache, accepted))
        theirs.append(clang_preprocess(options.clang, dialect, copy, CHANGED_FILE))
    ours, theirs = median(ours), median(theirs)
    report.row(f"check of one changed file ({CHANGED_FILE}), warm cache",
               f"{1000 * ours.wall:.0f} ms wall, {1000 * ours.cpu:.0f} ms CPU",
               f"{1000 * theirs.wall:.0f} ms wall, {1000 * theirs.cpu:.0f} ms CPU: "
               f"{options.clang} -E of that file",
               f"1/{theirs.wall / ours.wall:.1f} wall, 1/{theirs.cpu / ours.cpu:.1f} CPU",
               [("wall <= 1/2", ours.wall * 2 <= theirs.wall),
                ("CPU <= 1/2", ours.cpu * 2 <= theirs.cpu),
                ("wall <= 50 ms", ours.wall <= 0.05)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sample", type=int, default=0,
                        help="run clang -E only on about N files and extrapolate")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--other", action="append", default=[], metavar="DIALECT=FOLDER")
    options = parser.parse_args()
    options.build = options.build.resolve()
    source, = require_sources(MXNET_SOURCE)
    dialect = json.loads((ROOT / "registry/dialects/mxnet.json").read_text())
    report = Report()
    try:
        with tempfile.TemporaryDirectory(prefix="opledger-bench-") as folder:
            whole_tree(options, dialect, source.resolve(), pathlib.Path(folder), report)
            changed_file(options, dialect, source.resolve(), pathlib.Path(folder), report)
            for other in options.other:
                name, checkout = other.split("=", 1)
                another(options, name, pathlib.Path(checkout).resolve(), pathlib.Path(folder), report)
    except (Failed, OSError) as error:
        print(f"could not run: {error}", file=sys.stderr)
        return 2
    return 0 if report.all_met else 1


if __name__ == "__main__":
    sys.exit(main())

"""The command line of tests that convert generated models and judge the results: parses options,
runs the cases, and prints the problems, each with the command that reproduces it, and a table of
verdicts."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None

TYPES = ("float16", "bfloat16")
SHOWN = 40


def options_of(description):
    """Parses the options; exits as skipped if the peers are missing."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    parser.add_argument("--only", default="", help="only models whose names contain this")
    parser.add_argument("--dtype", choices=TYPES, action="append", help="only this type")
    parser.add_argument("--runtime", choices=("rounded", "onnxruntime", "opledger"), default="rounded",
                        help="what runs the converted model: see verdict.py")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep models with problems, including converted ones, in DIR")
    parser.add_argument("--table", action="store_true", help="print the verdicts by each part of the names")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE", help="write every verdict to FILE")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    return options


def keep(folder, name, dtype, scratch):
    where = folder / f"{name.replace('/', '_').replace(' ', '_')}.{dtype}"
    where.mkdir(parents=True, exist_ok=True)
    for file in scratch.glob("*.onnx"):
        shutil.copy(file, where)


def print_table(verdicts):
    """Prints verdicts by each part of the names."""
    parts = collections.defaultdict(collections.Counter)
    for (name, dtype), verdict in verdicts.items():
        for at, part in enumerate([dtype, *name.split("/")]):
            parts[at, part][verdict.text] += 1
    for (at, part), counts in sorted(parts.items(), key=str):
        if counts.total() > 4:  # not the seed of one model
            print(f"{at} {part}: " + ", ".join(f"{count} {text}" for text, count in counts.most_common()))


def judge_all(cases, options):
    """`cases`: (name, function that returns the Case) of each model. Returns the exit status."""
    from verdict import Judge
    verdicts = {}
    chosen = [(name, make) for name, make in cases if options.only in name][::options.every]
    for dtype in options.dtype or TYPES:
        with tempfile.TemporaryDirectory(prefix="opledger-values-") as folder:
            scratch = pathlib.Path(folder)
            judge = Judge(options.bin.resolve(), scratch, dtype, options.runtime)
            for name, make in chosen:
                verdict = verdicts[name, dtype] = judge.judge(make())
                if verdict.wrong and options.keep:
                    keep(options.keep, name, dtype, scratch)
        counts = collections.Counter(verdict.text for (_, of), verdict in verdicts.items() if of == dtype)
        print(f"{dtype}: {len(chosen)} models: " + ", ".join(f"{count} {text}" for text, count in counts.most_common()))
    if options.table:
        print_table(verdicts)
    if options.list:
        options.list.write_text("".join(f"{dtype}\t{name}\t{verdict.text}\t{verdict.detail}\n"
                                        for (name, dtype), verdict in verdicts.items()), encoding="utf-8")
    wrong = [(name, dtype, verdict) for (name, dtype), verdict in verdicts.items() if verdict.wrong]
    for name, dtype, verdict in wrong[:SHOWN]:
        print(f"{name} in {dtype}: {verdict.text} {verdict.detail}\n  {sys.argv[0]} --bin {options.bin} "
              f"--dtype {dtype} --only {name!r}")
    if len(wrong) > SHOWN:
        print(f"and {len(wrong) - SHOWN} more")
    return 1 if wrong or not verdicts else 0

#!/usr/bin/env python3
"""Counts the casts and low nodes of each converted model, to compare two builds:

    cast_counts.py --bin build/bin -o before.csv [--sets data,node,...] [FOLDER...]
    cast_counts.py --compare before.csv after.csv [--worst N]

Without a folder of models: the sets that tests use, which are the test data, models of the package
onnx and of ci/setup, onnx's node tests, and the models that the generators of tests/conversion
produce.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion"), str(ROOT / "tests/kernels")]
import peers
from model_data import ONNX, onnx_models, trained_onnx_models

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None

TYPES = ("float16", "bfloat16")
COLUMNS = ("set", "model", "dtype", "status", "nodes", "low", "casts")


def data_models(_):
    yield from ((str(path.relative_to(ONNX)), path) for path in onnx_models())
    yield "demo", ROOT / "tests/demo/model.onnx"


def package_models(_):
    folder = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    yield from ((str(path.relative_to(folder)), path) for path in sorted(folder.rglob("*.onnx")))


def trained_models(_):
    yield from ((path.name, path) for path in trained_onnx_models())


def node_models(folder):
    from every_node_test import make_cases
    yield from ((case.name, case / "model.onnx") for case in make_cases(folder / "cases"))


def saved(folder, pairs):
    """Yields the files of (name, function that generates the model) pairs."""
    for name, make in pairs:
        path = folder / f"{name.replace('/', '_')}.onnx"
        path.write_bytes(make().SerializeToString())
        yield name, path


def trap_models(folder):
    from trap_models import TRAPS
    from trap_models_structure import STRUCTURE_TRAPS
    from trap_networks import NETWORKS
    yield from saved(folder, ((trap.name, trap.model) for trap in [*TRAPS, *STRUCTURE_TRAPS, *NETWORKS]))


def network_models(folder):
    from trap_networks import bert, resnet
    for name, make in (("resnet", resnet), ("resnet-unfolded", lambda: resnet(folded=False)), ("bert-14", bert),
                       ("bert-17", lambda: bert(opset=17))):
        yield from saved(folder, [(name, make)])


def guarded_models(folder):
    from guarded_models import guarded_model, name_of, names
    yield from saved(folder, ((name_of(*each), lambda each=each: guarded_model(*each).model) for each in names()[::10]))


def hazard_models(folder):
    from hazard_models import hazard_model, name_of, names
    yield from saved(folder, ((name_of(*each), lambda each=each: hazard_model(*each).model)
                              for each in names()[::3] if each[0] != "ordinary"))


def ordinary_models(folder):
    from hazard_models import COUNT, hazard_model, name_of
    yield from saved(folder, ((name_of("ordinary", seed), lambda seed=seed: hazard_model("ordinary", seed).model)
                              for seed in range(COUNT)))


def random_models(folder):
    from random_graphs import random_graph
    yield from saved(folder, ((f"random-{seed}", lambda seed=seed: random_graph(seed).model) for seed in range(500)))


SETS = {"data": data_models, "package": package_models, "trained": trained_models, "node": node_models,
        "traps": trap_models, "networks": network_models, "guarded": guarded_models, "hazards": hazard_models,
        "ordinary": ordinary_models, "random": random_models}


def count(program, path, dtype, report):
    """Returns (status, nodes, low nodes, casts) of a conversion without output file."""
    report.unlink(missing_ok=True)
    command = [program, path, "--dry-run", "--unlisted", "ignore", "--target-dtype", dtype, "--report", report]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not report.exists():
        return "refused", "", "", ""
    totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    return "converted", totals["nodes"], totals["low"], totals["casts"]


def count_all(program, models, scratch):
    """Yields the rows of (name, path) pairs, two at a time."""
    jobs = [(name, path, dtype, scratch / f"report-{at}-{dtype}.json")
            for at, (name, path) in enumerate(models) for dtype in TYPES]

    def row(job):
        name, path, dtype, report = job
        found = count(program, path, dtype, report)
        report.unlink(missing_ok=True)
        return name, dtype, *found
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from pool.map(row, jobs)


def measure(options):
    wanted = {}
    if options.folders:
        for folder in options.folders:
            wanted[folder.name] = lambda _, folder=folder: [(str(path.relative_to(folder)), path)
                                                            for path in sorted(folder.rglob("*.onnx"))]
    else:
        wanted = {name: SETS[name] for name in options.sets.split(",")}
    totals = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="opledger-counts-") as folder, \
            open(options.output, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for name, models in wanted.items():
            scratch = pathlib.Path(folder) / name
            scratch.mkdir()
            for model, dtype, status, nodes, low, casts in count_all(options.bin.resolve() / "opledger-convert",
                                                                     models(scratch), scratch):
                out.writerow((name, model, dtype, status, nodes, low, casts))
                totals[name, dtype, "models"] += 1
                totals[name, dtype, "refused"] += status == "refused"
                for what, figure in (("nodes", nodes), ("low", low), ("casts", casts)):
                    totals[name, dtype, what] += figure or 0
    for name in wanted:
        for dtype in TYPES:
            print(f"{name} in {dtype}: " + ", ".join(f"{totals[name, dtype, what]} {what}" for what in (
                "models", "refused", "nodes", "low", "casts")))
    return 0


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["set"], row["model"], row["dtype"]): row for row in csv.DictReader(file)}


def compare(before, after, worst):
    """Prints, for each set and type, how casts and low nodes changed, and the models with the
    largest changes."""
    before, after = rows_of(before), rows_of(after)
    sums, changed = collections.defaultdict(collections.Counter), []
    for key in sorted(before.keys() & after.keys()):
        was, now = before[key], after[key]
        total = sums[key[0], key[2]]
        total["models"] += 1
        if was["status"] != now["status"]:
            total[f"now {now['status']}"] += 1
        if "refused" in (was["status"], now["status"]):
            continue
        casts, low = (int(now[what]) - int(was[what]) for what in ("casts", "low"))
        total.update({"casts before": int(was["casts"]), "casts after": int(now["casts"]),
                      "low before": int(was["low"]), "low after": int(now["low"]), "more casts": casts > 0,
                      "fewer casts": casts < 0, "fewer low nodes": low < 0, "more low nodes": low > 0})
        if casts or low:
            changed.append((abs(low) + abs(casts), key, was, now))
    for (name, dtype), total in sums.items():
        print(f"{name} in {dtype}: " + ", ".join(f"{figure} {what}" for what, figure in total.items() if figure))
    for _, (name, model, dtype), was, now in sorted(changed, key=lambda each: -each[0])[:worst]:
        print(f"  {name} {model} in {dtype}: casts {was['casts']} -> {now['casts']}, low {was['low']} -> {now['low']} "
              f"of {now['nodes']}")
    for which, missing in (("first", after.keys() - before.keys()), ("second", before.keys() - after.keys())):
        if missing:
            print(f"{len(missing)} rows are not in the {which} file")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("-o", "--output", type=pathlib.Path, default="casts.csv")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--compare", nargs=2, metavar="CSV")
    parser.add_argument("--worst", type=int, default=40, help="number of models to print in a comparison")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare, options.worst)
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())

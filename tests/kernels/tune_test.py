#!/usr/bin/env python3
"""Tests `opledger tune` on small models: it keeps as few nodes as an exhaustive search, and the
model converted with its list is within the requested error.

Prints the counts. Exit status: 0 success, 1 failure.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import itertools
import json
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_onnx import model_bytes  # noqa: E402

problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def layered_model(seed, layers, size):
    """Returns products, sums and functions in sequence, with a shortcut."""
    chance = random.Random(seed)
    nodes, initializers, value = [], {}, "x"
    for i in range(layers):
        weights = [round(chance.gauss(0, 1 / size ** 0.5), 4) for _ in range(size * size)]
        initializers[f"w{i}"] = ["float32", [size, size], weights]
        kind = chance.choice(["Relu", "Tanh", "Sigmoid"])
        nodes += [["MatMul", [value, f"w{i}"], [f"p{i}"], {"name": f"product{i}"}],
                  [kind, [f"p{i}"], [f"f{i}"], {"name": f"function{i}"}]]
        value = f"f{i}"
    nodes.append(["Add", [value, "f0"], ["y"], {"name": "shortcut"}])
    shape = [2, size]
    return {"opset": 17, "inputs": {"x": ["float32", shape]}, "outputs": {"y": ["float32", shape]},
            "initializers": initializers, "nodes": nodes}


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=900)
    expect(done.returncode in (0, 1), *arguments, done.stderr)
    return done


def error_with(program, model, base, kept, folder):
    """Returns the largest error of an output if these nodes stay in float32."""
    path = folder / "some.json"
    path.write_text(json.dumps({**base, "fp32_nodes": list(kept)}))
    said = json.loads(run(program, "--compare", model, "--autocast", base["target_dtype"], "--list", path,
                          "--format", "json").stdout)
    return max(float("inf") if o["error"]["not_finite"] else o["error"]["relative"] for o in said["outputs"])


def fewest(program, model, base, names, limit, folder):
    """Returns the minimum number of nodes to keep, by exhaustive search."""
    for count in range(len(names) + 1):
        for kept in itertools.combinations(names, count):
            if error_with(program, model, base, kept, folder) <= limit:
                return count
    return None


def check_model(programs, model, base, names, part, folder):
    """Requests the fraction `part` of the error that the list alone leaves."""
    runner, converter = programs
    listed, overrides, mixed = folder / "list.json", folder / "overrides.json", folder / "mixed.onnx"
    listed.write_text(json.dumps(base))
    limit = part * error_with(runner, model, base, (), folder)
    target = base["target_dtype"]
    done = run(runner, "--tune", model, "--max-error", repr(limit), "--target-dtype", target, "--list", listed,
               "-o", overrides)
    expect(done.returncode == 0, model.name, part, done.stdout)
    kept = json.loads(overrides.read_text())["fp32_nodes"]
    best = fewest(runner, model, base, names, limit, folder)
    expect(len(kept) == best, f"{model.name}: {len(kept)} nodes are kept for {part} of the error, {best} are enough")
    run(converter, model, "-o", mixed, "--list", overrides, "--target-dtype", target)
    again = run(runner, "--compare", model, mixed, "--max-error", repr(limit))
    expect(again.returncode == 0, model.name, "converted with its list, it exceeds the bound:", again.stdout)
    return len(kept)


def casts_of(converter, model, target, *more):
    said = run(converter, model, "--dry-run", "--target-dtype", target, *more).stdout
    return int(re.search(r"(\d+) casts?", said)[1])


def check_beyond_list(programs, folder):
    """--beyond-list: nodes that the list keeps in float32 run low if the bound allows it, never
    with more casts than with the list, and the converted model is within the bound."""
    runner, converter = programs
    model, listed, found, mixed = (folder / name for name in ("beyond.onnx", "kept.json", "found.json", "low.onnx"))
    model.write_bytes(model_bytes(layered_model(7, 5, 8)))
    base = {"framework": "onnx", "target_dtype": "float16", "target": ["MatMul"], "fp32": ["Add", "Relu", "Sigmoid", "Tanh"]}
    listed.write_text(json.dumps(base))
    by_list = casts_of(converter, model, "float16", "--list", listed)
    error = error_with(runner, model, base, (), folder)
    fewest_casts = []
    for limit in (error * 0.3, error, error * 2, 0.5):
        done = run(runner, "--tune", model, "--max-error", repr(limit), "--list", listed, "--beyond-list", "-o", found)
        expect(done.returncode == 0, "beyond the list:", limit, done.stdout)
        casts = casts_of(converter, model, "float16", "--list", found)
        expect(f"casts: {casts}, by the list {by_list}" in done.stdout, "casts:", casts, by_list, done.stdout)
        expect(limit < error or casts <= by_list, "more casts than with the list:", casts, by_list)
        run(converter, model, "-o", mixed, "--list", found)
        expect(run(runner, "--compare", model, mixed, "--max-error", repr(limit)).returncode == 0, "not within", limit)
        fewest_casts.append(casts)
    expect(by_list > 2 and fewest_casts[-1] == 2, "with a very loose bound:", fewest_casts, by_list)
    expect(json.loads(found.read_text())["either_nodes"], "no node beyond the list is named")


def slow_model(path, layers):
    """Writes a model whose float64 run takes seconds; returns its list."""
    size = 1024
    row = [((i * 37) % 101 - 50) / (40 * size ** 0.5) for i in range(size)]
    nodes = []
    for i in range(layers):
        nodes += [["MatMul", [f"h{i}", "w"], [f"p{i}"], {"name": f"product{i}"}],
                  ["Tanh", [f"p{i}"], [f"h{i + 1}"], {"name": f"function{i}"}]]
    weights = [number for i in range(size) for number in row[i:] + row[:i]]
    path.write_bytes(model_bytes({
        "opset": 17, "inputs": {"h0": ["float32", [256, size]]}, "outputs": {f"h{layers}": ["float32", [256, size]]},
        "initializers": {"w": ["float32", [size, size], weights]}, "nodes": nodes}))
    return {"framework": "onnx", "target_dtype": "bfloat16", "target": ["MatMul", "Tanh"]}


def check_stopped(program, folder, sample):
    """--time-budget is kept while samples are read and while runs are measured; Ctrl-C and SIGTERM
    end a search at once. Each time, the best result so far is written; if nothing was measured, all
    nodes are kept."""
    model, listed, found = folder / "slow.onnx", folder / "slow.json", folder / "soon.json"
    samples = folder / "samples"
    for layers in (20,) if sample else (20, 48):
        listed.write_text(json.dumps(slow_model(model, layers)))
        names = {f"{kind}{i}" for kind in ("product", "function") for i in range(layers)}
        for budget in (0, 1) if sample else (0, 1, 4):
            found.unlink(missing_ok=True)
            begin = time.monotonic()
            done = subprocess.run([program, "--tune", model, "--max-error", "1e-4", "--target-dtype", "bfloat16",
                                   "--list", listed, "--time-budget", str(budget), "-o", found, "--format", "json"],
                                  capture_output=True, text=True, check=False, timeout=600)
            took = time.monotonic() - begin
            expect(took <= 1.2 * budget + 2, f"{layers} layers: a budget of {budget} s took {took:.1f} s")
            expect(done.returncode in (0, 3) and found.exists(), layers, budget, done.returncode, done.stderr)
            said, kept = json.loads(done.stdout), set(json.loads(found.read_text())["fp32_nodes"])
            expect(said["stopped"] and said["measured"] == (done.returncode == 0), layers, budget, done.stdout[:300])
            expect(said["measured"] or kept == names, "nothing was measured, and not all is kept:", len(kept))
            expect(not said["measured"] or said["error"] <= 1e-4, layers, budget, "is not within the bound")
    for each in "abcdef":
        (samples / each).mkdir(parents=True)
        (samples / each / "h0.npy").write_bytes(npy(256, 1024))
    listed.write_text(json.dumps(slow_model(model, 12)))
    for budget in (4, 8, 16):  # on a busy machine, the first budget may be too small to measure anything
        begin = time.monotonic()
        done = subprocess.run([program, "--tune", model, "--max-error", "1e-4", "--target-dtype", "bfloat16", "--list",
                               listed, "--time-budget", str(budget), "--inputs-from", samples, "-o", found],
                              capture_output=True, text=True, check=False, timeout=600)
        took = time.monotonic() - begin
        expect(took <= 1.2 * budget + 2, f"samples: a budget of {budget} s took {took:.1f} s")
        if "nothing could be measured" not in done.stdout:
            break
    expect("kept in float32" in done.stdout and "of 6 samples" in done.stdout, done.stdout)
    long = 2 if sample else 4
    for layers, number, after, statuses in ((48, signal.SIGTERM, 0.4, (3,)), (20, signal.SIGTERM, long, (0, 3)),
                                            (20, signal.SIGINT, long, (0, 3))):
        listed.write_text(json.dumps(slow_model(model, layers)))
        found.unlink(missing_ok=True)
        search = subprocess.Popen([program, "--tune", model, "--max-error", "1e-4", "--target-dtype", "bfloat16",
                                   "--list", listed, "-o", found], stdout=subprocess.PIPE, text=True)
        time.sleep(after)
        search.send_signal(number)
        begin = time.monotonic()
        said, _ = search.communicate(timeout=600)
        took = time.monotonic() - begin
        name = {signal.SIGTERM: "SIGTERM", signal.SIGINT: "Ctrl-C"}[number]
        expect(took < 2 and search.returncode in statuses and f"stopped early by {name}" in said, name, after,
               f"{took:.1f} s", search.returncode, said)
        expect(found.exists(), name, after, "no list is written")


def npy(*shape):
    """Returns a file of positive and negative elements."""
    count = 1
    for each in shape:
        count *= each
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}".encode()
    text += b" " * (117 - len(text)) + b"\n"
    numbers = struct.pack("<7f", *range(-3, 4)) * (count // 7) + struct.pack("<f", 1) * (count % 7)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + numbers


def check_interrupt(program, folder):
    """Ctrl-C: the best result so far is written, and meets the bound."""
    description = layered_model(5, 400, 32)
    model, listed, found = folder / "long.onnx", folder / "base.json", folder / "soon.json"
    model.write_bytes(model_bytes(description))
    base = {"framework": "onnx", "target_dtype": "bfloat16", "target": ["Add", "MatMul", "Relu", "Sigmoid", "Tanh"]}
    listed.write_text(json.dumps(base))
    limit = 0.3 * error_with(program, model, base, (), folder)
    search = subprocess.Popen([program, "--tune", model, "--max-error", repr(limit), "--target-dtype", "bfloat16",
                               "--list", listed, "-o", found], stdout=subprocess.PIPE, text=True)
    time.sleep(0.4)
    search.send_signal(signal.SIGINT)
    said, _ = search.communicate(timeout=600)
    expect(search.returncode == 0 and "stopped early" in said, "an interrupted search:", search.returncode, said)
    if found.exists():
        kept = json.loads(found.read_text())["fp32_nodes"]
        expect(error_with(program, model, base, kept, folder) <= limit, "the result of an interrupted search exceeds the bound")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--sample", action="store_true", help="fewer searches and budgets, earlier interruptions")
    options = parser.parse_args()
    fewer = options.sample or options.every > 1
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    cases, kept = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for seed in range(1 if fewer else 2):
            description = layered_model(seed, 3, 8)
            names = [node[3]["name"] for node in description["nodes"]]
            model = folder / f"model{seed}.onnx"
            model.write_bytes(model_bytes(description))
            base = {"framework": "onnx", "target_dtype": ("float16", "bfloat16")[seed % 2],
                    "target": ["Add", "MatMul", "Relu", "Sigmoid", "Tanh"]}
            for part in (0.6,) if fewer else (0.6, 0.25):
                kept += check_model(programs, model, base, names, part, folder)
                cases += 1
        check_beyond_list(programs, folder)
        check_interrupt(programs[0], folder)
        if options.every == 1:  # sanitizers are slow
            check_stopped(programs[0], folder, options.sample)
        done = run(programs[0], "--tune", model, "--max-error", "0", "-o", folder / "none.json")
        expect(done.returncode == 1 and not (folder / "none.json").exists(), "an impossible error is met:",
               done.stdout)
    for problem in problems:
        print(problem)
    print(f"{cases} searches keep {kept} nodes, the fewest")
    return 1 if problems or not kept else 0


if __name__ == "__main__":
    sys.exit(main())

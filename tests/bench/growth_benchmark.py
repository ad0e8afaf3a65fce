#!/usr/bin/env python3
"""Measures how time and memory of conversions grow with the nodes, for several graph shapes.

    tests/bench/growth_benchmark.py [--bin build/bin] [--largest 1000000] [--only SHAPE]

Shapes: chain; reversed (a chain stored in reverse order); wide (one value that all nodes read); dag
(each node reads two earlier ones); nested (many towers of If nodes, 20 deep); calls (functions that
call functions). A row: nodes, CPU seconds (the least of three runs; one run from 500,000 nodes on),
ratio to half the nodes, peak memory. Bars: 2.2 times, 8 MB and 3 kB a node, 40 s for a million
nodes. Exit status: 0 all bars are met, 1 some are not.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_onnx import node, number, tensor, text, value_info  # noqa: E402

SMALLEST, GROWTH, SECONDS = 10_000, 2.2, 40
FLAT_MEMORY, NODE_MEMORY = 8 << 20, 3000
DEPTH = 20
OPS = (("MatMul", "w"), ("Relu", None), ("Add", "w"), ("Sigmoid", None))


def step(i, value, result):
    op, other = OPS[i % len(OPS)]
    return text(1, node(op, [value, other] if other else [value], [result]))


def graph_bytes(nodes, result="y"):
    weight = tensor("w", "float32", [2, 2], [1, 0, 0, 1])
    return (nodes + text(2, "g") + text(5, weight) + text(11, value_info("x", "float32", [2, 2])) +
            text(12, value_info(result, "float32", [2, 2])))


def model_bytes(graph, functions=()):
    out = number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, 17)) + text(8, text(1, "own") + number(2, 1))
    return out + b"".join(text(25, each) for each in functions)


def named(i, count):
    return "x" if i < 0 else "y" if i == count - 1 else f"v{i}"


def chain(count, backwards=False):
    steps = [step(i, named(i - 1, count), named(i, count)) for i in range(count)]
    return model_bytes(graph_bytes(b"".join(reversed(steps) if backwards else steps)))


def wide(count):
    steps = [step(i, "x", f"v{i}") for i in range(count - 1)]
    return model_bytes(graph_bytes(b"".join(steps) + text(1, node("Add", ["v0", f"v{count - 2}"], ["y"]))))


def dag(count):
    drawn = random.Random(count)
    steps = [step(0, "x", "v0")]
    for i in range(1, count):
        near, far = (f"v{drawn.randrange(max(0, i - reach), i)}" for reach in (8, i))
        result = "y" if i == count - 1 else f"v{i}"
        op = ("MatMul", "Add", "Mul", "Max")[drawn.randrange(4)]
        steps.append(text(1, node(op, [near, far], [result])))
    return model_bytes(graph_bytes(b"".join(steps)))


def nested(count):
    """Returns towers of If; each level has three nodes and the If."""
    steps, before = [], "x"
    yes = text(1, node("Constant", [], ["c"], {"value": {"tensor": ["bool", [], [1]]}}))
    for tower in range(max(1, count // (DEPTH * 7))):
        inner = b""
        for level in range(DEPTH - 1, -1, -1):
            names = [f"t{tower}_{level}_{k}" for k in range(4)]
            body = step(0, before, names[0]) + step(1, names[0], names[1])
            if inner:
                other = text(1, node("Relu", [names[1]], [f"{names[3]}e"])) + text(2, "e") + \
                    text(12, value_info(f"{names[3]}e", "float32", [2, 2]))
                body += text(1, node("If", ["c"], [names[2]]) + text(5, text(1, "then_branch") + text(6, inner) + number(20, 5)) +
                             text(5, text(1, "else_branch") + text(6, other) + number(20, 5)))
            else:
                body += text(1, node("Relu", [names[1]], [names[2]]))
            if level == 0:
                steps.append(body)
                before = names[2]
            else:
                inner = body + text(2, "t") + text(12, value_info(names[2], "float32", [2, 2]))
    steps.append(text(1, node("Relu", [before], ["y"])))
    return model_bytes(graph_bytes(yes + b"".join(steps)))


def calls(count):
    """Returns one function of ten nodes for every twenty nodes, each calling the previous one."""
    functions, last = [], None
    for i in range(max(1, count // 12)):
        body = b"".join(text(7, node("MatMul" if k % 4 == 0 else "Relu", [f"a{k}", "a0"] if k % 4 == 0 else [f"a{k}"],
                                     [f"a{k + 1}"])) for k in range(10))
        if last is not None and i % 50 != 0:
            body += text(7, node(f"own:{last}", ["a10"], ["b"]))
        else:
            body += text(7, node("Relu", ["a10"], ["b"]))
        last = f"F{i}"
        functions.append(text(1, last) + text(4, "a0") + text(5, "b") + body + text(9, text(1, "") + number(2, 17)) +
                         text(9, text(1, "own") + number(2, 1)) + text(10, "own"))
    steps, before = [], "x"
    for i in range(49, max(1, count // 12), 50):
        steps.append(text(1, node(f"own:F{i}", [before], [f"v{i}"])))
        before = f"v{i}"
    steps.append(text(1, node("Relu", [before], ["y"])))
    return model_bytes(graph_bytes(b"".join(steps)), functions)


SHAPES = {"chain": chain, "reversed": lambda count: chain(count, True), "wide": wide, "dag": dag, "nested": nested,
          "calls": calls}


def run(command):
    """Returns (CPU seconds, peak bytes); exits if the command fails."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            said.seek(0)
            raise SystemExit(f"{command}: {said.read().decode()[-300:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--only", choices=SHAPES)
    parser.add_argument("--make", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:  # in a child process, whose peak memory would otherwise start at its parent's size
        pathlib.Path(options.make[2]).write_bytes(SHAPES[options.make[0]](int(options.make[1])))
        return 0
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        source, target = (pathlib.Path(scratch) / name for name in ("model.onnx", "mixed.onnx"))
        for shape in [options.only] if options.only else SHAPES:
            count, before = SMALLEST, None
            while count <= options.largest:
                subprocess.run([sys.executable, "-B", __file__, "--make", shape, str(count), source], check=True)
                runs = [run([options.bin / "opledger-convert", source, "-o", target]) for _ in range(3 if count < 500_000 else 1)]
                seconds, memory = (min(each) for each in zip(*runs))
                ratio = seconds / before if before else None
                print(f"{shape:10}{count:9} nodes {seconds:8.2f} s" + (f" {ratio:5.2f} x the half" if ratio else " " * 17) +
                      f" {memory / 2**20:7.0f} MB, {(memory - FLAT_MEMORY) / count:6.0f} bytes a node", flush=True)
                if ratio and ratio > GROWTH:
                    missed.append(f"{shape}: {ratio:.2f} x the time for {count} nodes, the bar is {GROWTH}")
                if memory > FLAT_MEMORY + NODE_MEMORY * count:
                    missed.append(f"{shape}: {memory} bytes for {count} nodes")
                if count == 1_000_000 and seconds > SECONDS:
                    missed.append(f"{shape}: {seconds:.1f} s for a million nodes, the bar is {SECONDS}")
                before = seconds
                count *= 2
                if count > 640_000 and count < 2_000_000:
                    count, before = 1_000_000, None
    print("\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

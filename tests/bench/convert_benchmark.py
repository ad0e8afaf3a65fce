#!/usr/bin/env python3
"""Compares conversion to float16 by opledger and by the installed peers, with equal lists.

    tests/bench/convert_benchmark.py [--build build] [--peers PYTHON] [--only MODEL] [--repeats 3]

Models, all generated: bert12 (12 layers, LayerNorm and GELU written out), chain (4000 nodes),
resnet50, mxnet-resnet50 (MXNet's ResNet-50 with 102 MB of parameters, against MXNet's own amp,
whose import and start are not counted), and big (2.56 GB of external data; skipped if memory or
disk is short, and for peers without --big-peers). `scaling` converts chains of up to 100,000 nodes
with opledger alone and compares N nodes with 2 N. The list: Softmax, ReduceMean, Pow, Sqrt, Exp,
Sigmoid, LayerNormalization, Log, ReduceSum in float32, all else in float16, types of inputs and
outputs kept; `free` fixes only MatMul, Gemm and Conv. A row: Cast nodes in the file, CPU seconds of
the process (median), peak memory; or `failed` and the reason. For a peer that fuses nodes first,
opledger also converts the graph that the peer produced ("its graph"). PYTHON runs the peers, from
their own virtual environment: onnxconverter-common, nvidia-modelopt. Exit status: 0 all bars are
met, 1 some are not, 77 the Python package onnx is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conversion"))

FP32 = ["Softmax", "ReduceMean", "Pow", "Sqrt", "Exp", "Sigmoid", "LayerNormalization", "Log",
        "ReduceSum"]
# Model -> figure -> upper bound. Casts: with the equal list, including the list's own.
BARS = {"bert12": {"casts": 176, "cpu": 0.25, "memory": 100}, "resnet50": {"casts": 2},
        "chain": {"cpu": 0.1}, "mxnet-resnet50": {"casts": 2}, "big": {"cpu": 15, "memory": 300}}
FREE_CASTS = {"bert12": 73}
CONTRACTIONS = {"MatMul", "Gemm", "Conv"}
WIDEST = {"Add", "Sub", "Mul", "Div"}
PEERS = {
    "onnxconverter-common": """
import sys, onnx
from onnxconverter_common import float16
model = onnx.load(sys.argv[1])
block = list(float16.DEFAULT_OP_BLOCK_LIST) + sys.argv[3].split(",")
onnx.save(float16.convert_float_to_float16(model, keep_io_types=True, op_block_list=block), sys.argv[2])
""",
    "modelopt": """
import sys, onnx
from modelopt.onnx.autocast import convert_to_mixed_precision
model = convert_to_mixed_precision(onnx_path=sys.argv[1], low_precision_type="fp16",
                                   keep_io_types=True, op_types_to_exclude=sys.argv[3].split(","))
onnx.save(model, sys.argv[2])
""",
}
# Loads, converts and saves; prints the CPU seconds on the last line.
AMP = """
import sys, time, mxnet
from mxnet.contrib import amp
begin = time.process_time()
symbol, arguments, states = mxnet.model.load_checkpoint(sys.argv[1], 0)
symbol, arguments, states = amp.convert_model(symbol, arguments, states, target_dtype="float16",
                                              cast_optional_params=True)
symbol.save(sys.argv[2] + "-symbol.json", remove_amp_cast=False)
mxnet.nd.save(sys.argv[2] + "-0000.params", {
    **{"arg:" + name: array for name, array in arguments.items()},
    **{"aux:" + name: array for name, array in states.items()}})
print(time.process_time() - begin)
"""
# Minimum speedup over each peer that converts the model.
FASTER = {"bert12": 20}
MODULES = {"onnxconverter-common": "onnxconverter_common", "modelopt": "modelopt.onnx.autocast"}
SCALING_NODES, SCALING_BAR = (25_000, 50_000, 100_000), 2.3  # CPU time ratio for twice the nodes
BIG_TENSORS, BIG_SIDE = 40, 4096  # of 64 MiB each


def chain(nodes):
    from trap_networks import Network
    import numpy
    net = Network(4)
    weight = net.constant(numpy.eye(8, dtype=numpy.float32))
    value = "x"
    for _ in range(nodes // 4):
        value = net("Add", net("Relu", net("MatMul", value, weight)), weight)
        value = net("Sigmoid", value)
    return net.model([("x", 1, [8, 8])], [(value, 1, [8, 8])], 17)


def make_big(path):
    """Writes a model of MatMuls piece by piece."""
    import numpy
    import onnx
    from onnx import helper
    size = 4 * BIG_SIDE * BIG_SIDE
    piece = numpy.random.default_rng(1).standard_normal(size // 4, numpy.float32).tobytes()
    nodes, tensors, value = [], [], "x"
    with open(path.with_suffix(".data"), "wb") as data:
        for i in range(BIG_TENSORS):
            data.write(piece)
            tensor = onnx.TensorProto(name=f"w{i}", data_type=1, dims=[BIG_SIDE, BIG_SIDE],
                                      data_location=onnx.TensorProto.EXTERNAL)
            for key, what in (("location", path.with_suffix(".data").name),
                              ("offset", i * size), ("length", size)):
                tensor.external_data.add(key=key, value=str(what))
            tensors.append(tensor)
            nodes.append(helper.make_node("MatMul", [value, f"w{i}"], [f"h{i}"], f"n{i}"))
            value = f"h{i}"
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "big", [info("x", 1, [1, BIG_SIDE])],
                              [info(value, 1, [1, BIG_SIDE])], tensors)
    path.write_bytes(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 17)]).SerializeToString())


def run(command):
    """Returns (CPU seconds, peak MB, None), or (0, 0, message) on failure."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said,
                                   stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines() or ["?"]
            return 0, 0, f"exit {process.returncode}: {lines[-1][:100]}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, None


def operators(path):
    """Counts the nodes of each operator in a child process, since a child's peak memory starts at
    its parent's size."""
    code = ("import sys, json, collections, onnx\n"
            "graph = onnx.load(sys.argv[1], load_external_data=False).graph\n"
            "print(json.dumps(collections.Counter(node.op_type for node in graph.node)))")
    return json.loads(subprocess.run([sys.executable, "-c", code, path], check=True,
                                     capture_output=True).stdout)


def measure(name, who, command, out, repeats):
    costs = []
    for _ in range(repeats):
        cpu, memory, failure = run(command)
        if failure:
            print(f"{name:16}{who:24}failed: {failure}", flush=True)
            return None
        costs.append((cpu, memory))
    found = {"casts": operators(out).get("Cast", 0), "cpu": statistics.median(cpu for cpu, _ in costs),
             "memory": max(memory for _, memory in costs)}
    print(f"{name:16}{who:24}{found['casts']:6} casts {found['cpu']:8.2f} s {found['memory']:8.0f} MB",
          flush=True)
    return found


def missed(name, found, free):
    if found is None:
        return [f"{name}: no figures"]
    problems = [f"{name}: {what} {found[what]:.2f}, the bar is {bar}"
                for what, bar in BARS[name].items() if found[what] > bar]
    if free and name in FREE_CASTS and free["casts"] > FREE_CASTS[name]:
        problems.append(f"{name}: {free['casts']} casts by the shipped list, not {FREE_CASTS[name]}")
    return problems


def rewritten(path, out):
    """Returns whether a peer changed more than types: some fuse nodes first."""
    one, other = operators(path), operators(out)
    return any(one.get(op) != other.get(op) for op in {*one, *other} - {"Cast"})


def without_casts(source, target):
    """Copies the float32 model `source` to `target` without its casts from float32 to float32."""
    import onnx
    model = onnx.load(source)
    graph = onnx.shape_inference.infer_shapes(model).graph
    float32 = {each.name for each in [*graph.value_info, *graph.input, *graph.output]
               if each.type.tensor_type.elem_type == onnx.TensorProto.FLOAT}
    outputs, same = {each.name for each in graph.output}, {}
    nodes = []
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            node.input[at] = same.get(name, name)
        if node.op_type == "Cast" and {node.input[0], node.output[0]} <= float32 and \
                node.output[0] not in outputs:
            same[node.output[0]] = node.input[0]
        else:
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, target)


def casts_of_its_graph(name, ours, out, folder):
    """Returns the number of casts that opledger inserts into the graph that a peer produced; None
    if it is unavailable."""
    wide, plain, again = (folder / f"{each}.onnx" for each in ("wide", "plain", "again"))
    for command in ([ours[0], out, "-o", wide, "--target-dtype", "float32"],
                    [sys.executable, "-B", __file__, "--plain", wide, plain],
                    [ours[0], plain, "-o", again, *ours[1:]]):
        failure = run(command)[2]
        if failure:
            print(f"{name:16}the peer's graph: {failure}")
            return None
    casts = operators(again).get("Cast", 0)
    print(f"{name:16}{'opledger, its graph':24}{casts:6} casts", flush=True)
    return casts


def worse(name, found, peer, theirs):
    """Returns the ways in which opledger misses its target compared with the peer."""
    if found is None or theirs is None:
        return []
    problems = []
    if found["casts"] > theirs["casts"]:
        problems.append(f"{name}: more casts than {peer}")
    if theirs["cpu"] < FASTER.get(name, 1) * found["cpu"]:
        problems.append(f"{name}: {theirs['cpu'] / found['cpu']:.1f} times as fast as {peer}, the bar "
                        f"is {FASTER.get(name, 1)}")
    return problems


def compare(name, path, folder, options):
    ops = set(operators(path))
    equal = folder / "equal.json"
    equal.write_text(json.dumps({
        "framework": "onnx", "target_dtype": "float16", "fp32": sorted(FP32),
        "either": ["Cast"], "target": sorted(ops - set(FP32) - {"Cast"})}))
    program, out = options.build.resolve() / "bin/opledger-convert", folder / "mixed.onnx"
    free_list = folder / "free.json"
    free_list.write_text(json.dumps({
        "framework": "onnx", "target_dtype": "float16", "fp32": sorted(FP32),
        "target": sorted(ops & CONTRACTIONS), "widest": sorted(ops & WIDEST),
        "either": sorted(ops - set(FP32) - CONTRACTIONS - WIDEST)}))
    ours = [program, path, "-o", out]
    found = measure(name, "opledger", [*ours, "--list", equal], out, options.repeats)
    free = measure(name, "opledger, free", [*ours, "--list", free_list], out, options.repeats)
    measure(name, "opledger, shipped list", ours, out, 1)
    problems = missed(name, found, free)
    for peer, code in PEERS.items() if options.peers else ():
        known = run([options.peers, "-c", f"import {MODULES[peer]}"])[2] is None
        if not known:
            print(f"{name:16}{peer:24}not installed")
        elif name != "big" or options.big_peers:
            peer_found = measure(name, peer, [options.peers, "-c", code, path, out, ",".join(FP32)],
                                 out, 1)
            if found and peer_found and rewritten(path, out):
                casts = casts_of_its_graph(name, [program, "--list", equal], out, folder)
                found = {**found, "casts": found["casts"] if casts is None else casts}
            problems += worse(name, found, peer, peer_found)
    return problems


def scale(folder, options):
    """Returns problems with the growth of CPU time with the nodes."""
    paths = []
    for nodes in SCALING_NODES:
        paths.append(folder / f"chain{nodes}.onnx")
        subprocess.run([sys.executable, "-B", __file__, "--make", f"chain{nodes}", paths[-1]], check=True)
    program, out = options.build.resolve() / "bin/opledger-convert", folder / "mixed.onnx"
    flags = ["--target-ops", "MatMul,Relu", "--widest-ops", "Add", "--fp32-ops", "Sigmoid"]
    times = []
    for path in paths:
        costs = [run([program, path, "-o", out, *flags]) for _ in range(2 * options.repeats + 1)]
        if costs[0][2]:
            return [f"scaling: {costs[0][2]}"]
        times.append(statistics.median(cpu for cpu, _, _ in costs))
    problems = []
    for i, nodes in enumerate(SCALING_NODES):
        ratio = times[i] / times[i - 1] if i else None
        print(f"scaling   {nodes:7} nodes {times[i]:8.2f} s" + (f", {ratio:.2f} x the half" if i else ""),
              flush=True)
        if ratio and ratio > SCALING_BAR:
            problems.append(f"scaling: {ratio:.2f} x the time for {nodes} nodes, the bar is {SCALING_BAR}")
    return problems


def compare_mxnet(name, prefix, folder, options):
    """Compares opledger as a whole process with MXNet's amp without its import, run in this
    Python."""
    out = folder / "low"
    ours = [options.build.resolve() / "bin/opledger-convert", f"{prefix}-symbol.json", "--params",
            f"{prefix}-0000.params", "-o", out]
    costs, peers = [], []
    python = options.build / "venv/bin/python"
    for _ in range(max(options.repeats, 5)):
        cpu, memory, failure = run(ours)
        if failure:
            return [f"{name}: {failure}"]
        costs.append((cpu, memory))
        done = subprocess.run([python, "-B", "-c", AMP, prefix, folder / "peer"], check=False,
                              capture_output=True, text=True) if python.exists() else None
        if done is not None and done.returncode == 0:
            peers.append(float(done.stdout.split()[-1]))
    casts = (folder / "low-symbol.json").read_text().count('"op": "amp_cast"')
    cpu = statistics.median(cpu for cpu, _ in costs)
    print(f"{name:16}{'opledger':24}{casts:6} casts {cpu:8.3f} s "
          f"{max(memory for _, memory in costs):8.0f} MB", flush=True)
    problems = [f"{name}: {casts} casts"] if casts > BARS[name]["casts"] else []
    if not peers:
        print(f"{name:16}mxnet is not installed in {options.build}/venv")
        return problems
    theirs = statistics.median(peers)
    found = (folder / "peer-symbol.json").read_text().count('"op": "amp_cast"')
    print(f"{name:16}{'mxnet':24}{found:6} casts {theirs:8.3f} s, ours {cpu / theirs:.2f} of it")
    return problems + ([f"{name}: {cpu / theirs:.2f} of MXNet's CPU time"] if cpu > theirs else [])


def make_mxnet(prefix):
    import numpy
    from mxnet_networks import resnet
    rng = numpy.random.default_rng(50)
    net, heads = resnet()
    net.save(pathlib.Path(prefix), heads,
             numbers=lambda shape: rng.standard_normal(shape, numpy.float32).tobytes())


def make(name, path):
    if name == "mxnet-resnet50":
        make_mxnet(path)
        return 0
    import onnx
    import trap_networks
    makers = {"bert12": lambda: trap_networks.bert(12, 768, 12, 128, 2000),
              "chain": lambda: chain(4000),
              "resnet50": lambda: trap_networks.resnet(64, (3, 4, 6, 3), 224, 1000)}
    if name == "big":
        make_big(pathlib.Path(path))
    elif name not in makers:
        onnx.save(chain(int(name.removeprefix("chain"))), path)
    else:
        onnx.save(makers[name](), path)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--peers", help="Python of a virtual environment with the peers")
    parser.add_argument("--only", choices=[*BARS, "scaling"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--plain", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--big-peers", action="store_true")
    options = parser.parse_args()
    if options.plain:
        without_casts(*options.plain)
        return 0
    if options.make:
        return make(*options.make)
    if run([sys.executable, "-c", "import onnx"])[2]:
        print("SKIPPED: the Python package onnx is missing; ci/setup installs it")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-bench-") as folder:
        folder = pathlib.Path(folder)
        for name in [options.only] if options.only else [*BARS, "scaling"]:
            if name == "scaling":
                problems += scale(folder, options)
                continue
            path = folder / (name if name == "mxnet-resnet50" else f"{name}.onnx")
            if name == "big" and shutil.disk_usage(folder).free < 8 << 30:
                print("big       skipped: less than 8 GiB of disk are free")
                continue
            subprocess.run([sys.executable, "-B", __file__, "--make", name, path], check=True)
            against = compare_mxnet if name == "mxnet-resnet50" else compare
            problems += against(name, path, folder, options)
            for each in folder.iterdir():
                each.unlink()
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

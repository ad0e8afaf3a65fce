#!/usr/bin/env python3
"""opledger inserts no more casts than a peer on any ONNX model, with equal policies.
The models are those of the test data and trained ones of packages that ci/setup installs. The
peer's block list is what opledger's list keeps in float32; everything else runs in float16; inputs
and outputs keep their types.

    tests/conversion/onnx_casts_test.py --bin build/bin [--all] [--table] [--peers PYTHON] [--peer NAME]

A sample of the models without --all. PYTHON (of a separate venv) has the peers, nvidia-modelopt for
--peer modelopt; default: the build's. Without --peer: onnxconverter-common and onnxruntime. If ONNX
Runtime does not load the peer's result (or, if it does not load the original, onnx's checker
rejects it), the peer's count is not a bar, and is reported separately.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, onnx_operators, require, onnx_models, trained_onnx_models
import peers

SAMPLE = 9  # every ninth model
# Models for which opledger's policy differs from the peer's, and why.
UNEQUAL = {"edge/polygraphy_needs_constraints.onnx":
           "x + 65504 - 65504 stays float32: of x nothing would be left"}

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = None

# Reads {"block": [...], "models": [[path, out], ...]}, prints a line of JSON for each model. Skips
# a model after a minute.
CHILD = """
import json, logging, signal, sys, warnings
import onnx
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
job = json.load(sys.stdin)
report, sys.stdout = sys.stdout, sys.stderr
class Late(Exception): pass
def late(*_): raise Late("a minute")
signal.signal(signal.SIGALRM, late)
def casts(graph):
    inner = [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
    return sum(n.op_type == "Cast" for n in graph.node) + sum(map(casts, inner))
%s
for path, out in job["models"]:
    signal.alarm(60)
    try:
        model = convert(path)
        onnx.save(model, out)
        said = casts(model.graph) + sum(n.op_type == "Cast" for f in model.functions for n in f.node)
    except Exception as error:
        said = type(error).__name__
    signal.alarm(0)
    print(json.dumps([path, said]), file=report, flush=True)
"""
PEERS = {
    "onnxconverter-common": ("onnxconverter_common", """
from onnxconverter_common import float16
def convert(path):
    return float16.convert_float_to_float16(onnx.load(path), keep_io_types=True,
                                            op_block_list=job["block"])
"""),
    "onnxruntime": ("onnxruntime.transformers.float16", """
from onnxruntime.transformers import float16
def convert(path):
    return float16.convert_float_to_float16(onnx.load(path), keep_io_types=True, op_block_list=job["block"])
"""),
    "modelopt": ("modelopt.onnx.autocast", """
from modelopt.onnx.autocast import convert_to_mixed_precision
def convert(path):
    return convert_to_mixed_precision(onnx_path=path, low_precision_type="fp16", keep_io_types=True,
                                      op_types_to_exclude=job["block"])
"""),
}


def block_list():
    """Returns the operators that opledger's float16 list keeps in float32, including conditional
    ones."""
    shipped = json.loads((ROOT / "registry/lists/onnx/float16.json").read_text(encoding="utf-8"))
    names = {each if isinstance(each, str) else each["op"] for each in shipped["fp32"]}
    names |= {each["op"] for each in shipped.get("conditional", ())}
    return sorted(name for name in names if "." not in name)


def casts(graph):
    inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    return sum(node.op_type == "Cast" for node in graph.node) + sum(map(casts, inner))


def all_casts(path):
    model = onnx.load(path, load_external_data=False)
    return casts(model.graph) + sum(n.op_type == "Cast" for f in model.functions for n in f.node)


def our_casts(program, path, block, folder):
    """Returns the count, or the message."""
    model = onnx.load(path, load_external_data=False)
    used = {*onnx_operators(model.graph), *(op for f in model.functions for op in onnx_operators(f))}
    chosen = folder / "list.json"
    chosen.write_text(json.dumps({
        "framework": "onnx", "target_dtype": "float16", "fp32": block,
        "either": ["Cast"], "target": sorted(used - set(block) - {"Cast"})}))
    done = subprocess.run([program, path, "-o", folder / "ours.onnx", "--list", chosen, "--unlisted",
                           "ignore"], capture_output=True, text=True, check=False)
    return all_casts(folder / "ours.onnx") if done.returncode == 0 else done.stderr


def loads(path):
    try:
        onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        return True
    except Exception:  # it raises several types
        return False


def checks(path):
    try:
        onnx.checker.check_model(path, full_check=True)
        return True
    except Exception:  # it raises several types
        return False


def ask_peer(python, peer, models, block, folder):
    """Returns path -> (count or why there is none, path of the result)."""
    outs = {str(path): str(folder / f"{at}.onnx") for at, path in enumerate(models)}
    job = json.dumps({"block": block, "models": list(outs.items())})
    done = subprocess.run([python, "-c", CHILD % PEERS[peer][1]], input=job, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    answers = dict(json.loads(line) for line in done.stdout.splitlines())
    if done.returncode:
        print(f"{peer} ended after {len(answers)} of {len(models)} models:",
              (done.stderr.strip().splitlines() or ["?"])[-1][:200])
    return {path: (answers.get(path, "nothing"), outs[path]) for path in outs}


def compare(program, peer, python, models, options):
    """Returns the problems."""
    problems, counts = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="opledger-casts-") as folder:
        folder, block = pathlib.Path(folder), block_list()
        answers = ask_peer(python, peer, models, block, folder)
        for path in models:
            name = str(path.relative_to(DATA)) if path.is_relative_to(DATA) else path.name
            theirs, out = answers[str(path)]
            ours = our_casts(program, path, block, folder)
            if isinstance(theirs, str) or isinstance(ours, str):
                counts["refused by the peer"] += isinstance(theirs, str)
                counts["refused by opledger"] += isinstance(ours, str)
                continue
            valid = loads(out) if loads(str(path)) else checks(out)
            counts["compared" if valid else "invalid there"] += 1
            counts["equal" if ours == theirs else "fewer" if ours < theirs else "more"] += valid
            counts["our casts"], counts["its casts"] = (counts["our casts"] + ours * valid,
                                                        counts["its casts"] + theirs * valid)
            if options.table and ours != theirs:
                print(f"{name:70}{ours:6}{theirs:6}{'' if valid else '  does not load'}")
            if ours > theirs and valid and name not in UNEQUAL:
                problems.append(f"{name}: {ours} casts, {peer} has {theirs}")
    print(f"{peer}: {dict(counts)}")
    return problems if counts["compared"] else [*problems, f"{peer}: nothing was compared"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, help="only every Nth model")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--table", action="store_true", help="print the models that differ")
    parser.add_argument("--peers", help="Python of a virtual environment with the peers")
    parser.add_argument("--peer", choices=PEERS, action="append")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    python = options.peers or sys.executable
    chosen = options.peer or ["onnxconverter-common", "onnxruntime"]
    for peer in chosen:
        if subprocess.run([python, "-c", f"import {PEERS[peer][0]}"], check=False, capture_output=True).returncode:
            print(f"SKIPPED: the Python package {peer} is missing")
            return 77
    require(DATA)
    onnxruntime.set_default_logger_severity(4)
    step = options.every or (1 if options.all else SAMPLE)
    models = onnx_models()[::step] + ([] if options.every else trained_onnx_models())
    problems = []
    for peer in chosen:
        problems += compare(options.bin.resolve() / "opledger-convert", peer, python, models, options)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

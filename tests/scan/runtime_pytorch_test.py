#!/usr/bin/env python3
"""Compares the scanner's facts about PyTorch 2.6.0's operators with the running framework.

    tests/scan/runtime_pytorch_test.py --bin build/bin [--verbose]

PyTorch 2.6.0 (build/runtimes) provides the schema of every ATen operator, and the dispatch keys for
which it has a kernel. The samples of its own tests run on the CPU in four types, which shows for
every operator that they call whether it runs in the type. It is built for CUDA; if CUDA's libraries
are missing, the test creates empty replacements: no CUDA kernel runs.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/scan")]
from runtime_facts import RUNTIMES, Comparison, decide_names, problems_of  # noqa: E402
from test_data import require_sources, skip  # noqa: E402

SOURCE = "pytorch-2.6.0"
FOLDER = RUNTIMES.parents[1]
# Prefix of a library's functions, for those without a version.
LIBRARIES = {"nccl": "libnccl.so.2", "cupti": "libcupti.so.12", "cusparseLt": "libcusparseLt.so.0",
             "cufft": "libcufft.so.11", "curand": "libcurand.so.10"}
FOREIGN = re.compile(r"lib(?:cu(?!pti_)|nccl|nvrtc|nvJitLink)")
# Dispatch keys -> the manifest's devices; "*": for all.
DEVICES = {"CPU": "cpu", "CUDA": "cuda", "CompositeImplicitAutograd": "*", "CompositeExplicitAutograd": "*",
           "CompositeExplicitAutogradNonFunctional": "*"}
EXPLAINED = {
    "operators": {"aten::get_gradients": "TorchScript's; it has an implementation and no schema in a block"},
    "inputs": {"aten::_test_string_default": "its defaults are quotes"},
    "kernels": dict.fromkeys((f"aten::{name} {device}" for name in ("add.Tensor", "add.out", "add_.Tensor")
                              for device in ("cpu", "cuda")), "its member ufunc_inner_loop makes them"),
}
# Named by `autogen`, but without anything from which a kernel could be generated.
NOT_GENERATED = ("aten::prelu.out", "aten::upsample_linear1d.vec_out", "aten::scaled_dot_product_attention.out")
FEWEST = {"operators": 3140, "inputs": 2630, "outputs": 2725, "kernels": 4220, "element types": 770}
FLOATS = ("float16", "bfloat16", "float32", "float64")
SAMPLES = 12  # per operator and type


def ask():
    import torch
    operators = {}
    for schema in torch._C._jit_get_all_schemas():
        name = f"{schema.name}.{schema.overload_name}".rstrip(".")
        if schema.name.startswith("aten::") and torch._C._dispatch_has_kernel(name):
            keys = [key for key in DEVICES if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)]
            operators[name] = {"schema": str(schema), "keys": keys}
    json.dump(operators, sys.stdout)


def watch(torch, ran, refused):
    """Returns a mode that records, for every CPU operator whose tensors have one type, whether it
    runs."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    def dense(tensor):
        return tensor.layout is torch.strided and tensor.device.type == "cpu" and not tensor.dtype.is_complex

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            given = tree_leaves((args, kwargs or {}))
            tensors = [each for each in given if isinstance(each, torch.Tensor)]
            of = {tensor.dtype for tensor in tensors if tensor.dtype.is_floating_point and tensor.numel()}
            asks = any(isinstance(each, torch.dtype) for each in given)  # the type to run in
            plain = len(of) == 1 and all(map(dense, tensors)) and not asks
            key = (str(func._schema.name) + "." + func._schema.overload_name).rstrip("."), str(*of)[6:] if plain else ""
            try:
                out = func(*args, **(kwargs or {}))
            except RuntimeError as error:
                if plain and "not implemented for" in str(error):
                    refused.add(key)
                raise
            if plain and all(each.numel() for each in tree_leaves(out) if isinstance(each, torch.Tensor)):
                ran.add(key)
            return out

    return Watch()


def ask_types():
    import warnings
    warnings.filterwarnings("ignore")
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.utils._pytree import tree_leaves
    ran, refused = set(), set()

    def run(op, sample):
        with watch(torch, ran, refused):
            made = tree_leaves(op(sample.input, *sample.args, **sample.kwargs))
            for tensor in [each for each in made if isinstance(each, torch.Tensor) and each.requires_grad][:1]:
                tensor.sum().backward()

    for op, name in itertools.product(op_db, FLOATS):
        torch.manual_seed(0)
        try:
            for sample in itertools.islice(op.sample_inputs("cpu", getattr(torch, name), requires_grad=True), SAMPLES):
                try:
                    run(op, sample)
                # samples that are wrong on purpose, and types that are not supported
                except Exception:
                    pass
        except Exception:  # no samples of the type
            pass
    json.dump({"ran": sorted(ran), "refused": sorted(refused - ran)}, sys.stdout)


def make_stand_ins(folder):
    """Builds libraries that define the CUDA functions that PyTorch's libraries need."""
    wanted, versions = set(), collections.defaultdict(set)
    for library in FOLDER.glob("lib/python*/site-packages/torch/lib/lib*.so"):
        head = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
        wanted.update(name for name in re.findall(r"NEEDED.*\[(.*)\]", head) if FOREIGN.match(name))
        symbols = subprocess.run(["readelf", "--dyn-syms", "-W", library], capture_output=True, text=True,
                                 check=True).stdout
        for symbol, version in re.findall(r" UND ([A-Za-z]\w*|__cuda\w+)(?:@+(\S+))?", symbols):
            of = version if FOREIGN.match(version) else next(
                (name for prefix, name in LIBRARIES.items() if not version and symbol.startswith(prefix)), None)
            if of:
                versions[of].add((symbol, version))
    folder.mkdir(parents=True, exist_ok=True)
    for library in wanted | set(versions):
        symbols = sorted(versions[library])
        source, script = folder / f"{library}.c", folder / f"{library}.map"
        source.write_text("".join(f"void *{symbol}(void) {{ return 0; }}\n" for symbol, _ in symbols))
        versioned = [symbol for symbol, version in symbols if version]
        script.write_text(f"{library} {{ global: {'; '.join(versioned)}; }};\n" if versioned else "")
        extra = [f"-Wl,--version-script,{script}"] if versioned else []
        subprocess.run([shutil.which("gcc") or "cc", "-shared", "-fPIC", "-w", "-fno-builtin",
                        f"-Wl,-soname,{library}", "-o", folder / library, source, *extra], check=True)


def running(question):
    if not RUNTIMES.exists():
        skip("torch 2.6.0 (ci/setup --runtimes)")
    for stand_ins in (None, FOLDER / "stand-ins"):
        if stand_ins and not stand_ins.is_dir():
            make_stand_ins(stand_ins)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(stand_ins or ""))
        done = subprocess.run([RUNTIMES, __file__, question], capture_output=True, text=True, check=False,
                              env=environment)
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1])  # some imported modules print text
    return skip("torch 2.6.0 (ci/setup --runtimes)")


def parts(text):
    """Splits at commas outside brackets."""
    found, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found if part.strip()]


def split_schema(text):
    """Returns inputs as (name, type, default), outputs as (name, type)."""
    depth = 0
    for close, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ")" and not depth:
            break
    inputs = []
    for part in parts(text[text.index("(") + 1:close]):
        if part == "*":
            continue
        declared, _, default = part.partition("=")
        kind, _, name = declared.rpartition(" ")
        inputs.append((name, plain(kind), default.strip("'\"")))
    results = text[text.index("->", close) + 2:].strip()
    if results.startswith("(") and results.endswith(")"):
        results = results[1:-1]
    outputs = []
    for part in parts(results):
        kind, blank, name = part.rpartition(" ")
        named = blank and not name.endswith((")", "]", "?"))
        outputs.append((name, plain(kind)) if named else ("", plain(part)))
    return inputs, outputs


def plain(kind):
    """Returns a type without aliases, with list types as the running framework names them."""
    kind = re.sub(r"\((?:[a-z*!|]|\s|->)+\)", "", kind)
    return re.sub(r"\b(Dimname|DeviceIndex)\b", lambda of: {"Dimname": "str", "DeviceIndex": "int"}[of[0]], kind)


def said(values, *, default):
    return [(value.get("key", ""), plain(value["value"]),
             *([value.get("details", {}).get("default", "").strip("'\"")] if default else [])) for value in values]


def compare(manifest, operators):
    result = Comparison()
    ours = {op["name"]: op for op in manifest["operators"] if op["name"].startswith("aten::")}
    for name in sorted(set(operators) | set(ours)):
        result.add("operators", "extra" if name not in operators else "agree" if name in ours else "missing", name)
    for name in sorted(set(operators) & set(ours)):
        fields = ours[name].get("fields", {})
        inputs, outputs = split_schema(operators[name]["schema"])
        generated = "generated_by" in fields
        for kind, mine, theirs in (
                ("inputs", [one[:2] for one in said(fields.get("inputs", []), default=False)],
                 [one[:2] for one in inputs]),
                ("outputs", said(fields.get("outputs", []), default=False), outputs)):
            how = "agree" if mine == theirs else "missing" if not mine else "contradict"
            if not (generated and how == "missing"):
                result.add(kind, how, name)
        have = {kernel["device"] for kernel in ours[name].get("kernels", [])}
        for device in ("cpu", "cuda", "*"):
            # An operator that delegates has such a kernel, too, which calls its delegate's.
            handed_on = "structured_delegate" in fields
            theirs = any(DEVICES[key] == device for key in operators[name]["keys"]
                         if not (handed_on and key == "CompositeExplicitAutogradNonFunctional"))
            if theirs or device in have:
                how = "agree" if theirs and device in have else "missing" if theirs else "extra"
                result.add("kernels", how, f"{name} {device}")
    return result


def element_types(op):
    """Returns the element types that the CPU kernels state; None if one does not."""
    kernels = [kernel for kernel in op.get("kernels", []) if kernel["device"] in ("cpu", "*")]
    said = [kernel.get("types", {}).get("") for kernel in kernels]
    return set().union(*said) if said and all(isinstance(types, list) for types in said) else None


def compare_types(manifest, answers, result):
    """Compares only operators with known types; prints how many have none."""
    ours = {op["name"]: element_types(op) for op in manifest["operators"]}
    silent = 0
    for how, runs in (("ran", True), ("refused", False)):
        for name, dtype in answers[how]:
            types = ours.get(name)
            silent += types is None
            if types is not None:
                result.add("element types", "agree" if (dtype in types) == runs else "contradict", f"{name} {dtype}")
    print(f"element types: unknown for {silent} others that run or are refused")


def decide_kernel_rules(program, folder, answers):
    """Checks the shipped CPU list with the rules that need kernels, on folder/union.json: prints
    the share of true findings that are reported; returns false ones as text."""
    ran, refused = ({name for name, dtype in answers[how] if dtype == "bfloat16"} for how in ("ran", "refused"))
    of_list = ROOT / "registry/lists/pytorch/bfloat16-cpu.json"
    done = subprocess.run([program, "check", "--operators", "union.json", "--list", of_list, "--config", "none",
                           "--output-format", "json"], cwd=folder, capture_output=True, text=True, check=False)
    found = collections.defaultdict(set)
    for finding in json.loads(done.stdout)["findings"]:
        found[finding["rule"]].add(finding["operator"])
    kept = {entry["op"] for entry in json.loads(of_list.read_text())["fp32"]}
    true = kept & ran
    print(f"capable-kept-fp32: {len(found['capable-kept-fp32'] & true)} of {len(true)} true findings fire")
    return ([f"false finding: {name} does not run in bfloat16" for name in found["capable-kept-fp32"] & refused] +
            [f"false finding: {name} runs in bfloat16" for name in found["target-without-kernel"] & ran])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--ask-types", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.ask:
        ask()
        return 0
    if options.ask_types:
        ask_types()
        return 0
    source, = require_sources(SOURCE)
    operators, answers = running("--ask"), running("--ask-types")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = options.bin.resolve() / "opledger"
        done = subprocess.run([program, "scan", "-C", source, "--dialect", "pytorch", "--config", "none",
                               "-o", folder / "union.json"], capture_output=True, text=True, check=False,
                              env=dict(os.environ, OPLEDGER_CACHE_DIR=str(folder / "cache")))
        if done.returncode != 0:
            sys.exit(f"the scan failed: {done.stderr}")
        manifest = json.loads((folder / "union.json").read_text())
        result = compare(manifest, operators)
        compare_types(manifest, answers, result)
        problems = problems_of(result.kinds, EXPLAINED, FEWEST, options.verbose)
        problems += [f"element types: {name} runs where we say no, or the other way round"
                     for name in result.kinds["element types"]["contradict"]]
        names = set(operators) - set(EXPLAINED["operators"])
        problems += decide_kernel_rules(program, folder, answers)
        problems += decide_names(program, folder, "pytorch", names, NOT_GENERATED)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

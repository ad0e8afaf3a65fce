#!/usr/bin/env python3
"""Errors of a call name its arguments and functions, not flags and command lines. The table of
flags is compared with the functions' signatures and with the programs' flags."""
# SPDX-License-Identifier: Apache-2.0

import inspect
import re
import subprocess
import sys

from in_python import enter_demo, expect, go_on_where_there_are, main, raises, use
from make_onnx import model_bytes

# Flags without an argument, and why.
NO_ARGUMENT = {
    "any": {"-h", "--help", "--version", "--json", "-q", "--quiet", "--color", "-C", "--config",
            "--git-timeout", "--lock-timeout",  # of every verb
            "--format", "--data-root"},
    "scan": {"-o", "--output", "--shard", "--verify", "--explain", "--statistics", "--timing", "--detect-dialect",
             "--among", "--file-megabytes", "--file-seconds"},
    "check": {"--output-format", "--policy-from", "--fix", "--diff", "--statistics"},
    "convert": {"--verify", "--input", "--max-error", "--time-limit",  # compare
                "--explain",  # Converted.node
                "--in-place"},  # where output is the model itself
    "inspect": set(), "revert": {"--in-place"}, "compare": {"--worst", "-o", "--output", "--time-limit"}, "tune": set()}

CASES = (  # verb, the program's message, the message that a caller reads
    ("check", "name one with --list, or under \"lists\" in opledger.json, which `opledger init` writes",
     "name one with lists, or under \"lists\" in opledger.json, which `opledger init` writes"),
    ("check", "choose one with --dialect NAME or --dialect FILE", 'choose one with dialect="NAME" or dialect="FILE"'),
    ("check", "write --severity RULE=LEVEL, such as stale-entry=error",
     'write severities={"RULE": "LEVEL"}, such as stale-entry=error'),
    ("check", "--select: unknown rule 'stale'", "select: unknown rule 'stale'"),
    ("check", "scan again with --configuration union", 'scan again with configuration="union"'),
    ("check", "as `opledger check --fix` does", "as `opledger check --fix` does"),
    ("scan", "or everywhere with -D X=NAME", 'or everywhere with defines="X=NAME"'),
    ("convert", "leave out --cast-params-at-run-time", "leave out cast_params_offline=False"),
    ("convert", "--storage-only has no parameters to store in 16 bits",
     "storage_only=True has no parameters to store in 16 bits"),
    ("convert", "--exclude '^head$' matches no node", 'exclude="^head$" matches no node'),
    ("convert", "--report shows the reason", "report shows the reason"),
    ("convert", "--opset keep leaves it; --opset 17; give --opset keep",
     'opset="keep" leaves it; opset=17; give opset="keep"'),
    ("convert", "give the shapes with --input-shape NAME=D,D, or --cost casts",
     'give the shapes with input_shapes={"NAME": (D, D)}, or cost="casts"'),
    ("convert", "give --input-range NAME=LO,HI with LO at most HI",
     'give input_ranges={"NAME": (LO, HI)} with LO at most HI'),
    ("convert", "--hazards raise keeps it in float32", 'hazards="raise" keeps it in float32'),
    ("convert", "name it in one of --target-ops, --fp32-ops and --widest-ops",
     "name it in one of target_ops, fp32_ops and widest_ops"),
    ("convert", "--taint has no meaning with --target-dtype float32",
     'taint=True has no meaning with target_dtype="float32"'),
    ("convert", "a node named '--list FILE'", "a node named '--list FILE'"),
    ("convert", "the model's --params, and its inputs'", "the model's params, and its inputs'"),
    ("revert", "or use `opledger convert --target-dtype float32`, which",
     'or use `opledger.convert(target_dtype="float32")`, which'),
    ("revert", "what `opledger convert --sidecar` wrote", "what `opledger.convert(sidecar=...)` wrote"),
    ("revert", "`opledger revert --help` lists the options", "`help(opledger.revert)` lists the options"),
    ("compare", "pass --input-shape x=2,3", 'pass input_shapes={"x": (2, 3)}'),
    ("compare", "pass --input-shape x=8", 'pass input_shapes={"x": (8,)}'),
    ("compare", "--input h.0=FILE.npy, --input h.1=..., or --input h=empty",
     'samples={"h.0": "FILE.npy"}, samples={"h.1": ...}, or samples={"h": "empty"}'),
    ("compare", "give each one: --input x=FILE.npy, or =random",
     'give each one: samples={"x": "FILE.npy"}, or "random"'),
    ("run", "give each one: --input x=FILE.npy, or =random", 'give each one: inputs={"x": ...}'),
    ("tune", "`opledger tune model.onnx --max-error 1e-2 -o tuned.json`",
     '`opledger.tune("model.onnx", max_error=1e-2, output="tuned.json")`'),
    ("run", "leave out --device or --kernels", "leave out device or kernels"))


def test_wording(bin_folder, folder):
    use(bin_folder)
    from opledger.wording import VERBS, in_python
    for verb, said, wanted in CASES:
        told = in_python(said, VERBS[verb])
        expect(told == wanted, said, told)
    from opledger.wording import verb_of
    named = verb_of(["-C", "scan", "-q", "check"])
    expect(named is VERBS["check"], "the folder of -C is not a verb", named)
    named = verb_of(["--config", "scan", "--color", "never", "check"])
    expect(named is VERBS["check"], "a project file is not a verb", named)


def flags_of(bin_folder, verb):
    """Returns the flags that a shell completes."""
    done = subprocess.run([bin_folder / "opledger", "__complete", verb, "-"], capture_output=True, text=True, check=True)
    return {line.split("\t")[0] for line in done.stdout.splitlines()[2:]}


def test_every_flag_is_an_argument(bin_folder, folder):
    opledger = use(bin_folder)
    from opledger.wording import VERBS
    for name, verb in VERBS.items():
        function = getattr(opledger, verb.function.split(".")[1])
        arguments = set(inspect.signature(function).parameters) | {"inputs"}
        told = {parameter.name for parameter in verb.parameters.values()}
        expect(told <= arguments, name, told - arguments)
        if name == "run":  # the program that a session keeps running accepts fewer
            continue
        flags = flags_of(bin_folder, name)
        expect(len(flags) > 5, name, flags)
        expect(set(verb.parameters) <= flags, name, set(verb.parameters) - flags)
        missing = flags - set(verb.parameters) - NO_ARGUMENT["any"] - NO_ARGUMENT[name]
        expect(not missing, name, missing)


def test_a_registry_speaks_python(bin_folder, folder):
    use(bin_folder)
    from opledger import registry
    from opledger.errors import OpledgerError
    error = raises(OpledgerError, registry.read_registry, "onnx", timeout=0.001)
    expect(error.diagnostics[0].hint == "timeout=SECONDS allows more time", error)
    done = subprocess.run([sys.executable, "-B", "-m", "opledger.registry", "onnx", "--timeout", "0.001"], text=True,
                          capture_output=True, check=False, cwd=registry.CHILD.parents[1])
    expect(done.returncode == registry.CANNOT and "--timeout SECONDS" in done.stderr, done)


def test_errors_speak_python(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    (folder / "empty").mkdir()
    (folder / "list.json").write_text('{"framework": "onnx", "target_dtype": "bfloat16", "fp32": []}')
    open_model = {"opset": 17, "inputs": {"x": ["float32", ["n", "m"]]}, "outputs": {"y": ["float32", ["n", "m"]]},
                  "nodes": [["Relu", ["x"], ["y"], {"name": "r"}]]}
    data = model_bytes(open_model)
    cases = ((lambda: opledger.check(select="stale"), "select", "stale-entry"),
             (lambda: opledger.check(severities={"stale-entry": "eror"}), "severities", "error"),
             (lambda: opledger.check(lists="flot16"), "lists", "float16"),
             (lambda: opledger.check(mode="fats"), "mode", "fast"),
             (lambda: opledger.scan(folder / "empty", config="none"), 'dialect="NAME"', ""),
             (lambda: opledger.convert("model.onnx", io_types="high"), "io_types", "keep or low"),
             (lambda: opledger.convert("model.onnx", keep_io="pixls", io_types="low"), "keep_io", "pixels"),
             (lambda: opledger.convert("model.onnx", precision_list=folder / "list.json"),
              'target_dtype="bfloat16"', ""),
             (lambda: opledger.convert("model.onnx", opset=12), "", 'opset="keep"'),
             (lambda: opledger.convert("model.onnx", exclude="("), "exclude", "RE2"),
             (lambda: opledger.convert("model.onnx", profile="no such"), "profile", "onnxruntime-cpu"),
             (lambda: opledger.convert("model.onnx", taint=True, target_dtype="float32"), "taint=True",
              'target_dtype="float32"'),
             (lambda: opledger.convert("model.onnx", input_ranges={"pixels": (1, 0)}), "input_ranges", "(LO, HI)"),
             (lambda: opledger.convert("model.onnx", input_ranges={"pixls": (0, 1)}), "input_ranges", "pixls"),
             (lambda: opledger.convert("model.onnx", hazards="keep"), "hazards", "raise or report"),
             (lambda: opledger.convert("net-symbol.json", opset=17), "opset", ""),
             (lambda: opledger.convert("net-symbol.json", storage_only=True), "storage_only=True", "params"),
             (lambda: opledger.compare("model.onnx"), 'autocast="float16"', ""),
             (lambda: opledger.compare(data, data), 'input_shapes={"x": (', ""),
             (lambda: opledger.compare("model.onnx", "model.onnx", memory_limit="much"), "memory_limit", ""),
             (lambda: opledger.tune("model.onnx", max_error=-1), "max_error", "nonnegative"),
             (lambda: opledger.run("model.onnx", {}, memory_limit="much"), "memory_limit", ""),
             (lambda: opledger.run("model.onnx", {}), 'inputs={"pixels": ...}', ""))
    for number, (call, one, other) in enumerate(cases):
        try:
            told = f"case {number} is no error: {call()}"
        except opledger.OpledgerError as error:
            told = str(error)
        expect(one in told and other in told, one, other, told)
        expect(not re.search(r"(?<![\w-])--?[a-z]", told), "a flag", told)
    warned = opledger.convert("model.onnx", exclude="^nowhere$").warnings
    expect([each.message for each in warned] == ['exclude="^nowhere$" matches no node'], warned)
    expect("report" in warned[0].hint and "--" not in warned[0].hint, warned)


if __name__ == "__main__":
    go_on_where_there_are("onnx", "numpy")
    sys.exit(main(globals()))

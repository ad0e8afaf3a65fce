#!/usr/bin/env python3
"""Tests `--device cuda` as far as possible without a GPU: no program needs CUDA's libraries;
missing parts are reported with a remedy; ONNX's node tests, run with the emulated module, match the
CPU's results, including those without a GPU kernel (device_copies_test.py tests these in detail);
functions decomposed into element-wise nodes run in fewer launches and yield the CPU's bits.

Exit status: 0 success, 1 failure, 77 the test data is missing (everything else passed).
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
from test_data import ONNX, skip  # noqa: E402

LEAST_SHARE = 0.4  # of the node tests that run on the CPU: completely on the GPU
WRITTEN_OUT = ("test_gelu_default_1_expanded", "test_selu_expanded_ver18", "test_softplus_expanded_ver18",
               "test_mish_expanded", "test_hardswish_expanded", "test_gelu_tanh_2_expanded")
problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def check_needs(programs):
    """No program lists CUDA among the libraries it needs."""
    if not shutil.which("readelf"):
        print("SKIPPED the check of needed libraries: readelf is missing")
        return
    for program in sorted(programs.iterdir()):
        if not program.is_file() or program.suffix == ".so":
            continue
        said = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=False).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
        expect(not [name for name in needed if re.match(r"libcu|libnv", name)], program.name, "needs", needed)


def run(program, model, module, *options):
    environment = {**os.environ, "OPLEDGER_CUDA_MODULE": str(module)}
    return subprocess.run([program, model, *options], env=environment,
                          capture_output=True, text=True, check=False)


def random_inputs(program, model):
    """Returns options that give every input random elements, as the program's error messages
    suggest."""
    options = []
    for _ in range(8):
        said = subprocess.run([program, model, *options], capture_output=True, text=True, check=False).stderr
        missing = re.search(r"input '([^']*)' is not given", said)
        if not missing:
            return options
        options += ["--input", f"{missing[1]}=random"]
    return options


def summary(text):
    """Returns the output of a run without digits after the fifth: contractions add in another
    order."""
    return re.sub(r"-?\d+\.?\d*(?:e[-+]?\d+)?", lambda m: f"{float(m[0]):.3g}", text)


def check_messages(program, model, options):
    missing = run(program, model, "/nowhere/opledger-cuda.so", "--device", "cuda", *options)
    expect(missing.returncode == 2 and "/nowhere/opledger-cuda.so" in missing.stderr
           and "OPLEDGER_CUDA=ON" in missing.stderr, "a missing module:", missing.stderr)
    wrong = run(program, model, model, "--device", "cuda", *options)
    expect(wrong.returncode == 2 and "is damaged" in wrong.stderr, "an invalid module:", wrong.stderr)
    reference = run(program, model, model, "--device", "cuda", "--kernels", "reference", *options)
    expect(reference.returncode == 2 and "run only on the CPU" in reference.stderr, reference.stderr)


def check_devices(program, module, model, options):
    """Selects one of several GPUs by number; the emulation has two."""
    want = run(program, model, module, "--device", "cuda", *options)
    second = run(program, model, module, "--device", "cuda:1", *options)
    expect(second.returncode == 0 and second.stdout == want.stdout, "cuda:1:", second.stderr, second.stdout)
    only = run(program, model, module, "--device", "cuda-only:1", *options)
    expect(only.returncode == 0 and only.stdout == want.stdout, "cuda-only:1:", only.stderr, only.stdout)
    none = run(program, model, module, "--device", "cuda:2", *options)
    expect(none.returncode == 2 and "GPU 2 cannot be used: there are 2, from cuda:0 to cuda:1" in none.stderr,
           "cuda:2:", none.stderr)
    for wrong in ("cuda:", "cuda:-1", "cuda:x", "cpu:1"):
        said = run(program, model, module, "--device", wrong, *options)
        expect(said.returncode == 2 and f"unknown choice '{wrong}'" in said.stderr, wrong, said.stderr)


def check_models(program, module, models):
    ran = served = 0
    for model in models:
        options = random_inputs(program, model)
        cpu = run(program, model, module, *options)
        if cpu.returncode != 0:
            continue
        ran += 1
        gpu = run(program, model, module, "--device", "cuda", *options)
        served += "run on the CPU" not in gpu.stderr.replace("runs", "run")
        expect(gpu.returncode == 0 and summary(gpu.stdout) == summary(cpu.stdout),
               model.parent.name, ": the CPU says\n", cpu.stdout, "and the module\n", gpu.stdout, gpu.stderr)
    print(f"{served} of {ran} node tests that the CPU runs have GPU kernels for every node")
    expect(served >= LEAST_SHARE * ran, "too few node tests have GPU kernels")


def check_chains(program, module, models):
    """Decomposed functions: exactly the CPU's outputs, also with a list, from fewer launches."""
    for model in models:
        options = random_inputs(program, model)
        for dtype in ([], ["--autocast", "float16"], ["--autocast", "bfloat16"]):
            results = {}
            for device in ("cpu", "cuda"):
                with tempfile.TemporaryDirectory() as folder:
                    done = run(program, model, module, "--device", device, "--trace", "-o", folder, *options, *dtype)
                    outputs = {f.name: f.read_bytes() for f in pathlib.Path(folder).iterdir()}
                results[device] = outputs, done.stdout.count(f" ({device}")
                expect(done.returncode == 0, model, device, done.stderr)
            name = model.parent.name, dtype
            expect(results["cpu"][0] == results["cuda"][0], name, "differs")
            expect(results["cuda"][1] < results["cpu"][1], name, "takes", results["cuda"][1], "launches of",
                   results["cpu"][1], "steps")


def check_bench(program, module, model):
    """Many runs of one plan, captured from the second on; the times are not checked."""
    environment = {**os.environ, "OPLEDGER_CUDA_MODULE": str(module)}
    done = subprocess.run([program, "--bench", model, "--device", "cuda", "--runs", "2", "--by-kernel", "--format",
                           "json"], env=environment, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, "bench:", done.stderr)
    report = json.loads(done.stdout or "{}")
    timings = report.get("models", [{}])[0].get("timings", [])
    expect(report.get("device") == "cuda" and timings and all(
               "elapsed_seconds" in timing or "same_as_float32" in timing for timing in timings),
           "bench says", done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=6)
    arguments = parser.parse_args()
    programs = arguments.bin.resolve()
    program = programs / "opledger-run"
    check_needs(programs)
    models = sorted(ONNX.rglob("node/*/model.onnx"))
    if models:
        check_messages(program, models[0], random_inputs(program, models[0]))
        modules = sorted(programs.parent.rglob("opledger-cuda-emulated.so"))
        expect(modules, "the emulated module was not built")
        if modules:
            relu = next(m for m in models if m.parent.name == "test_relu")
            check_devices(program, modules[0], relu, random_inputs(program, relu))
            check_models(program, modules[0], models[::arguments.every])
            check_bench(program, modules[0], next(m for m in models if m.parent.name == WRITTEN_OUT[0]))
            check_chains(program, modules[0], [m for m in models if m.parent.name in WRITTEN_OUT])
    for problem in problems:
        print(problem)
    if not models and not problems:
        skip("models of onnx")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

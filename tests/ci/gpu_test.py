#!/usr/bin/env python3
"""`ci/gpu`: tests the folder for a machine with a GPU, as far as possible without one. With the
emulated module, its run does everything except measuring networks; without a GPU, it says so in one
sentence."""
# SPDX-License-Identifier: Apache-2.0

import functools
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

MOST_BYTES = 64 << 20
FILES = {"gpu", "bin/opledger-run", "bin/opledger-cuda-selftest", "bin/opledger-cuda.so", "tests/make_onnx.py",
         "tests/kernels/gpu_models.py", "tests/kernels/cuda_layers_test.py", "models/weights.bin", "models/inputs.json",
         *(f"models/{name}.onnx" for name in ("bert", "prompt", "step", "resnet", "vit", "unet"))}


def gpu(*words, status=0, program=ROOT / "ci/gpu"):
    done = subprocess.run([sys.executable, "-B", program, *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    expect(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
    return done


def module_of(binary):
    modules = sorted(binary.parent.rglob("opledger-cuda-emulated.so"))
    if not modules or not (binary / "opledger-cuda-selftest").exists():
        raise Skip("the emulated module or the self-test was not built")
    return modules[0]


@functools.cache
def kit(binary):
    """Writes the folder, with the emulated module."""
    module = module_of(binary)
    kept = tempfile.TemporaryDirectory(prefix="opledger-gpu-")
    folder = pathlib.Path(kept.name) / "kit"
    gpu("build", "--bin", binary, "--module", module, folder)
    return kept, folder


def test_the_folder(binary, _):
    _, folder = kit(binary)
    files = {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    expect(set(files) == FILES, sorted(files))
    expect(sum(files.values()) <= MOST_BYTES, files)
    module = folder / "bin/opledger-cuda.so"
    other = folder.parent / "other"
    other.mkdir()
    (other / "gpu").write_text("somebody's")
    done = gpu("build", "--bin", binary, "--module", module, other, status=2)
    expect("is not empty" in done.stderr and (other / "gpu").exists(), done.stderr)
    # again, replacing the first
    gpu("build", "--bin", binary, "--module", module_of(binary), folder)


def test_a_run(binary, _):
    _, folder = kit(binary)
    done = gpu("run", "--quick", program=folder / "gpu")
    expect("emulated GPU 0" in done.stdout and "models on the GPU alone" in done.stdout, done.stdout)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| GPU: ")]
    for what in ("casts", "softmax of 16 bits", "attention of one row", "quantizing"):
        expect(any(row.startswith(f"| GPU: {what} |") for row in rows), what, rows)
    expect(all(row.count("|") == 4 for row in rows), rows)


def test_no_gpu(binary, _):
    _, folder = kit(binary)
    module = folder / "bin/opledger-cuda.so"
    kept = module.read_bytes()
    try:
        real = binary / "opledger-cuda.so"
        if real.exists():  # from this build: it finds no GPU, or lacks a library
            module.write_bytes(real.read_bytes())
        else:
            module.write_bytes(b"no library")
        done = gpu("run", status=77, program=folder / "gpu")
    finally:
        module.write_bytes(kept)
    expect(done.stdout.startswith("ci/gpu: nothing was run: no ") and done.stdout.count("\n") == 1, done.stdout)


def test_what_is_missing(_, folder):
    done = gpu("build", "--bin", folder, folder / "kit", status=2)
    expect("OPLEDGER_CUDA=ON makes it" in done.stderr, done.stderr)
    done = gpu("run", status=2)
    expect("no folder that" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))

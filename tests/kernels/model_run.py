"""Runs `opledger-run` on arrays, for tests that compare models."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import tempfile


def _load(path, numpy):
    array = numpy.load(path)
    if array.dtype.kind == "V":
        import ml_dtypes  # numpy has no bfloat16
        array = array.view(ml_dtypes.bfloat16)
    return array


def file_of(name):
    """Returns the file that an output is written to."""
    return "".join(c if c.isalnum() and c.isascii() or c in "-_." else "_" for c in name) + ".npy"


def _tensors(given):
    """Yields (name, array) for each tensor: the elements of a list are NAME.0, NAME.1; for an empty
    list or optional, the array is None."""
    for name, value in given.items():
        if isinstance(value, list) and value:
            yield from ((f"{name}.{i}", element) for i, element in enumerate(value))
        else:
            yield name, None if isinstance(value, list) else value


def _output(folder, name, said, numpy):
    """Returns an array, a list of them, or None for an empty optional."""
    for line in said.splitlines():
        if line == f"{name}: an optional, empty":
            return None
        if line.startswith(f"{name}: a sequence of "):
            return [_load(pathlib.Path(folder, file_of(f"{name}.{i}")), numpy) for i in range(int(line.split()[-1]))]
    return _load(pathlib.Path(folder, file_of(name)), numpy)


def run_model(program, model, given, outputs, kernels, *options):
    """Returns (exit status, outputs by name, message: the first error if it cannot run the model).
    `given`: arrays, lists of them or None, by names of inputs; `kernels`: value of --kernels, or
    "cuda"."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        where = ["--device", "cuda"] if kernels == "cuda" else ["--kernels", kernels]
        command = [program, model, "-o", folder, *where, *options]
        for i, (name, array) in enumerate(_tensors(given)):
            if array is not None:
                numpy.save(pathlib.Path(folder, f"in{i}.npy"), array)
            command += ["--input", f"{name}=" + ("empty" if array is None else f"{folder}/in{i}.npy")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
        if done.returncode == 2:
            return 2, {}, done.stderr.split("error: ", 1)[-1].splitlines()[0]
        if done.returncode != 0:
            return done.returncode, {}, f"exit status {done.returncode}: {done.stderr[-300:]}"
        return 0, {name: _output(folder, name, done.stdout, numpy) for name in outputs}, done.stdout


WITHIN = 1e-4  # of the greatest magnitude in an output


def difference(got, want, within=WITHIN):
    """Returns the problem of an output, or ""."""
    import numpy
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    got, want = got.astype("f8"), want.astype("f8")
    numbers = numpy.isfinite(want)
    if not numpy.array_equal(got[~numbers], want[~numbers], equal_nan=True):
        return "other infinities or NaN"
    off = numpy.abs(got[numbers] - want[numbers]).max(initial=0)
    most = numpy.abs(want[numbers]).max(initial=0)
    return "" if off <= within * most else f"off by {off:.3g}, the greatest is {most:.3g}"


def agreement(run, want, within=WITHIN):
    """Returns ("agree" | "none" | "differ", why) for a result of run_model and (name, array) of a
    peer."""
    status, got, said = run
    if status:
        return ("none" if status == 2 else "differ"), said
    for name, right in want:
        wrong = difference(got[name], right, within)
        if wrong:
            return "differ", f"{name}: {wrong}"
    return "agree", ""


def read_arguments(what, *more, all_means=None):
    """Returns the common options of tests of models, and those requested in `more`: "kernels"."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    if "kernels" in more:
        parser.add_argument("--kernels", choices=("fast", "reference", "cuda"), default="fast")
    if all_means:
        parser.add_argument("--all", action="store_true", help=all_means)
    return parser.parse_args()


def output_names(path):
    """Returns MXNet's names of a symbol's heads."""
    import mxnet
    return mxnet.sym.load(str(path)).list_outputs()

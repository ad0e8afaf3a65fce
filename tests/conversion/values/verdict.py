"""Judges a conversion by running the model: every output must be finite where the float32 model's
is, and as near to it as rounding explains. Does not rely on the converter. Rounding explains FACTOR
times the deviation of a conversion with only matrix products and convolutions in 16 bits, plus
SMALL of the output's scale.
"""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import pathlib
import shutil
import subprocess
import sys

import numpy
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import accuracy  # noqa: E402
from explicit_rounding import explicitly_rounded  # noqa: E402
from model_data import onnx_operators  # noqa: E402

FACTOR, SMALL = 8, 2.0 ** -6
PRODUCTS = {"MatMul", "Gemm", "Conv", "ConvTranspose"}
# Verdicts that are not the fault of the conversion, and those that are.
FINE = ("right", "unchanged", "not finite, as with low products alone")
WRONG = ("the model itself has no finite output", "not finite where float32 is", "beyond rounding",
         "another type or shape", "refused", "does not run")


@dataclasses.dataclass
class Verdict:
    text: str
    detail: str = ""

    @property
    def wrong(self):
        return self.text in WRONG


def npy_run(program, path, feeds, folder):
    """Returns the outputs of `opledger run`."""
    words, out = [], folder / "outputs"
    shutil.rmtree(out, ignore_errors=True)
    for name, value in feeds.items():
        numpy.save(folder / f"{name}.npy", value)
        words += ["--input", f"{name}={folder / name}.npy"]
    subprocess.run([program, path, *words, "-o", out], check=True, capture_output=True)
    return [numpy.load(out / f"{each.name}.npy") for each in onnx.load(path).graph.output]


class Judge:
    """`runtime`: "rounded", ONNX Runtime with explicit roundings to 16 bits; "onnxruntime", its own
    kernels, whose float16 omits roundings between nodes; or "opledger", which also runs what the
    others cannot."""

    def __init__(self, programs, folder, dtype, runtime="rounded"):
        self.programs, self.folder, self.dtype, self.runtime = programs, folder, dtype, runtime

    def convert(self, path, out, *words):
        """Returns the error, or ""."""
        command = [self.programs / "opledger-convert", path, "-o", out, "--target-dtype", self.dtype, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr.strip() or f"exit status {done.returncode}"

    def run(self, path, feeds):
        """Returns the outputs of a converted model, or None if no runtime can run it."""
        found = None
        if self.runtime == "onnxruntime":
            found = accuracy.attempt(accuracy.run, onnx.load(path), feeds)
        if self.runtime != "opledger" and found is None:
            found = accuracy.attempt(lambda: accuracy.run(explicitly_rounded(onnx.load(path)), feeds))
        if found is None and (self.programs / "opledger-run").exists():
            found = accuracy.attempt(npy_run, self.programs / "opledger-run", path, feeds, self.folder)
        return found

    def products_alone(self, path, case):
        """Returns the outputs with only products in 16 bits."""
        operators = {*onnx_operators(case.model.graph)}
        for function in case.model.functions:
            operators.update(onnx_operators(function))
        out = self.folder / "products.onnx"
        words = ["--exclude", f"^({'|'.join(case.exact)})$"] if case.exact else []
        refusal = self.convert(path, out, "--fp32-ops", ",".join(sorted(operators - PRODUCTS)), *words, *case.words)
        if refusal:
            raise SystemExit(f"{case.name}: {refusal}")
        return self.run(out, case.feeds)

    def judge(self, case):
        path, out = self.folder / "model.onnx", self.folder / "converted.onnx"
        path.write_bytes(case.model.SerializeToString())
        (self.folder / "products.onnx").unlink(missing_ok=True)
        exact = accuracy.run(case.model, case.feeds)
        if not any(numpy.isfinite(each).any() for each in exact):
            return Verdict("the model itself has no finite output")
        refusal = self.convert(path, out, *case.words)
        if refusal:
            return Verdict("refused", refusal)
        if out.read_bytes() == path.read_bytes():
            return Verdict("unchanged")
        found = self.run(out, case.feeds)
        if found is None:
            return Verdict("does not run")
        return self.compared(path, case, exact, found)

    def compared(self, path, case, exact, found):
        alone = None
        worst = Verdict("right")
        for at, (value, right) in enumerate(zip(found, exact)):
            if value.shape != right.shape or value.dtype != right.dtype:
                return Verdict("another type or shape", f"output {at}: {value.dtype}{value.shape}")
            if near(value, right, right):
                continue
            alone = alone or self.products_alone(path, case)
            base = alone[at] if alone[at].shape == right.shape else right
            finite = numpy.isfinite(right)
            if not numpy.isfinite(value[finite]).all():
                if numpy.isfinite(base[finite]).all():
                    return Verdict("not finite where float32 is", f"output {at}")
                worst = Verdict("not finite, as with low products alone")
            elif not near(value, right, base):
                worst = Verdict("beyond rounding", describe(at, value, right, base))
        return worst


def near(value, right, base):
    """Returns whether `value` is finite where `right` is, and as near to it as `base` explains.
    Where float32 is not finite, everything is right."""
    finite = numpy.isfinite(right)
    if not numpy.isfinite(value[finite]).all():
        return False
    off, allowed = deviations(value, right, base)
    return off <= allowed


def deviations(value, right, base):
    """Returns (deviation of the outputs, explained deviation). Integers are exact if they are with
    products alone."""
    finite = numpy.isfinite(right) & numpy.isfinite(base) & numpy.isfinite(value)
    if not finite.any():
        return 0.0, 0.0
    small = 0.0 if right.dtype.kind in "iub" else SMALL * numpy.abs(right[finite]).max()
    value, right, base = (each[finite].astype(numpy.float64) for each in (value, right, base))
    return numpy.abs(value - right).max(), max(FACTOR * numpy.abs(base - right).max(), small)


def describe(at, value, right, base):
    off, allowed = deviations(value, right, base)
    return f"output {at}: off by {off:.3g}, of which rounding explains {allowed:.3g}"

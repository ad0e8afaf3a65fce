#!/usr/bin/env python3
"""Compares models written by ONNX Runtime's tools in opledger and in ONNX Runtime: optimized
(ORT_ENABLE_EXTENDED, and by onnxruntime.transformers if it can be imported), and quantized,
dynamically and statically. The models are the trained ones of installed packages and those of the
test data with operators that the optimizer fuses.

Outputs agree within 1e-4 of their largest element; those of quantized models within STEPS of the
norm, since a float32 rounding may move an element by one quantization step. Prints a line for each
that differs or cannot run, and the count. Exit status: 0 success, 1 failure, 77 the test data or
onnxruntime is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import shutil
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_data import ONNX, require  # noqa: E402
from model_run import agreement, read_arguments, run_model  # noqa: E402
from networks_test import inputs_for  # noqa: E402

# Relative to the norm of a quantized model's output: exact ties may round either way. (ONNX
# Runtime's own optimization levels differ by 93 % on the worst model, bert_tiny in QDQ.)
STEPS = 0.05
SLOW = ("light_vgg19", "light_densenet121", "light_bvlc_alexnet")  # only with --all
# Networks whose operators have no fused form are tested unoptimized, by networks_test.py.
FOLDERS = ("gen", "light", "edge")


def known_inputs():
    """Returns model -> meaningful inputs, for the trained ones."""
    try:
        import trained_models
        found = {}
        for task in trained_models.tasks()[0]:
            try:
                found[task.path] = task.inputs()[0]
            except (OSError, ImportError):  # without espeak-ng or Pillow
                continue
        return found
    except ImportError:
        return {}


def models(every):
    for path, given in known_inputs().items():
        yield path.stem, path, given
    for folder in FOLDERS:
        for path in sorted((ONNX / folder).rglob("*.onnx")):
            if every or not path.stem.startswith(SLOW):
                yield f"{path.parent.name}-{path.stem}", path, None


def session_of(onnxruntime, path, written=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if written is not None:
        options.optimized_model_filepath = str(written)
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def domains(path):
    import onnx
    graphs, found = [onnx.load(path, load_external_data=False).graph], set()
    while graphs:
        for node in graphs.pop().node:
            found.add(node.domain)
            graphs += [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    return found


def by_norm(run, want):
    """As `agreement`, for quantized models."""
    import numpy
    status, got, said = run
    if status:
        return ("none" if status == 2 else "differ"), said
    for name, right in want:
        if got[name].dtype != right.dtype or got[name].shape != right.shape:
            return "differ", f"{name}: {got[name].dtype}{got[name].shape}, not {right.dtype}{right.shape}"
        right = right.astype("f8")
        off = numpy.linalg.norm(got[name] - right) / max(numpy.linalg.norm(right), 1e-30)
        if not off <= STEPS:
            return "differ", f"{name}: off by {100 * off:.2g} % in the norm"
    return "agree", ""


class Comparison:
    def __init__(self, program, kernels):
        self.program, self.kernels = program, kernels
        self.counts = collections.defaultdict(collections.Counter)

    def add(self, kind, name, path, given):
        import numpy
        import onnxruntime
        try:
            session = session_of(onnxruntime, path)
            given = given or inputs_for(session, numpy)
            given = {each.name: given[each.name] for each in session.get_inputs()}
            want = session.run(None, given)
        except Exception:  # pylint: disable=broad-except  # random inputs fit not every model
            self.counts[kind]["refused"] += 1
            return
        names = [value.name for value in session.get_outputs()]
        run = run_model(self.program, path, given, names, self.kernels)
        what, why = (by_norm if kind == "quantised" else agreement)(run, list(zip(names, want)))
        self.counts[kind][what] += 1
        if what != "agree":
            print(f"{what:8}{kind} {name}: {why}", flush=True)


def add_optimised(comparison, folder, options):
    import onnxruntime
    for number, (name, path, given) in enumerate(models(options.all)):
        if options.only not in name or number % options.every:
            continue
        home = folder / "optimised" / name
        home.mkdir(parents=True)
        for data in path.parent.glob("*.data"):
            shutil.copy(data, home)
        written = home / "model.onnx"
        try:
            session_of(onnxruntime, path, written)
        except Exception:  # pylint: disable=broad-except  # a model that it refuses
            continue
        if "com.microsoft" in domains(written):
            comparison.add("optimised", name, written, given)


def add_transformers(comparison, folder, options):
    """BERT as fused by the optimizer of transformers: attention, embeddings, normalizations."""
    try:
        from onnxruntime.transformers import optimizer
        import sympy  # noqa: F401  # pylint: disable=unused-import
    except ImportError as error:
        print(f"not tested: onnxruntime.transformers ({error})")
        return
    for name in ("bert_tiny", "bert_small"):
        if options.only not in name:
            continue
        fused = optimizer.optimize_model(str(ONNX / "gen" / name / "model.onnx"), model_type="bert", opt_level=0)
        written = folder / f"{name}.onnx"
        fused.save_model_to_file(str(written))
        comparison.add("optimised", f"{name} by transformers", written, None)


def add_quantised(comparison, folder, options):
    import numpy
    import onnxruntime
    from onnxruntime import quantization

    class Samples(quantization.CalibrationDataReader):
        def __init__(self, path):
            self.left = [inputs_for(session_of(onnxruntime, path), numpy) for _ in range(2)]

        def get_next(self):
            return self.left.pop() if self.left else None

    for name in ("bert_tiny", "bert_small", "resnet_tiny", "resnet18_small", "llama_tiny")[::min(options.every, 4)]:
        if options.only not in name:
            continue
        path, written = ONNX / "gen" / name / "model.onnx", folder / f"{name}-dynamic.onnx"
        quantization.quantize_dynamic(str(path), str(written))
        comparison.add("quantised", f"{name} dynamic", written, None)
        for form in ("QDQ", "QOperator"):
            written = folder / f"{name}-{form}.onnx"
            quantization.quantize_static(str(path), str(written), Samples(path),
                                         quant_format=getattr(quantization.QuantFormat, form), per_channel=form == "QDQ")
            comparison.add("quantised", f"{name} {form}", written, None)


def main():
    options = read_arguments(__doc__, "kernels", all_means="the slow ones, too")
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
        import onnxruntime
        import onnxruntime.quantization  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
    require(ONNX)
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    comparison = Comparison(options.bin.resolve() / "opledger-run", options.kernels)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        add_optimised(comparison, folder, options)
        add_transformers(comparison, folder, options)
        add_quantised(comparison, folder, options)
    bad = 0
    for kind in ("optimised", "quantised"):
        counts = comparison.counts[kind]
        print(f"{counts['agree']} {kind} models agree with ONNX Runtime, {counts['none']} are refused, {counts['differ']} "
              f"differ, {counts['refused']} are refused by it")
        bad += counts["none"] + counts["differ"]
        if not options.only and not counts["agree"]:
            print(f"no {kind} model was compared")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

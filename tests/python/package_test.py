#!/usr/bin/env python3
"""Tests the package as a user has it: every public function has an example that runs; models by
path, as ModelProto and as bytes, with external data; errors are exceptions with diagnostics;
nothing is printed."""
# SPDX-License-Identifier: Apache-2.0

import doctest
import gc
import importlib
import inspect
import io
import json
import logging
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import redirect_stdout

from in_python import PACKAGE, enter_demo, expect, go_on_where_there_are, main, raises, use
from make_onnx import model_bytes

WITHOUT_EXAMPLES = {"mxnet_2.convert_hybrid_block",  # needs MXNet 2
                    "mxnet_1.list_conditional_fp32_ops", "mxnet_1.list_fp32_ops", "mxnet_1.list_lp16_fp32_ops",
                    "mxnet_1.list_widest_type_cast"}  # as list_lp16_ops


def modules(opledger):
    for module in pkgutil.walk_packages(opledger.__path__, "opledger."):
        if ".mxnet_" not in module.name or importlib.util.find_spec("mxnet"):
            yield importlib.import_module(module.name)


def public(opledger):
    """Yields every function and class of the package and of its drop-in replacements, by name."""
    for name in opledger.__all__:
        yield name, getattr(opledger, name)
    for module in modules(opledger):
        if module.__name__.startswith("opledger.compat."):
            stem = module.__name__.rsplit(".", 1)[1]
            if stem in ("amp_lists", "float16_graph"):  # shared by the others
                continue
            for name, function in inspect.getmembers(module, inspect.isfunction):
                if function.__module__ == module.__name__ and not name.startswith("_"):
                    yield f"{stem}.{name}", function


def test_examples_run(bin_folder, folder):
    opledger = use(bin_folder)
    warnings.simplefilter("ignore")
    demo = enter_demo(folder)
    tried = 0
    for module in modules(opledger):
        os.chdir(demo)
        failed, count = doctest.testmod(module, extraglobs={"opledger": opledger})
        expect(failed == 0, module.__name__)
        tried += count
    expect(tried > 40, tried)


def test_everything_is_documented(bin_folder, folder):
    opledger = use(bin_folder)
    for name, thing in public(opledger):
        expect(inspect.getdoc(thing), name, "has no docstring")
        called = inspect.isfunction(thing)
        if called and name not in WITHOUT_EXAMPLES:
            expect(">>>" in thing.__doc__, name, "has no example")
    told = subprocess.run([bin_folder / "opledger", "--version"], capture_output=True, text=True, check=True).stdout
    expect(told.split() == ["opledger", opledger.__version__], told, opledger.__version__)


def test_models_are_taken_in_every_form(bin_folder, folder):
    import onnx
    opledger = use(bin_folder)
    demo = enter_demo(folder)
    by_path = opledger.convert("model.onnx", "by_path.onnx")
    proto = onnx.load("model.onnx")
    for model in (demo / "model.onnx", proto, proto.SerializeToString()):
        converted = opledger.convert(model)
        expect(converted.to_bytes() == by_path.to_bytes(), model)
        expect(converted.model == onnx.load("by_path.onnx"))
    converted = opledger.convert(proto, report=True)
    expect("/proc/" not in repr(converted) + converted.conversion.model + converted.page, repr(converted))
    place = converted.path
    expect(place.exists() and converted.save("saved.onnx").read_bytes() == by_path.to_bytes())
    again = opledger.convert(converted, target_dtype="float32")
    expect(again.conversion is None and again.nodes == [] and "16-bit values" in repr(again), again)
    expect(onnx.load("model.onnx") == proto, "the model was changed")
    del converted
    gc.collect()
    expect(not place.exists(), "what was not saved is kept")
    expect(isinstance(raises(TypeError, opledger.convert, 3), TypeError))
    opledger.convert("saved.onnx", "saved.onnx", target_dtype="float32")  # in place
    expect(opledger.inspect("saved.onnx").casts == [])


def test_external_data(bin_folder, folder):
    import numpy
    import onnx
    opledger = use(bin_folder)
    os.chdir(folder)
    description = {"opset": 17, "inputs": {"x": ["float32", [1, 2]]}, "outputs": {"y": ["float32", [1, 2]]},
                   "initializers": {"w": ["float32", [2, 2], [1, 2, 3, 4], "data.bin"]},
                   "nodes": [["MatMul", ["x", "w"], ["y"], {"name": "product"}]]}
    (folder / "in").mkdir()
    (folder / "in/model.onnx").write_bytes(model_bytes(description, folder / "in"))
    proto = onnx.load("in/model.onnx", load_external_data=False)
    error = raises(ValueError, opledger.convert, proto)
    expect("base_dir" in str(error) and "'w'" in str(error), error)
    for model, base_dir in (("in/model.onnx", None), (proto, "in"), (onnx.load("in/model.onnx"), None)):
        converted = opledger.convert(model, base_dir=base_dir)
        expect(numpy.array_equal(onnx.numpy_helper.to_array(converted.model.graph.initializer[0]),
                                 numpy.array([[1, 2], [3, 4]], "float16")))
        (folder / "out").mkdir(exist_ok=True)
        converted.save("out/saved.onnx")
        onnx.load("out/saved.onnx")
        ran = opledger.run(model, {"x": numpy.ones((1, 2), "float32")}, base_dir=base_dir)
        expect(ran["y"].tolist() == [[4.0, 6.0]], ran)
    expect(sorted(os.listdir("in")) == ["data.bin", "model.onnx"], os.listdir("in"))


def test_mxnet_models(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    converted = opledger.convert("net-symbol.json", params="net-0000.params")
    expect(converted.params.name == "converted-0000.params", converted.params)
    raises(TypeError, lambda: converted.model)
    expect(converted.save("low").name == "low-symbol.json" and os.path.exists("low-0000.params"))
    compared = opledger.compare("net-symbol.json", converted, params="net-0000.params", input_shapes={"data": (2, 8)},
                                max_error=1e-2)
    expect(compared.within and compared.outputs[0].name == "scores_output", compared)
    reverted = opledger.revert(converted, "back")
    expect(reverted.path.name == "back-symbol.json" and reverted.params.exists(), reverted)


def test_a_policy_for_each_node(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    import onnx
    asked = []

    def policy(node):
        asked.append(node)
        return {"hidden": "fp32", "softmax": "target", "head": "either"}.get(node.name)
    for model in ("model.onnx", onnx.load("model.onnx"), onnx.load("model.onnx").SerializeToString()):
        asked.clear()
        done = opledger.convert(model, policy=policy)
        expect([each.name for each in asked] == [each.name for each in done.nodes], asked)
        rules = {each.name: (each.rule.kind, each.precision) for each in done.nodes}
        expect(rules["hidden"] == ("excluded", "float32") and rules["softmax"] == ("node", "float16") and
               rules["head"][0] == "node" and rules["activation"][0] == "list", rules)
    expect(asked[0].inputs[1].shape == [8, 16] and asked[0].inputs[0].shape == [None, 8])
    expect(asked[0].inputs[1].elements == 128 and asked[0].inputs[0].elements is None)
    own = opledger.convert("model.onnx", policy=policy, fp32_ops="Softmax", fp32_nodes="head")
    expect(own.node("softmax").rule.kind == "option" and own.node("head").rule.kind == "excluded", own.nodes)
    # The answer replaces the list's entry for a node.
    low = {**next(each for each in opledger.lists("onnx") if each.target_dtype == "float16").content(),
           "fp32_nodes": ["softmax", "activation"]}
    done = opledger.convert("model.onnx", precision_list=low, policy=policy)
    expect(done.node("softmax").precision == "float16" and done.node("activation").precision == "float32", done.nodes)
    raises(ValueError, opledger.convert, "model.onnx", policy=lambda node: "conditional")
    raises(ZeroDivisionError, opledger.convert, "model.onnx", policy=lambda node: 1 / 0)
    raises(ValueError, opledger.convert, "model.onnx", policy=policy, target_dtype="float32")
    twins = {"opset": 17, "inputs": {"x": ["float32", [2]]}, "outputs": {"y": ["float32", [2]]},
             "nodes": [["Relu", ["x"], ["h"], {"name": "twin"}], ["Exp", ["h"], ["y"], {"name": "twin"}]]}
    raises(ValueError, opledger.convert, model_bytes(twins),
           policy=lambda node: "fp32" if node.operator == "Exp" else None)
    with open("base.json", "w", encoding="utf-8") as file:
        json.dump(low, file)
    with open("over.json", "w", encoding="utf-8") as file:
        json.dump({"framework": "onnx", "target_dtype": "float16", "extends": "base.json", "fp32": []}, file)
    raises(ValueError, opledger.convert, "model.onnx", precision_list="over.json", policy=policy)
    shapes = {}
    opledger.convert("net-symbol.json", params="net-0000.params",
                     policy=lambda node: shapes.update({node.name: [each.shape for each in node.inputs]}))
    expect(shapes["hidden"] == [None, [8, 8], [8]], shapes)


def test_errors_hold_diagnostics(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    with open("list.json", "w", encoding="utf-8") as file:
        file.write('{"framework": "onnx",\n "target_dtype": "float16", "fp32": [], "targt": []}')
    error = raises(opledger.OpledgerError, opledger.convert, "model.onnx", precision_list="list.json")
    first = error.diagnostics[0]
    expect((first.path, first.line, first.severity) == ("list.json", 2, "error") and first.column > 1, first)
    expect("did you mean" in first.hint and "list.json:2" in str(error) and error.exit_status == 2, error)
    expect(not isinstance(error, opledger.ProgramCrashed) and error.command[1] == "convert")
    error = raises(opledger.OpledgerError, opledger.convert, b"no model", "x.onnx")
    expect("<ModelProto>" in str(error) and not os.path.exists("x.onnx"), error)
    error = raises(opledger.OpledgerError, opledger.convert, "model.onnx", io_types="high")
    expect(error.diagnostics[0].path is None and "high" in str(error), error)
    error = raises(opledger.OpledgerError, opledger.convert, "model.onnx", strict=True, fp32_ops=["MatMul", "Add", "Relu"])
    expect(error.exit_status == 1, error)
    os.environ["OPLEDGER_PROGRAMS"] = str(folder)
    expect("OPLEDGER_PROGRAMS" in str(raises(opledger.ProgramNotFound, opledger.inspect, "model.onnx")))


def test_a_crash_is_an_exception(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    programs = folder / "bin"
    programs.mkdir()
    (programs / "opledger").write_text("#!/bin/sh\necho some words >&2\nkill -SEGV $$\n")
    (programs / "opledger").chmod(0o755)
    os.environ["OPLEDGER_PROGRAMS"] = str(programs)
    error = raises(opledger.ProgramCrashed, opledger.convert, "model.onnx")
    expect(error.exit_status == -signal.SIGSEGV and "SIGSEGV" in str(error) and "some words" in error.output, error)


def test_an_interrupt_ends_the_program(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    programs = folder / "bin"
    programs.mkdir()
    (programs / "opledger").write_text(f"#!/bin/sh\necho $$ > {folder}/pid\nexec sleep 60\n")
    (programs / "opledger").chmod(0o755)
    os.environ["OPLEDGER_PROGRAMS"] = str(programs)

    def interrupt():
        while not (folder / "pid").exists() or not (folder / "pid").read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    def ended():
        return not os.path.exists(f"/proc/{(folder / 'pid').read_text().strip()}")

    threading.Thread(target=interrupt).start()
    raises(KeyboardInterrupt, opledger.convert, "model.onnx")
    expect(ended(), "the program still runs")

    class InterruptedStart(subprocess.Popen):
        """The interrupt arrives while the program starts, before the package has a handle on it."""

        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            interrupt()

    before, subprocess.Popen = subprocess.Popen, InterruptedStart
    (folder / "pid").unlink()
    try:
        raises(KeyboardInterrupt, opledger.convert, "model.onnx")
    finally:
        subprocess.Popen = before
    expect(ended(), "the program still runs")
    expect(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getsignal(signal.SIGINT))


def test_nothing_is_printed_and_warnings_are_logged(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    logged = []
    handler = logging.Handler()
    handler.emit = lambda record: logged.append((record.levelname, record.getMessage()))
    logging.getLogger("opledger").addHandler(handler)
    printed = io.StringIO()
    with redirect_stdout(printed):
        converted = opledger.convert("model.onnx", exclude=["^nowhere$"])
        opledger.compare("model.onnx", converted, input_shapes={"pixels": (2, 8)})
    logging.getLogger("opledger").removeHandler(handler)
    expect(printed.getvalue() == "", printed.getvalue())
    expect([each.severity for each in converted.warnings] == ["warning"], converted.warnings)
    expect(logged == [("WARNING", str(converted.warnings[0]))], logged)
    said = subprocess.run([sys.executable, "-B", "-c", "import opledger; opledger.convert('model.onnx')"], check=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    expect(said.stdout == b"" and said.stderr == b"", said)


def test_samples_and_progress(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    random = numpy.random.default_rng(1)
    samples = [{"pixels": random.standard_normal((2, 8)).astype("float32")} for _ in range(3)]
    steps = []
    tuned = opledger.tune("model.onnx", samples, max_error=4e-4, progress=steps.append)
    expect(tuned.met and tuned.left_out.samples == 3 and tuned.error <= 4e-4, tuned)
    expect(steps and steps[-1].what == "runs" and [each.done for each in steps] == list(range(1, len(steps) + 1)), steps)
    expect(json.loads(tuned.save("tuned.json").read_text())["fp32_nodes"] == [each.name for each in tuned.kept])
    compared = opledger.compare("model.onnx", opledger.convert("model.onnx", precision_list="tuned.json"), samples,
                                max_error=4e-4)
    expect(compared.within and len(compared.samples) == 3, compared)
    beyond = opledger.tune("model.onnx", samples, max_error=0.5, beyond_list=True)
    named = json.loads(beyond.save("beyond.json").read_text())
    expect(not beyond.kept and named["either_nodes"], named)
    all_low = opledger.convert("model.onnx", precision_list="beyond.json")
    expect(all(node.precision in ("float16", "as wanted", "unchanged") for node in all_low.nodes), all_low.nodes)
    never = opledger.tune("model.onnx", samples[0], max_error=1e-12)
    expect(not never.met and never.list_path is None, never)
    raises(ValueError, never.save, "never.json")

    class Stop(Exception):
        pass

    def stop(step):
        raise Stop(step)
    raises(Stop, opledger.tune, "model.onnx", samples, max_error=4e-4, progress=stop)
    expect("float64" in str(raises(TypeError, opledger.run, "model.onnx", {"pixels": numpy.ones((2, 8))})))
    scanned = []
    opledger.scan(".", cache=False, progress=scanned.append)
    expect(all(each.total for each in scanned), scanned)


def test_notebooks_show_hostile_names_as_text(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    name = "<script>alert(1)</script>"
    model = {"opset": 17, "inputs": {"x": ["float32", [2, 2]]}, "outputs": {"y": ["float32", [2, 2]]},
             "nodes": [["Exp", ["x"], ["h"], {"name": name}], ["MatMul", ["h", "h"], ["y"], {"name": "m"}]]}
    data = model_bytes(model)
    converted = opledger.convert(data, report=True)
    shown = converted._repr_html_()
    expect("Exp" in shown and "<iframe" in shown and 'sandbox="allow-scripts"' in shown)
    for html in (shown, opledger.compare(data, converted)._repr_html_(), opledger.inspect(data)._repr_html_()):
        expect("<table>" in html and name not in html, html[:500])
    findings = opledger.check(".")
    expect(findings.failed and "hard_swish" in findings._repr_html_() and findings.summary.errors == len(findings))
    expect(not opledger.check(".", select=["stale-entry"]).failed)


def test_hazards_and_ranges(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    wide = {"pixels": (0, 1e5)}
    raised = opledger.convert("model.onnx", input_ranges=wide)
    expect(raised.node("hidden").rule.kind == "overflow" and raised.totals.low < 5, raised.node("hidden"))
    told = opledger.convert("model.onnx", input_ranges=wide, hazards="report")
    expect(told.totals.low == 5 and any("'hidden'" in each.message for each in told.warnings), told.warnings)
    sample = {"pixels": numpy.full((2, 8), 1e5, "float32")}
    for samples in (sample, [sample, sample]):
        expect(opledger.convert("model.onnx", samples=samples).node("hidden").rule.kind == "overflow")
    known = opledger.inspect("model.onnx", values=True).value("hidden.sum").float32
    expect((known.low, known.high) == (-numpy.inf, numpy.inf), known)
    raises(KeyError, opledger.inspect("model.onnx").value, "hidden.sum")
    given = {"pixels": numpy.full((2, 8), 0.5, "float32")}
    for how in ({}, {"hazards": "report"}, {"input_ranges": wide}):
        by_list = opledger.run("model.onnx", given, autocast="float16", **how)["scores"]
        converted = opledger.run(opledger.convert("model.onnx", **how), given)["scores"]
        expect((by_list == converted).all(), how)
    expect(opledger.compare("model.onnx", autocast="float16", samples=given, input_ranges=wide).outputs)
    for wrong in ({"pixels": 1}, {"pixels": (1,)}, {"pixels": "0,1"}):
        expect("pixels" in str(raises(TypeError, opledger.convert, "model.onnx", input_ranges=wrong)))


if __name__ == "__main__":
    go_on_where_there_are("onnx", "numpy")
    sys.exit(main(globals()))

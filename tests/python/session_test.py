#!/usr/bin/env python3
"""Session: one process, arrays in shared memory, which stay the caller's; invalid inputs and
crashes raise exceptions, after which the session goes on; nothing is left behind; without numpy, it
takes and returns buffers."""
# SPDX-License-Identifier: Apache-2.0

import gc
import os
import signal
import subprocess
import sys
import threading
import time

from in_python import PACKAGE, enter_demo, expect, go_on_where_there_are, main, raises, use
from make_onnx import model_bytes


def test_outputs_stay_the_callers(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    before = set(os.listdir("/dev/shm"))
    random = numpy.random.default_rng(1)
    inputs = [random.standard_normal((2, 8)).astype("float32") for _ in range(20)]
    with opledger.Session("model.onnx") as session:
        process = session._process
        kept = [session.run({"pixels": each})["scores"] for each in inputs]
        expect(set(os.listdir("/dev/shm")) == before, "a name in /dev/shm")
        for each, scores in zip(inputs, kept):
            expect(numpy.array_equal(scores, opledger.run("model.onnx", {"pixels": each})["scores"]))
        kept = kept[0].T[1:]  # a view of a view
        wanted = kept.copy()
        size = os.fstat(process.memory.descriptor).st_size
        for each in inputs * 20:
            session.run({"pixels": each})
        gc.collect()
        expect(os.fstat(process.memory.descriptor).st_size <= size + 4096, "memory is not reused")
        expect(session._process is process, "it is a different process")
    expect(numpy.array_equal(kept, wanted), "an output changed")
    expect(process.process.returncode == 0, process.process.returncode)


def test_shapes_types_and_layouts(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    model = {"opset": 22, "inputs": {"x": ["bfloat16", ["n"]], "i": ["int64", []], "b": ["bool", ["n"]]},
             "outputs": {"y": ["bfloat16", ["n"]], "j": ["int64", []], "c": ["bool", ["n"]]},
             "nodes": [["Neg", ["x"], ["y"]], ["Neg", ["i"], ["j"]], ["Not", ["b"], ["c"]]]}
    with opledger.Session(model_bytes(model)) as session:
        for count in (3, 0, 1, 1000):
            bits = numpy.full(count, 0x3f80, "uint16")  # 1.0
            found = session.run({"x": bits, "i": 7, "b": [True] * count})
            expect(found["y"].shape == (count,) and found["j"].shape == () and found["j"] == -7, found)
            expect(bool((found["y"].view("uint16") == 0xbf80).all()) and not found["c"].any(), found)
    with opledger.Session("model.onnx") as session:
        pixels = numpy.arange(16, dtype="float32").reshape(8, 2)
        scores = session.run({"pixels": pixels.T})["scores"]
        expect(numpy.array_equal(scores, session.run({"pixels": pixels.T.copy()})["scores"]))
        expect(numpy.array_equal(scores, session.run({"pixels": pixels.T.astype(">f4")})["scores"]))
        expect("float64" in str(raises(TypeError, session.run, {"pixels": pixels.astype("float64")})))


def test_sequences_are_lists(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    rows = ["float32", ["n", 2]]
    model = {"opset": 18, "inputs": {"x": rows}, "outputs": {"s": ["sequence", rows], "y": rows, "o": ["optional", rows]},
             "nodes": [["SplitToSequence", ["x"], ["s"], {"axis": 0}], ["Neg", ["x"], ["y"]],
                       ["Optional", [], ["o"]]]}
    with opledger.Session(model_bytes(model)) as session:
        for count in (3, 0, 2):
            x = numpy.arange(2 * count, dtype="float32").reshape(count, 2)
            found = session.run({"x": x})
            expect(found["o"] is None and set(found) == {"s", "y", "o"}, found)
            expect(len(found["s"]) == count and numpy.array_equal(found["y"], -x), found)
            expect(all(numpy.array_equal(row, x[i:i + 1]) for i, row in enumerate(found["s"])), found)


def test_what_is_wrong_is_an_exception(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    pixels = numpy.ones((2, 8), "float32")
    error = raises(opledger.OpledgerError, opledger.Session, "nowhere.onnx")
    expect(error.diagnostics[0].path == "nowhere.onnx", error)
    with opledger.Session("model.onnx") as session:
        process = session._process
        for inputs, words in (({"pixels": pixels[:, :7]}, "pixels=batch,8"), ({}, "not given"),
                              ({"pixel": pixels}, "no input 'pixel'")):
            error = raises(opledger.OpledgerError, session.run, inputs)
            expect(words in str(error) and error.diagnostics[0].hint, error)
        expect(session.run({"pixels": pixels})["scores"].shape == (2, 3) and session._process is process)
        process.process.send_signal(signal.SIGKILL)  # a sanitizer would handle other signals
        error = raises(opledger.ProgramCrashed, session.run, {"pixels": pixels})
        expect("SIGKILL" in str(error), error)
        expect(session.run({"pixels": pixels})["scores"].shape == (2, 3), "no new process")
    expect(session.run({"pixels": pixels})["scores"].shape == (2, 3), "a closed session does not open again")
    session.close()


def test_threads_share_it_and_nothing_is_left(bin_folder, folder):
    import numpy
    opledger = use(bin_folder)
    enter_demo(folder)
    session = opledger.Session("model.onnx", threads=1)
    problems = []

    def work(batch):
        for _ in range(50):
            if session.run({"pixels": numpy.full((batch, 8), batch, "float32")})["scores"].shape != (batch, 3):
                problems.append(batch)

    workers = [threading.Thread(target=work, args=(batch,)) for batch in (1, 2, 3, 4)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    expect(not problems, problems)
    number = session._process.process.pid
    open_files = len(os.listdir("/proc/self/fd"))
    del session
    gc.collect()
    expect(not os.path.exists(f"/proc/{number}") and len(os.listdir("/proc/self/fd")) < open_files)


def test_it_ends_with_its_starter(bin_folder, folder):
    enter_demo(folder)
    text = ("import opledger, os, signal\ns = opledger.Session('model.onnx')\n"
            "print(s._process.process.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)")
    done = subprocess.run([sys.executable, "-B", "-c", text], stdout=subprocess.PIPE, check=False,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "OPLEDGER_PROGRAMS": str(bin_folder)})
    for _ in range(100):
        try:
            ended = open(f"/proc/{int(done.stdout)}/stat", encoding="utf-8").read().split()[2] == "Z"
        except FileNotFoundError:
            ended = True
        if ended:
            return
        time.sleep(0.05)
    raise AssertionError("the process is still running")


def test_what_libraries_print_is_no_reply(bin_folder, folder):
    """oneDNN's log, where there is oneDNN."""
    enter_demo(folder)
    text = ("import array, opledger\n"
            "pixels = memoryview(array.array('f', range(16))).cast('B').cast('f', (2, 8))\n"
            "print(opledger.run('model.onnx', {'pixels': pixels})['scores'].shape)")
    done = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "OPLEDGER_PROGRAMS": str(bin_folder),
                               "ONEDNN_VERBOSE": "1"})
    expect((done.returncode, done.stdout) == (0, "(2, 3)\n"), done.stdout, done.stderr)


def test_without_numpy(bin_folder, folder):
    enter_demo(folder)
    text = ("import sys\nsys.modules['numpy'] = sys.modules['onnx'] = None\nimport array, opledger\n"
            "pixels = memoryview(array.array('f', range(16))).cast('B').cast('f', (2, 8))\n"
            "scores = opledger.run('model.onnx', {'pixels': pixels})['scores']\n"
            "assert scores.shape == (2, 3) and scores.format == 'f' and abs(sum(scores.tolist()[0]) - 1) < 1e-3\n"
            "mixed = opledger.convert(open('model.onnx', 'rb').read(), io_types='low')\n"
            "low = memoryview(array.array('H', [0x3c00] * 16)).cast('B').cast('H', (2, 8))\n"
            "print(opledger.compare('model.onnx', opledger.convert('model.onnx'), [{'pixels': pixels}]).samples[0].name)")
    done = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "OPLEDGER_PROGRAMS": str(bin_folder)})
    expect((done.returncode, done.stdout) == (0, "0\n"), done.stderr)


if __name__ == "__main__":
    go_on_where_there_are("numpy")
    sys.exit(main(globals()))

#!/usr/bin/env python3
"""Runs the examples of the documents and of python/examples: the ```pycon blocks of README.md and
python/*.md, each document in one copy of the demo; the examples on trained models, which ci/setup
installs."""
# SPDX-License-Identifier: Apache-2.0

import doctest
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

from in_python import PACKAGE, ROOT, Skip, enter_demo, expect, go_on_where_there_are, main, use

DOCUMENTS = ("README.md", "python/README.md")
BLOCK = re.compile(r"(?<=^```pycon\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def test_documents(bin_folder, folder):
    use(bin_folder)
    for name in DOCUMENTS:
        (folder / name.replace("/", "-")).mkdir()
        enter_demo(folder / name.replace("/", "-"))
        blocks = BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))
        expect(blocks, name, "has no Python example")
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test)
        expect(runner.failures == 0, name)


def trained(package, path):
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise Skip(f"the Python package {package} is missing; ci/setup installs it")
    return pathlib.Path(spec.submodule_search_locations[0]) / path


def run_example(bin_folder, name, *arguments):
    done = subprocess.run([sys.executable, "-B", PACKAGE / "examples" / name, *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, "OPLEDGER_PROGRAMS": str(bin_folder),
                                            "PYTHONPATH": f"{PACKAGE}:{os.environ.get('PYTHONPATH', '')}"})
    expect(done.returncode == 0, done.stdout, done.stderr)
    return done.stdout


def test_convert_compare_run(bin_folder, folder):
    model = trained("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
    said = run_example(bin_folder, "convert_compare_run.py", model, "x=1,3,48,192")
    expect("nodes in float16" in said and "float32 (1, 2)" in said, said)
    error = float(re.search(r"off by (\S+) of", said)[1])
    expect(0 < error < 1e-2, said)


def test_tune_on_samples(bin_folder, folder):
    model = trained("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
    said = run_example(bin_folder, "tune_on_samples.py", model, folder / "mixed.onnx", "1e-2", "x=1,3,48,96")
    expect("nodes stay float32" in said and (folder / "mixed.onnx").exists(), said)


if __name__ == "__main__":
    go_on_where_there_are("onnx", "numpy")
    sys.exit(main(globals()))

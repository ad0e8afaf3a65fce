#!/usr/bin/env python3
"""python -m opledger.registry: all operators of real frameworks, and those that a package adds to a
framework made for the test; packages that are missing, crash, print or hang; and nothing is
imported from a checkout."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from in_python import PACKAGE, ROOT, Skip, expect, go_on_where_there_are, has, main, raises, use

SCHEMA = ROOT / "schemas/running-operators.schema.json"
CORE = '''
class Schema:
    def __init__(self, name):
        self.name, _, self.overload_name = name.partition(".")
        self.text = f"{name}(Tensor self) -> Tensor"
    def __str__(self):
        return self.text
class DispatchKey:
    __members__ = {"StartOfDenseBackends": 0, "CPU": 1, "Meta": 2}
kernels = {"aten::add.Tensor": ["CPU", "Meta"], "aten::undefined": ["CPU"]}
schemas = [Schema("aten::add.Tensor"), Schema("prim::scripted")]
def register(name, *keys):
    kernels[name] = keys
    schemas.append(Schema(name))
def _dispatch_get_all_op_names():
    return list(kernels)
def _jit_get_all_schemas():
    return schemas
def _dispatch_get_registrations_for_dispatch_key(key):
    if key.startswith("Start"):
        raise RuntimeError(key)
    return [name for name, keys in kernels.items() if key in keys]
'''
PACKAGES = {
    "torch/__init__.py": "from torch import _C\n__version__ = '9.9'\n",
    "torch/_C.py": CORE,
    "torch/lazy.py": "from torch import _C\n_C.register('prims::lazy', 'CPU')\n",
    "extension/__init__.py": "import torch, torch.lazy\n__version__ = '1.2'\nprint('hello')\n"
                             "torch._C.register('extension::probe', 'Meta', 'CPU')\n",
    "extension/more.py": "import torch\ntorch._C.register('extension::more')\n",
    "adds_nothing.py": "import torch\n",
    "prints.py": "import os, torch\nprint('by Python')\nos.write(1, b'by its C++\\n')\n"
                 "torch._C.register('prints::probe')\n",
    "crashes.py": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n",
    "leaves.py": "import os\nos._exit(0)\n",
    "exits.py": "raise SystemExit(0)\n",
    "needs.py": "import no_such_module\n",
    "speaks.py": "raise ValueError('\\x1b[2J\\u202e first\\nsecond')\n",
    "hangs.py": "import os, subprocess, sys, time\n"
                "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
                "print('started', os.getpid(), other.pid, flush=True)\ntime.sleep(600)\n",
}


def start(python, *arguments, folder=None, path=(), **more):
    """Starts `python -m opledger.registry ARGUMENTS` in a folder, with other paths before the
    package in PYTHONPATH."""
    own = {**os.environ, "PYTHONPATH": ":".join(map(str, (*path, PACKAGE))), **more}
    return subprocess.Popen([python, "-B", "-m", "opledger.registry", *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=own)


def run(python, *arguments, **how):
    """Returns (exit status, standard output, standard error)."""
    process = start(python, *arguments, **how)
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def read(python, *arguments, **how):
    status, output, errors = run(python, *arguments, **how)
    expect(status == 0, errors)
    return json.loads(output)


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def make_python(folder, packages):
    """Returns the Python of a virtual environment that has only these packages."""
    environment, real = folder / "venv", pathlib.Path(os.path.realpath(sys.executable))
    write(environment, {"pyvenv.cfg": f"home = {real.parent}\ninclude-system-site-packages = false\n",
                        "bin/empty": ""})
    (environment / "bin/python").symlink_to(real)
    write(environment / "lib/python{}.{}/site-packages".format(*sys.version_info), {"empty.py": "", **packages})
    return environment / "bin/python"


def validate(registry):
    if has("jsonschema"):
        import jsonschema
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(registry)


def test_onnx(bin_folder, folder):
    import onnx
    registry = read(sys.executable, "onnx", folder=folder)
    validate(registry)
    theirs = sorted((f"{each.domain}.{each.name}".lstrip("."), each.since_version)
                    for each in onnx.defs.get_all_schemas_with_history())
    expect([(each["name"], each["since"]) for each in registry["operators"]] == theirs and registry["version"] == onnx.__version__)
    clip, = (each for each in registry["operators"] if (each["name"], each["since"]) == ("Clip", 11))
    expect(clip["inputs"][1] == {"name": "min", "type": "T", "option": "optional"}, clip)
    expect(clip["types"] == {"T": ["tensor(double)", "tensor(float)", "tensor(float16)"]}, clip)
    names = read(sys.executable, "onnx", "--names", folder=folder)
    expect(names == [f"{name}-{since}" for name, since in theirs] and "ai.onnx.ml.ZipMap-1" in names)


def test_onnxruntime(bin_folder, folder):
    if not has("onnxruntime"):
        raise Skip("the Python package onnxruntime is missing; ci/setup installs it")
    from onnxruntime.capi import onnxruntime_pybind11_state as state
    registry = read(sys.executable, "onnxruntime", folder=folder)
    validate(registry)
    schemas = {f"{each.domain}.{each.name}".lstrip(".") for each in state.get_all_operator_schema()}
    kernels = {f"{each.domain}.{each.op_name}".lstrip(".") for each in state.get_all_opkernel_def()}
    names = read(sys.executable, "onnxruntime", "--names", folder=folder)
    expect(names == sorted(schemas | kernels) and "com.microsoft.FusedConv" in names, len(names))
    found = [each for each in registry["operators"] if each["name"] == "Relu"]
    expect(all(each["kernels"] for each in found if each["since"] > 5), found)
    expect({"provider": "CPUExecutionProvider", "first": 13, "last": 13, "types": {"T": ["tensor(float)"]}} in
           next(each for each in found if each["since"] == 13)["kernels"], found)


def test_mxnet(bin_folder, folder):
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    import mxnet
    registry = read(sys.executable, "mxnet", folder=folder)
    validate(registry)
    names = read(sys.executable, "mxnet", "--names", folder=folder)
    expect(names == sorted(mxnet.operator.get_all_registered_operators()), len(names))
    found = {each["name"]: each for each in registry["operators"]}
    expect(found["_add"]["alias_of"] == "elemwise_add" and "alias_of" not in found["elemwise_add"], found["_add"])
    expect({"name": "lhs", "type": "NDArray-or-Symbol"} in found["_add"]["arguments"], found["_add"])


def test_what_a_package_adds(bin_folder, folder):
    python = make_python(folder, PACKAGES)
    registry = read(python, "torch")
    validate(registry)
    expect(registry == {"framework": "torch", "version": "9.9", "operators": [
        {"name": "aten::add.Tensor", "dispatch_keys": ["CPU", "Meta"], "schema": "aten::add.Tensor(Tensor self) -> Tensor"},
        {"name": "aten::undefined", "dispatch_keys": ["CPU"]},
        {"name": "prim::scripted", "schema": "prim::scripted(Tensor self) -> Tensor"}]}, registry)
    expect(read(python, "torch", "--names") == ["aten::add.Tensor", "prim::scripted"])
    expect("prims::lazy" in read(python, "torch", "--names", "--import", "torch.lazy"))
    registry = read(python, "extension")
    validate(registry)
    expect(registry == {"framework": "torch", "version": "9.9", "package": "extension", "package_version": "1.2", "operators": [
        {"name": "extension::probe", "dispatch_keys": ["CPU", "Meta"],
         "schema": "extension::probe(Tensor self) -> Tensor"}]}, registry)
    expect(read(python, "extension", "--names", "--import", "extension.more") == ["extension::more", "extension::probe"])
    expect(read(python, "adds_nothing", "--names") == [])


def test_what_packages_print(bin_folder, folder):
    status, output, errors = run(make_python(folder, PACKAGES), "prints", "--names")
    expect(status == 0 and json.loads(output) == ["prints::probe"], output)
    expect("by Python\n" in errors and "by its C++\n" in errors, errors)


def test_what_cannot_be_read(bin_folder, folder):
    python = make_python(folder, PACKAGES)
    for arguments, words in (
            (["tvm"], ["'tvm' is not installed for ", "hint: `pip install apache-tvm` in its environment"]),
            (["no_such_package"], ["'no_such_package' is not installed for ", "`pip install no_such_package`"]),
            (["extension", "--extends", "mxnet"], ["'mxnet' is not installed for ", "`pip install mxnet`"]),
            (["crashes"], ["error: Python was ended by SIGSEGV while it imported 'crashes'"]),
            (["leaves"], ["Python ended with status 0 while it imported 'leaves', without a result"]),
            (["exits"], ["'exits' cannot be imported: SystemExit: 0"]),
            (["needs"], ["'needs' cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"]),
            (["torch", "--import", "torch.nowhere"], ["'torch.nowhere' cannot be imported: ModuleNotFoundError"]),
            (["speaks"], ["'speaks' cannot be imported: ValueError: \\x1b[2J\\u202e first\n"])):
        status, output, errors = run(python, *arguments)
        expect(status == 3 and output == "" and all(each in errors for each in words), arguments, status, errors)


def runs(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(*processes):
    until = time.monotonic() + 20
    while any(map(runs, processes)):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_what_hangs_is_ended(bin_folder, folder):
    python = make_python(folder, PACKAGES)
    status, output, errors = run(python, "hangs", "--timeout", "1")
    expect(status == 3 and output == "" and "'hangs' gave no answer within 1 seconds and was stopped" in errors, status, errors)
    expect(gone(*errors.splitlines()[0].split()[1:]), "it still runs")
    for number in (signal.SIGTERM, signal.SIGINT):
        process = start(python, "hangs")
        started = process.stderr.readline().split()[1:]
        process.send_signal(number)
        process.communicate(timeout=60)
        expect(process.returncode == 128 + number and gone(*started), number, process.returncode)


def test_a_checkout_is_never_imported(bin_folder, folder):
    checkout, imported = folder / "checkout", folder / "imported"
    text = f"open({str(imported)!r}, 'a').write(__name__ + ' ')\n"
    write(checkout, {f"{name}/__init__.py": text for name in
                     ("torch", "onnx", "onnxruntime", "mxnet", "tensorflow", "tvm", "numpy", "extension", "tqdm")})
    theirs = read(sys.executable, "onnx", folder=folder)
    expect(read(sys.executable, "onnx", folder=checkout) == theirs)
    expect(read(sys.executable, "onnx", folder=checkout, path=[checkout]) == theirs)
    python = make_python(folder, {})
    for name in ("torch", "onnx", "tensorflow", "tvm", "mxnet", "onnxruntime", "extension"):
        status, _, errors = run(python, name, folder=checkout, path=[checkout],
                                PYTHONSTARTUP=str(checkout / "torch/__init__.py"))
        expect(status == 3 and "is not installed" in errors, name, status, errors)
    write(checkout, dict.fromkeys(("opledger/__init__.py", "json/__init__.py", "argparse.py"), text))
    site, = (folder / "venv").glob("lib/*/site-packages")
    (site / "opledger").symlink_to(PACKAGE / "opledger")
    write(site, {name: PACKAGES[name] for name in ("torch/__init__.py", "torch/_C.py")})
    done = subprocess.run([python, "-B", "-I", "-m", "opledger.registry", "torch", "--names"], cwd=checkout,
                          capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and json.loads(done.stdout) == ["aten::add.Tensor", "prim::scripted"], done)
    expect(not imported.exists(), imported.exists() and imported.read_text())


def test_names_and_files(bin_folder, folder):
    python = make_python(folder, PACKAGES)
    for arguments in (["torch;import os"], ["../torch"], ["import"], ["torch", "--import", "a-b"], ["torch.lazy"], [""],
                      ["extension", "--extends", "numpy"], ["torch", "--timeout", "0"], ["torch", "--timeout", "nan"],
                      ["torch", "-o", "nowhere/names.json"], ["torch", "-o", "/dev/full"], []):
        status, output, errors = run(python, *arguments, folder=folder)
        expect(status == 2 and output == "" and "error: " in errors and "Traceback" not in errors, arguments, status, errors)
    (folder / "names.json").write_text("old")
    expect(run(python, "torch", "--names", "-o", "names.json", folder=folder)[:2] == (0, ""))
    expect(json.loads((folder / "names.json").read_text()) == ["aten::add.Tensor", "prim::scripted"])
    expect(run(python, "needs", "-o", "names.json", folder=folder)[0] == 3)
    expect("prim::scripted" in (folder / "names.json").read_text() and not list(folder.glob(".*")), "not as before")


def test_as_a_function(bin_folder, folder):
    opledger = use(bin_folder)
    from opledger.registry import read_registry
    os.environ["PYTHONPATH"] = str(folder)
    expect(read_registry("onnx")["framework"] == "onnx")
    error = raises(opledger.OpledgerError, read_registry, "no_such_package", extends="onnx")
    expect(error.diagnostics[0].hint and error.exit_status == 0 and "not installed" in str(error), error)
    site = pathlib.Path(make_python(folder, PACKAGES).parents[1])
    executable, sys.executable = sys.executable, str(site / "bin/python")
    try:
        error = raises(opledger.ProgramCrashed, read_registry, "crashes")
        expect(error.exit_status == -signal.SIGSEGV and "crashes.py" in error.output, error.output)
        expect("no_such_module" in raises(opledger.OpledgerError, read_registry, "needs").output)
    finally:
        sys.executable = executable


if __name__ == "__main__":
    go_on_where_there_are("onnx")
    sys.exit(main(globals()))

#!/usr/bin/env python3
"""`pip install opledger[run]`: installs the two wheels and PyPI's oneDNN from files into a separate
environment. Models run on oneDNN, or on opledger's own kernels if its library is missing, and
doctor reports which."""
# SPDX-License-Identifier: Apache-2.0

import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

ONEDNN = ROOT / "build/onednn"  # as ci/setup installs it
PROGRAM = "opledger-run-onednn"


def run(*command, status=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    expect(done.returncode == status, *command, done.stdout, done.stderr)
    return done.stdout


@functools.cache
def environment(build):
    """Returns a virtual environment with opledger[run], and the wheels it was made from."""
    if not (build / "bin-onednn" / PROGRAM).exists():
        raise Skip(f"{PROGRAM} was not built: PyPI's oneDNN is missing, which ci/setup puts into build/onednn")
    if not list(ONEDNN.glob("onednn_cpu_gomp-*.whl")):
        raise Skip("the wheel onednn_cpu_gomp is missing in build/onednn; ci/setup puts it there")
    kept = tempfile.TemporaryDirectory(prefix="opledger-run-onednn-")
    folder = pathlib.Path(kept.name)
    wheels = folder / "wheels"
    wheels.mkdir()
    names = run(sys.executable, "-B", ROOT / "ci/opledger_wheel.py", build, wheels).split()
    expect(len(names) == 2 and all((wheels / name).exists() for name in names), names)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "clean")
    run(sys.executable, "-m", "pip", "--python", folder / "clean/bin/python", "--disable-pip-version-check", "install",
        "--no-index", "--find-links", wheels, "--find-links", ONEDNN, "opledger[run]")
    return kept, names, folder / "clean"


def settings(folder):
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder)}


def demo(folder):
    shutil.copytree(ROOT / "tests/demo", folder / "demo")
    return {"cwd": folder / "demo", "env": settings(folder)}


def examined(opledger, options, status):
    report = json.loads(run(opledger, "doctor", "--config", "none", "--format", "json", status=status, **options))
    return {each["name"]: each for each in report["examined"]}


def libraries(opledger, options):
    """Returns the libraries of a run, from the plan that it records."""
    run(opledger, "run", "model.onnx", "--input", "pixels=random", "--input-shape", "pixels=2,8",
        "--write-plan", "plan.json", "-o", "out", **options)
    return json.loads((options["cwd"] / "plan.json").read_text())["libraries"]


def test_the_newest_is_found(bin_folder, folder):
    """The newest oneDNN in CMAKE_PREFIX_PATH and the system is found, in any order; DNNL_DIR takes
    precedence."""
    del bin_folder
    for name, numbers in (("old", (2, 6, 3)), ("new", (9, 10, 0)), ("broken", (99, 0, 0))):
        (folder / name / "include/oneapi/dnnl").mkdir(parents=True)
        (folder / name / "include/oneapi/dnnl/dnnl_version.h").write_text("".join(
            f"/// Text\n#define DNNL_VERSION_{part} {number}\n"
            for part, number in zip(("MAJOR", "MINOR", "PATCH"), numbers)) + '#define DNNL_VERSION_HASH  "3.2"\n')
        (folder / name / "lib/cmake/dnnl").mkdir(parents=True)
        if name != "broken":
            (folder / name / "lib/libdnnl.so").touch()
    script = folder / "find.cmake"
    script.write_text('set(CMAKE_FIND_LIBRARY_PREFIXES lib)\nset(CMAKE_FIND_LIBRARY_SUFFIXES .so)\n'
                      f'include("{ROOT}/kernels/onednn/find_onednn.cmake")\nopledger_find_newest_onednn()\n'
                      'file(WRITE "${out}" "${onednn_version} ${onednn_library} ${onednn_include}")\n')

    def found(*settings):
        run("cmake", f"-Dout={folder}/out", *settings, "-P", script)
        return (folder / "out").read_text().rstrip("/")

    for places in ("old;new;broken", "new;broken;old"):
        prefixes = ";".join(str(folder / each) for each in places.split(";"))
        expect(found(f"-DCMAKE_PREFIX_PATH={prefixes}") == f"9.10.0 {folder}/new/lib/libdnnl.so {folder}/new/include",
               found(f"-DCMAKE_PREFIX_PATH={prefixes}"))
        said = found(f"-DCMAKE_PREFIX_PATH={prefixes}", f"-DDNNL_DIR={folder}/old/lib/cmake/dnnl")
        expect(said.startswith("2.6.3 ") and "/old/" in said, said)
    expect(not found(f"-DDNNL_DIR={folder}/broken/lib/cmake/dnnl").split(), "broken")


def test_tag(bin_folder, folder):
    """The wheel's tag names the glibc that its program needs, and no older one."""
    _, (_, name), prefix = environment(bin_folder.parent)
    needed = re.findall(r"\(GLIBC_2\.(\d+)", run("objdump", "-T", prefix / "bin" / PROGRAM))
    newest = max(map(int, needed))
    expect(re.fullmatch(rf"opledger_run_onednn-[\d.]+-py3-none-manylinux_2_{newest}_\w+\.whl", name), name, newest)
    said = run("readelf", "-d", prefix / "bin" / PROGRAM)
    expect(re.search(r"R(UN)?PATH.*\[\$ORIGIN/\.\./lib\]", said) and "libdnnl.so.3" in said, said)


def test_runs_on_it(bin_folder, folder):
    prefix = environment(bin_folder.parent)[2]
    opledger, options = prefix / "bin/opledger", demo(folder)
    found = examined(opledger, options, 0)[PROGRAM]["found"]
    expect("oneDNN 3.2.0 (" in found and found.endswith("runs models in place of opledger-run"), found)
    expect(libraries(opledger, options).startswith("oneDNN 3.2.0 ("), "run")
    said = json.loads(run(opledger, "bench", "model.onnx", "--input-shape", "pixels=2,8", "--runs", "1",
                          "--format", "json", **options))
    expect(said["libraries"].startswith("oneDNN 3.2.0 ("), said["libraries"])
    said = json.loads(run(opledger, "compare", "model.onnx", "--autocast", "bfloat16", "--input-shape", "pixels=2,8",
                          "--format", "json", **options))
    expect(said["libraries"].startswith("oneDNN 3.2.0 ("), said["libraries"])
    said = run(opledger, "convert", "model.onnx", "-o", "mixed.onnx", "--verify", "--input", "pixels=random",
               "--input-shape", "pixels=2,8", **options)
    expect("no node overflows" in said, said)
    pixels = "memoryview(bytes(32)).cast('f', (1, 8))"
    said = run(prefix / "bin/python", "-B", "-c", "import opledger; "
               f"print(opledger.run('model.onnx', {{'pixels': {pixels}}})['scores'].shape)", **options)
    expect(said == "(1, 3)\n", said)


def test_falls_back(bin_folder, folder):
    """Without the library, the other program runs models, with the same results except for the
    order of sums."""
    prefix = environment(bin_folder.parent)[2]
    opledger, options = prefix / "bin/opledger", demo(folder)
    inputs = ("run", "model.onnx", "--input", "pixels=random", "--input-shape", "pixels=2,8")
    on_it = run(opledger, *inputs, **options)
    library = prefix / "lib/libdnnl.so.3"
    library.rename(library.with_suffix(".away"))
    try:
        check = examined(opledger, options, 1)[PROGRAM]
        expect(check["problem"] == "opledger-run runs models, more slowly, since this cannot: libdnnl.so.3: cannot "
               "open shared object file: No such file or directory" and "found" not in check, check)
        expect("3.2.0" not in libraries(opledger, options), "run")
        expect(run(opledger, *inputs, **options) == on_it, on_it)
    finally:
        library.with_suffix(".away").rename(library)


def test_uninstalls(bin_folder, folder):
    """The last of these tests: uninstalling leaves no trace."""
    del folder
    _, _, prefix = environment(bin_folder.parent)
    run(sys.executable, "-m", "pip", "--python", prefix / "bin/python", "--disable-pip-version-check", "uninstall", "-y",
        "opledger", "opledger-run-onednn", "onednn-cpu-gomp")
    left = [path for path in prefix.rglob("*opledger*") if path.is_file()]
    expect(not left, left)


if __name__ == "__main__":
    sys.exit(main(globals()))

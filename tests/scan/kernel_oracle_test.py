#!/usr/bin/env python3
"""The scanner reads the same TensorFlow kernels as a compiler's preprocessor.

`g++ -E` expands a sample of the files that register kernels, with an empty stub for every header
that is not in the source, and regular expressions read the expansion of REGISTER_KERNEL_BUILDER.
Both sides must find the same operators, devices, labels and types in the gpu build.

    tests/scan/kernel_oracle_test.py --bin build/bin [--every N]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from real_test import ROOT, Scanner, problems, require_sources

NAME = "tensorflow-2.14.1"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
# The macro's expansion: ... register_kernel_7 ... })(Name("Add")...Build());
EXPANDED = re.compile(r"register_kernel_\w+\b.*?\}\)\((.*?)\.Build\(\)\)", re.S)
TRAIT = re.compile(r"(?:\w+::)*(?:EnumToDataType)<\s*(\w+)\s*>\s*::Type$")
TYPED = re.compile(r'\.TypeConstraint<((?:[^<>]|<[^<>]*>)*)>\(\s*"(\w+)"\s*\)')
LABEL = re.compile(r"\.Label\(\s*((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?)\s*\)")
LISTED = re.compile(r'\.TypeConstraint\(\s*"(\w+)"\s*,\s*(.*?)\)(?=\.|$)')


def make_stubs(source, stubs):
    """Writes an empty file for every missing header."""
    wanted = set()
    paths = (path for part in ("c", "compiler", "core", "tsl")
             for path in (source / "tensorflow" / part).rglob("*"))
    for path in paths:
        if path.suffix in (".h", ".cc", ".inc") and path.is_file():
            wanted.update(INCLUDE.findall(path.read_text(errors="replace")))
    for name in sorted(wanted, key=len, reverse=True):
        # <thread> is a file, "thread/pool.h" needs a folder.
        stub = stubs / ("below" if "/" in name else "top") / name
        if ".." in name or name.startswith("/") or (source / name).exists() or stub.exists():
            continue
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.touch()


class Reader:
    """Reads expanded registrations with the spellings of the dialect."""

    def __init__(self, dialect):
        self.names = dialect["types"]["names"]
        self.constants = dialect["constants"]
        self.devices = dialect["kernels"]["devices"]

    def types(self, text):
        text = text.strip().removeprefix("typename ")
        trait = TRAIT.match(text)
        text = trait.group(1) if trait else text
        last = text if "<" in text else text.split("::")[-1]
        for spelling in (text.removeprefix("::"), last):
            if spelling in self.names:
                return self.names[spelling] or [spelling]
        return [f"? {text}"]

    def constant(self, text):
        if text.startswith('"'):
            return "".join(re.findall(r'"([^"]*)"', text))
        return self.constants.get(text.split("::")[-1], text)

    def kernels(self, text):
        """Yields (operator, device, label, ((variable, type), ...)) for each combination of
        types."""
        name = re.search(r'(?:Name|KernelDefBuilder)\s*\(\s*((?:"[^"]*"\s*)+|[\w:]+)\s*\)', text)
        device = re.search(r"\.Device\(\s*([^)]*?)\s*\)", text).group(1).split("::")[-1]
        label = LABEL.search(text)
        variables = [(name, self.types(types)) for types, name in TYPED.findall(text)]
        for variable, types in LISTED.findall(text):
            every = [one for part in types.strip("{} ").split(",") for one in self.types(part)]
            variables.append((variable, every))
        for types in itertools.product(*(types for _, types in variables)):
            yield (self.constant(name.group(1)), self.devices.get(device, device.strip('"')),
                   self.constant(label.group(1)) if label else "",
                   tuple(sorted(zip((variable for variable, _ in variables), types))))


def scanned(manifest, files):
    """Yields the same from the manifest, for kernels in `files`."""
    for op in manifest["operators"]:
        for kernel in op.get("kernels", []):
            if kernel["path"] not in files:
                continue
            variables = kernel.get("types", {})
            types = [types if isinstance(types, list) else [f"? {types}"]
                     for types in variables.values()]
            for combination in itertools.product(*types):
                yield (op["name"], kernel["device"], kernel.get("label", ""),
                       tuple(sorted(zip(variables, combination))))


def expanded(reader, source, stubs, files, defines):
    # The last one is in a file that TensorFlow's build generates.
    flags = [*(f"-D{name}={value}" for name, value in defines.items()),
             "-DTF_OPTION_REGISTRATION_V2()=0"]
    for path in files:
        done = subprocess.run(["g++", "-E", "-P", "-std=c++17", "-nostdinc", "-x", "c++", "-I.",
                               f"-I{stubs}/below", f"-I{stubs}/top", *flags, path], cwd=source, capture_output=True,
                              text=True, errors="replace", check=False)
        if done.returncode != 0:
            problems.append(f"g++ -E {path}: {done.stderr[:500]}")
        for text in EXPANDED.findall(done.stdout):
            yield from reader.kernels(" ".join(text.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=16, help="only every Nth file")
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-scan"
    if not program.exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    source, = require_sources(NAME)
    dialect = json.loads((ROOT / "registry/dialects/tensorflow.json").read_text())
    # Macros that the configuration leaves open are undefined here, as for g++.
    gpu = dialect["configurations"]["gpu"]
    gpu["undefined"] += ["INTEL_MKL", "PLATFORM_POSIX", "MLIR_GENERATED_CPU_KERNELS_ENABLED"]
    defines = {name: value for name, value in gpu.items() if name != "undefined"}
    with tempfile.TemporaryDirectory(prefix="opledger-kernels-") as scratch:
        stubs = pathlib.Path(scratch) / "stubs"
        make_stubs(source, stubs)
        found = (str(path.relative_to(source))
                 for path in source.glob("tensorflow/core/kernels/**/*.cc")
                 if not path.name.endswith(("_test.cc", "_test.cu.cc"))
                 and b"REGISTER" in path.read_bytes())
        files = sorted(found)[::options.every]
        edited = pathlib.Path(scratch) / "dialect.json"
        edited.write_text(json.dumps(dialect), encoding="utf-8")
        manifest = json.loads(Scanner(program, pathlib.Path(scratch) / "cache").scan(
            source, "--dialect", edited, "--no-cache", "--configuration", "gpu"))
        operators = {op["name"] for op in manifest["operators"]}
        wanted = {kernel for kernel in expanded(Reader(dialect), source, stubs, files, defines)
                  if kernel[0] in operators}
        ours = set(scanned(manifest, set(files)))
    if len(wanted) < 500 // options.every:
        problems.append(f"only {len(wanted)} kernels in {len(files)} files")
    problems.extend(f"not found: {kernel}" for kernel in sorted(wanted - ours)[:20])
    problems.extend(f"not there: {kernel}" for kernel in sorted(ours - wanted)[:20])
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

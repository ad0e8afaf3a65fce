#!/usr/bin/env python3
"""Whatever changed since the last scan, the cached result equals that of a scan without a cache."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import random
import shutil
import sys

from scanning import DIALECT, Tree, expect, main, registering

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = "the rest from the last scan"
WITH_SETS = {
    **DIALECT,
    "include_directories": ["first", "include"],
    "chain": [*DIALECT["chain"], {"method": "takes", "field": "parameters"}],
    "attribute_sets": {"declare": "DECLARE_SET", "field": "FIELD", "value": "VALUE",
                       "reference": "::Fields()"},
    "exempt": [{"name": "inner", "contains": "inner"}],
}


class Edits:
    """A tree that changes randomly, in the ways people change theirs."""

    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        self.shapes = {}
        files = {
            "dialect.json": json.dumps(WITH_SETS),
            "include/wrap.h": "#define WRAP_REGISTER(name) REGISTER_OP(wrapped_##name)\n",
            "include/parameters.h": "DECLARE_SET(CommonSet) { FIELD(axis) };\n",
            "src/table.inc": "ROW(one)\nROW(two)\n",
            **{f"src/unit_{i}.cc": self.unit(i) for i in range(6)},
        }
        self.tree = Tree(folder, files)
        self.folder = self.tree.folder

    def unit(self, number):
        """What other files can see of it changes less often than what it registers."""
        if number not in self.shapes or self.random.random() < 0.2:
            self.shapes[number] = [piece for piece in [
                "#include <parameters.h>\n#include \"late.h\"\n",
                f"#define OWN_REGISTER_{number}(x) REGISTER_OP(own_{number}_##x)\n"
                f"OWN_REGISTER_{number}(a);\n",
                "#define ROW(x) REGISTER_OP(row_##x);\n#include \"table.inc\"\n#undef ROW\n",
                f"DECLARE_SET(Set{number}) {{ FIELD(a{self.random.randrange(2)}) }};\n",
            ] if self.random.random() < 0.4]
        pieces = [
            f"REGISTER_OP(op_{number}).add_alias(\"alias_{number}_{self.random.randrange(3)}\");\n",
            f"REGISTER_OP(shared).doc(\"by {number}, {self.random.randrange(3)}\");\n",
            f"WRAP_REGISTER(of_{number});\n",
            f"#if WITH_{self.random.randrange(2)}\nREGISTER_OP(maybe_{number});\n#endif\n",
            f"REGISTER_OP(inner_{number}).takes(CommonSet::Fields());\n",
            f"REGISTER_OP(sets_{number}).takes(Set{number}::Fields()).takes(CommonSet::Fields());\n",
            "// nothing but a remark\n",
        ]
        chosen = [piece for piece in pieces if self.random.random() < 0.5]
        if self.random.random() < 0.04:
            chosen.append(self.random.choice(["REGISTER_OP(x##y);\n", "UNKNOWN_REGISTER(sum);\n",
                                              "REGISTER_OP(glued_##__LINE__);\n"]))
        return "#include \"wrap.h\"\n" + "".join(self.shapes[number] + chosen) + (
            f"REGISTER_OP(sure_{number});\n")

    def put(self, name, text):
        """Writes the file in place, or a new file renamed over it; with an old or a new time."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.random.random() < 0.5:
            beside = path.with_name(path.name + "~")
            beside.write_text(text)
            os.replace(beside, path)
        elif self.random.random() < 0.5:
            path.write_text(text)
        else:
            self.tree.write({name: text})

    def step(self):
        choice = self.random.random()
        number = self.random.randrange(7)
        unit = f"src/unit_{number}.cc"
        if choice < 0.45:
            self.put(unit, self.unit(number))
        elif choice < 0.55:
            path = self.folder / unit
            self.put(unit, (path.read_text() if path.exists() else "") + "// a remark\n")
        elif choice < 0.60:
            (self.folder / unit).unlink(missing_ok=True)
        elif choice < 0.65:
            self.put(f"src/deep/er/unit_{number}.cc", "#include \"wrap.h\"\nWRAP_REGISTER(deep);\n")
        elif choice < 0.70:
            shutil.rmtree(self.folder / "src/deep", ignore_errors=True)
        elif choice < 0.75:
            self.put("include/wrap.h", "#define WRAP_REGISTER(name) REGISTER_OP("
                                       f"wrapped{self.random.randrange(3)}_##name)\n")
        elif choice < 0.80:
            self.put("first/wrap.h", "#define WRAP_REGISTER(name) REGISTER_OP(first_##name)\n")
        elif choice < 0.85:
            shutil.rmtree(self.folder / "first", ignore_errors=True)
        elif choice < 0.88:
            self.put("src/late.h", f"REGISTER_OP(late_{self.random.randrange(3)});\n")
        elif choice < 0.91:
            (self.folder / "src/late.h").unlink(missing_ok=True)
        elif choice < 0.94:
            self.put("src/table.inc", f"ROW(one)\nROW(r{self.random.randrange(3)})\n")
        elif choice < 0.97:
            self.put("include/parameters.h",
                     f"DECLARE_SET(CommonSet) {{ FIELD(axis{self.random.randrange(3)}) }};\n")
        else:
            self.put("src/.unit.cc.swp", "an editor's")


def test_any_edit(bin_folder, folder):
    scanner = bin_folder / "opledger-scan"
    again = 0
    for seed in range(6):
        edits = Edits(folder / f"tree{seed}", seed)
        for step in range(35):
            cached = edits.tree.scan(scanner, "--timing", cache=folder / f"cache{seed}")
            fresh = edits.tree.scan(scanner, "--no-cache")
            expect((cached.status, cached.text) == (fresh.status, fresh.text), "seed", seed, "step",
                   step, cached.stderr, cached.text, fresh.text)
            expect(cached.status in (0, 3), cached.stderr)
            again += KEPT in cached.stderr
            edits.step()
    expect(again > 40, "the snapshot was used too rarely:", again)


def test_a_changed_unit_is_read_alone(bin_folder, folder):
    scanner = bin_folder / "opledger-scan"
    tree = Tree(folder / "tree", registering(20))
    expect(tree.scan(scanner).status == 0)
    tree.write({"src/unit_03.cc": 'REGISTER_OP(op_03).add_alias("other");\nREGISTER_OP(op_99);\n'})
    for expected in ("(1 of 20 files read)", "(0 of 20 files read)"):
        result = tree.scan(scanner, "--timing", "src/unit_03.cc")
        expect(expected in result.stderr and KEPT in result.stderr, expected, result.stderr)
        expect(result.text == tree.scan(scanner, "--no-cache", "src/unit_03.cc").text)
    tree.write({"src/unit_03.cc": "#define NEW 1\nREGISTER_OP(op_03);\n"})
    result = tree.scan(scanner, "--timing")
    expect(KEPT not in result.stderr, "others may see the new macro:", result.stderr)
    expect(result.text == tree.scan(scanner, "--no-cache").text)


def test_a_kernel_that_chooses_other_types(bin_folder, folder):
    """The types that a function chooses from belong to the operator, which is in another file."""
    scanner = bin_folder / "opledger-scan"
    native = "aten/src/ATen/native/"
    listed = "- func: erf(Tensor self) -> Tensor\n  dispatch:\n    CPU: erf_cpu\n"
    kernel = 'Tensor erf_cpu(const Tensor& self) { return erf_impl(self); }\n'
    called = "Tensor erf_impl(const Tensor& self) { AT_DISPATCH_%s(self.scalar_type(), \"erf\", [&] {}); return self; }\n"
    tree = Tree(folder / "tree", {
        "dialect.json": (ROOT / "registry/dialects/pytorch.json").read_text(),
        native + "native_functions.yaml": listed, native + "Erf.cpp": kernel + called % "FLOATING_TYPES"})

    def types():
        cached = tree.scan(scanner)
        expect(cached.text == tree.scan(scanner, "--no-cache").text, cached.stderr)
        op, = (op for op in cached.manifest["operators"] if op["name"] == "aten::erf")
        return op["kernels"][0]["types"][""]

    expect(types() == ["float32", "float64"])
    tree.write({native + "Erf.cpp": kernel + called % "FLOATING_TYPES_AND_HALF"})
    expect(types() == ["float16", "float32", "float64"])
    tree.write({native + "native_functions.yaml": listed + "  tags: core\n"})
    expect(types() == ["float16", "float32", "float64"], "its functions are those of the last scan")


def test_a_constant_of_another_unit(bin_folder, folder):
    """A constant evaluated for an operator is in another file, and changes with it."""
    scanner = bin_folder / "opledger-scan"
    constant = 'string Attrs() { return "axis%d"; }\n'
    use = "REGISTER_OP(op).takes(Attrs());\n"
    tree = Tree(folder / "tree", {
        "dialect.json": json.dumps({
            **DIALECT, "chain": [{"method": "takes", "field": "attributes"}],
            "evaluation": {"definitions": ["string"], "names": ["Attrs"]}}),
        "src/constant.cc": constant % 0, "src/use.cc": use, "src/other.cc": "REGISTER_OP(other);\n"})

    def scan():
        cached = tree.scan(scanner, "--timing")
        expect(cached.text == tree.scan(scanner, "--no-cache").text, cached.stderr)
        return cached

    expect("axis0" in scan().text)
    tree.write({"src/use.cc": "// moved\n" + use})
    cached = scan()
    expect("axis0" in cached.text and KEPT in cached.stderr, cached.stderr)
    tree.write({"src/constant.cc": constant % 1})
    cached = scan()
    expect("axis1" in cached.text and KEPT not in cached.stderr, cached.stderr)


def test_a_damaged_snapshot_is_a_miss(bin_folder, folder):
    scanner = bin_folder / "opledger-scan"
    tree = Tree(folder / "tree", registering(5))
    expected = tree.scan(scanner).text
    (snapshot,) = (folder / "cache").rglob("snapshot-*.index")
    whole = snapshot.read_bytes()
    for bytes_left in (b"", whole[:9], whole[: len(whole) // 2], whole[:-1] + b"\0",
                       bytes(reversed(whole))):
        snapshot.write_bytes(bytes_left)
        result = tree.scan(scanner)
        expect((result.status, result.text) == (0, expected), result.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))

#!/usr/bin/env python3
"""`opledger revert` with the sidecar restores the original byte for byte, with external data.
Tests the models that a conversion changes (for node tests, every eighth). A sidecar that is
damaged, truncated or of another model is refused, and nothing is written.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from make_onnx import model_bytes  # noqa: E402
from model_data import ONNX as DATA, onnx_models

F = "float32"


def own_models(folder):
    """Tensors of every kind, inline and external, used in both types and in one."""
    random.seed(1)
    bits = [random.getrandbits(32) for _ in range(256)]
    strange = [struct.unpack("<f", struct.pack("<I", each))[0] for each in bits]
    plain = [random.gauss(0, 1) for _ in range(70000)]
    for name, where in (("inline", []), ("external", ["weights.bin"])):
        description = {
            "opset": 17, "inputs": {"x": [F, [1, 256]]}, "outputs": {"y": [F, [1, 1]]},
            "initializers": {"strange": [F, [256, 1], strange, *where],
                             "plain": [F, [256, 273], plain[:256 * 273], *where],
                             "both": [F, [273, 1], plain[:273], *where]},
            "nodes": [["MatMul", ["x", "plain"], ["h"]], ["MatMul", ["h", "both"], ["a"]],
                      ["Softmax", ["both"], ["s"], {"axis": 0}], ["MatMul", ["h", "s"], ["b"]],
                      ["Add", ["a", "b"], ["c"]], ["MatMul", ["x", "strange"], ["t"]],
                      ["Add", ["c", "t"], ["y"]]]}
        place = folder / name
        place.mkdir()
        (place / "model.onnx").write_bytes(model_bytes(description, place))
        yield place / "model.onnx"


class Reverts:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.changed, self.problems = 0, []

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, what)))

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              check=False)

    def check(self, path, dtype):
        """Returns the folder with model, data and sidecar; None if the conversion changes
        nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)
        low, back = self.folder / "low", self.folder / "back"
        low.mkdir(parents=True)
        done = self.run(path, "-o", low / "m.onnx", "--target-dtype", dtype, "--unlisted", "ignore",
                        "--sidecar", low / "m.sidecar")
        if done.returncode or (low / "m.onnx").read_bytes() == path.read_bytes():
            return None
        self.changed += 1
        back.mkdir()
        done = self.run("--revert", low / "m.onnx", "-o", back / path.name, "--sidecar",
                        low / "m.sidecar")
        self.expect(done.returncode == 0, path, done.stderr)
        for each in back.rglob("*"):
            original = path.parent / each.relative_to(back)
            self.expect(each.is_dir() or each.read_bytes() == original.read_bytes(), path, each.name,
                        "is not restored")
        self.expect((back / path.name).exists(), path, "was not written")
        return low

    def check_damage(self, low):
        sidecar = (low / "m.sidecar").read_bytes()
        out, bad = self.folder / "bad/out.onnx", low / "bad.sidecar"
        random.seed(2)
        places = [random.randrange(len(sidecar)) for _ in range(60)]
        damaged = [sidecar[:at] for at in places[:30]]
        damaged += [sidecar[:at] + bytes([sidecar[at] ^ 1 << random.randrange(8)]) + sidecar[at + 1:]
                    for at in places]
        for each in damaged:
            out.parent.mkdir(exist_ok=True)
            bad.write_bytes(each)
            done = self.run("--revert", low / "m.onnx", "-o", out, "--sidecar", bad)
            self.expect(done.returncode == 2 and not out.exists() and done.stderr, "a damaged sidecar",
                        done.returncode, done.stderr)
            shutil.rmtree(out.parent)
        model = low / "m.onnx"
        model.write_bytes(model.read_bytes() + b"\0")
        done = self.run("--revert", model, "-o", out, "--sidecar", low / "m.sidecar")
        self.expect(done.returncode == 2 and "not the file" in done.stderr, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="opledger-revert-") as name:
        folder = pathlib.Path(name)
        reverts = Reverts(options.bin.resolve() / "opledger-convert", folder / "work")
        for path in own_models(folder):
            for dtype in ("float16", "bfloat16"):
                low = reverts.check(path, dtype)
                reverts.expect(low, path, "is not changed")
                if low and path.parent.name == "external":
                    size = (low / "m.sidecar").stat().st_size
                    reverts.expect(size < 0.6 * (path.parent / "weights.bin").stat().st_size, size)
                    reverts.check_damage(low)
        if DATA.is_dir():
            models = onnx_models()
            nodes = [each for each in models if "node" in each.relative_to(DATA).parts]
            models = [each for each in models if each not in set(nodes)] + nodes[::8]
            models = models[::options.every]
            for path in models:
                reverts.check(path, "float16")
            reverts.expect(reverts.changed > 0.1 * len(models), "only", reverts.changed, "models are changed")
        else:
            print("data/onnx is missing: only the test's own models; ci/test-data makes it")
    print("\n".join(reverts.problems[:50]), end="\n" if reverts.problems else "")
    return 1 if reverts.problems else 0


if __name__ == "__main__":
    sys.exit(main())

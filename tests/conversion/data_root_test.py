#!/usr/bin/env python3
"""A model's external data must be in the model's folder.
--data-root DIR allows links within DIR, as in the caches of model hubs, and no others. Tests every
verb that reads a model's data, including `revert`.

    tests/conversion/data_root_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from make_onnx import model_bytes  # noqa: E402

VERBS = (("convert", "m.onnx", "-o", "out.onnx"), ("run", "m.onnx", "--input", "x=random"),
         ("compare", "m.onnx", "--autocast", "float16", "--input", "x=random"),
         ("bench", "m.onnx", "--runs", "1"),
         ("tune", "m.onnx", "--max-error", "1", "-o", "list.json"))


MODEL = {"opset": 17, "inputs": {"x": ["float32", [1, 4]]}, "outputs": {"y": ["float32", [1, 4]]},
         "initializers": {"w": ["float32", [4, 4], [0.5] * 16, "data.bin"]},
         "nodes": [["MatMul", ["x", "w"], ["y"], {"name": "only"}]]}


def write_hub(folder):
    """Writes blobs/ with the bytes, and snapshots/1/ with links to them, by name."""
    snapshot, blobs = folder / "hub/snapshots/1", folder / "hub/blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (blobs / "1234").write_bytes(model_bytes(MODEL, blobs))
    (blobs / "data.bin").rename(blobs / "5678")
    (snapshot / "m.onnx").symlink_to("../../blobs/1234")
    (snapshot / "data.bin").symlink_to("../../blobs/5678")
    return snapshot


def test_revert(program, folder, problems):
    """Reverts a converted model whose file and data are links, with its sidecar and without."""
    plain, hub = folder / "plain", folder / "converted"
    plain.mkdir()
    (plain / "m.onnx").write_bytes(model_bytes(MODEL, plain))
    run = lambda words, where: subprocess.run([program, *words], cwd=where, capture_output=True, text=True,  # noqa: E731
                                              check=False)
    run(["convert", "m.onnx", "-o", "m16.onnx", "--sidecar", "of.sidecar"], plain)
    (hub / "blobs").mkdir(parents=True)
    (hub / "snapshots/1").mkdir(parents=True)
    data = [path.name for path in plain.glob("m16.onnx.data-*")]
    for number, name in enumerate(("m16.onnx", *data)):
        (plain / name).rename(hub / f"blobs/{number}")
        (hub / "snapshots/1" / name).symlink_to(f"../../blobs/{number}")
    if len(data) != 1:
        problems.append(f"the converted model has no data in another file: {data}")
    for more in (["--sidecar", "../../../plain/of.sidecar"], []):
        for number, (root, status) in enumerate(((None, 2), ("../..", 0), (".", 2))):
            output = folder / f"back{number}{len(more)}/m.onnx"
            output.parent.mkdir()
            words = ["revert", "m16.onnx", "-o", str(output), *more, *(["--data-root", root] if root else [])]
            done = run(words, hub / "snapshots/1")
            if done.returncode != status or status == 2 and "link" not in done.stderr:
                problems.append(f"{' '.join(words)}: {done.returncode}, not {status}: {done.stderr}")
            if status == 0 and more and output.read_bytes() != (plain / "m.onnx").read_bytes():
                problems.append(f"{' '.join(words)}: not the original")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    program, unknown = parser.parse_known_args()
    program = program.bin.resolve() / "opledger"
    problems = []

    def expect(verb, status, said, *more):
        done = subprocess.run([program, *verb, *more], cwd=snapshot, capture_output=True, text=True,
                              check=False)
        if done.returncode != status or said not in done.stderr:
            problems.append(f"{' '.join((*verb, *more))}: {done.returncode}, not {status}: {done.stderr}")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        snapshot = write_hub(folder)
        for verb in VERBS:
            expect(verb, 2, "the data of")
            expect(verb, 0, "", "--data-root", str(folder / "hub"))
            expect(verb, 0, "", "--data-root", "../..")
            expect(verb, 2, "data", "--data-root", "..")
        expect(VERBS[0][:2], 0, "", "-o", str(folder / "elsewhere.onnx"), "--data-root", "../..")
        (snapshot / "data.bin").unlink()
        os.link(folder / "hub/blobs/5678", snapshot / "data.bin")
        for verb in VERBS:
            expect(verb, 2, "is a hard link")
            expect(verb, 0, "", "--data-root", ".")
        (snapshot / "data.bin").unlink()
        (snapshot / "data.bin").symlink_to("/etc/passwd")
        for verb in VERBS:
            expect(verb, 2, "is not below" if verb[0] == "convert" else "data", "--data-root", "../..")
        test_revert(program, folder, problems)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

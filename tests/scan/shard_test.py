#!/usr/bin/env python3
"""A scan split into shards yields the manifest of a whole scan, byte for byte, or exit status 3 and
what has to be run again; never a manifest with parts missing."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import random
import re
import subprocess
import sys
import time

from scanning import DIALECT, Skip, Tree, expect, main, processes_of, registering

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from test_data import MXNET_SOURCE, source as source_of  # noqa: E402

# All parts of a manifest: aliases, attribute sets, conditions, kernels, facts of one operator from
# several files, registrations in headers, X-macro tables, and three kinds of problems.
RICH = {
    **DIALECT,
    "sinks": [*DIALECT["sinks"], {"macro": "ADD_KERNEL", "parameters": -1,
                                  "kernel": {"device": 1, "dtypes": 3, "details": {"isa": 2}}}],
    "types": {"names": {"float": ["float32"], "half": ["float16"]}},
    "chain": [*DIALECT["chain"], {"method": "takes", "field": "parameters"}],
    "attribute_sets": {"declare": "DECLARE_SET", "field": "FIELD", "value": "VALUE",
                       "reference": "::Fields()"},
    "configurations": {"gpu": {"USE_GPU": "1"}},
    "exempt": [{"name": "inner", "contains": "inner"}],
}
FILES = {
    "dialect.json": json.dumps(RICH),
    "include/wrap.h": "#define WRAP_REGISTER(name) REGISTER_OP(wrapped_##name)\n",
    "include/active.h": "#pragma once\nREGISTER_OP(of_header).add_alias(\"h\");\n",
    "include/sets.h": "DECLARE_SET(CommonSet) { FIELD(axis).VALUE(\"a\").VALUE(\"b\"); };\n",
    "src/table.inc": "ROW(one)\nROW(two)\n",
    "src/rows.cc": "#define ROW(x) REGISTER_OP(row_##x);\n#include \"table.inc\"\n",
    "src/wrapped.cc": "#include <wrap.h>\n#include <active.h>\nWRAP_REGISTER(x).doc(\"d\");\n",
    "src/conditions.cc": "#if USE_GPU\nREGISTER_OP(only_gpu);\n#endif\nREGISTER_OP(shared)\n"
                         "#ifdef OTHER\n.add_alias(\"other\")\n#endif\n;\n",
    "src/shared.cc": "#include <active.h>\n#include <sets.h>\nREGISTER_OP(shared).doc(\"again\");\n"
                     "REGISTER_OP(inner_x).takes(CommonSet::Fields());\n",
    "src/kernels.cc": "ADD_KERNEL(shared, CPU, AVX2, float, half)\nADD_KERNEL(nowhere, CPU, X)\n"
                      "#if USE_GPU\nADD_KERNEL(shared, GPU, PTX, Computed<int>())\n#endif\n",
    "src/nul.cc": b"REGISTER_OP(a\0b);\n" + b"\0" * 50,
    "src/suspect.cc": "UNKNOWN_REGISTER_THING(x);\n",
    "src/\u00e4 b'c.cc": "REGISTER_OP(strange_path).doc(\"\u00e4\\n\\\"\");\n",
    "src/computed.cc": "void f() { REGISTER_OP(name_of(x)); }\n",
    **registering(30),
}


class Sharding:
    def __init__(self, bin_folder, folder, files=None):
        self.program = bin_folder / "opledger-scan"
        self.tree = Tree(folder, files or FILES)
        self.folder = self.tree.folder

    def run(self, *arguments):
        """Returns the status and the messages."""
        done = subprocess.run([self.program, *arguments], cwd=self.folder, text=True, check=False,
                              capture_output=True, env=self.tree.environment())
        return done.returncode, done.stderr

    def plain(self, *arguments):
        return self.tree.scan(self.program, "--no-cache", *arguments)

    def shard(self, number, count, *arguments):
        name = f"{number}-of-{count}.facts"
        status, said = self.run("--config", "none", "--dialect", "./dialect.json", "--shard",
                                f"{number}/{count}", "-o", name, *arguments)
        expect(status == 0, status, said)
        return name

    def shards(self, count, *arguments):
        return [self.shard(number, count, *arguments) for number in range(1, count + 1)]

    def merge(self, *arguments):
        """Returns the status, the messages, and the manifest's text or None if none was written."""
        output = self.folder / "merged.json"
        output.unlink(missing_ok=True)
        status, said = self.run("--merge", "--config", "none", "--dialect", "./dialect.json", "-o",
                                "merged.json", *arguments)
        return status, said, output.read_text() if output.exists() else None

    def refused(self, files, *words):
        status, said, text = self.merge(*files)
        expect(status == 3 and text is None, status, said)
        for word in words:
            expect(word in said, f"'{word}' is not in:", said)


def test_same_bytes_as_in_one_piece(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    plain = sharding.plain()
    expect(plain.status == 3 and len(plain.incomplete) == 3, plain.incomplete, plain.stderr)
    order = random.Random(4)
    for count in (1, 2, 3, 8, 64):
        files = sharding.shards(count)
        for _ in range(3):
            order.shuffle(files)
            status, said, text = sharding.merge(*files, files[0], files[-1])
            expect(text == plain.text, count, said)
            expect(status == 3 and said == plain.stderr, said, plain.stderr)


def test_modes_and_configurations(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    exhaustive = sharding.shards(3, "--mode", "exhaustive", "--no-cache")
    expect(sharding.merge(*exhaustive)[2] == sharding.plain("--mode", "exhaustive").text)
    files = sharding.shards(3)
    for flags in (("--configuration", "gpu"), ("-D", "USE_GPU=1"), ("-D", "OTHER"), ()):
        expect(sharding.merge(*files, *flags)[2] == sharding.plain(*flags).text, flags)
    status, said = sharding.run("--config", "none", "--dialect", "./dialect.json", "--shard", "1/3",
                                "--configuration", "gpu")
    expect(status == 2 and "opledger merge" in said, said)
    for wrong in ("0/3", "4/3", "1", "1/", "/3", "1/3x", "-1/3"):
        status, said = sharding.run("--config", "none", "--dialect", "./dialect.json", f"--shard={wrong}")
        expect(status == 2 and wrong in said, wrong, said)


def test_facts_depend_on_nothing_else(bin_folder, folder):
    """Not on the location of the tree, the number of workers, the cache, time zone or language."""
    first, second = (Sharding(bin_folder, folder / name) for name in ("first", "deep/er/second"))
    for number in (1, 2):
        one = first.folder / first.shard(number, 2, "-j", "1", "--no-cache")
        two = second.folder / second.shard(number, 2, "-j", "4")
        expect(one.read_bytes() == two.read_bytes(), number)
        expect(str(folder) not in one.read_text())
        second.shard(number, 2)  # from the cache
        expect(one.read_bytes() == two.read_bytes(), number)


def test_missing_and_damaged(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    files = sharding.shards(3)
    sharding.refused(files[:2], "shard 3/3 is missing", "opledger scan --shard 3/3 -o FILE")
    sharding.refused([files[0], files[2], "nowhere.facts"], "nowhere.facts", "shard 2/3 is missing")
    whole = (sharding.folder / files[1]).read_bytes()
    damaged = sharding.folder / "damaged.facts"
    order = random.Random(5)
    for size in [0, 1, len(whole) - 1, len(whole) - 2, whole.index(b"\n"), whole.index(b"\n") + 1,
                 *(order.randrange(len(whole)) for _ in range(60))]:
        damaged.write_bytes(whole[:size])
        sharding.refused([files[0], damaged.name, files[2]], "damaged.facts", "2/3")
    for _ in range(60):
        at = order.randrange(len(whole))
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << order.randrange(8)]) + whole[at + 1:])
        sharding.refused([files[0], damaged.name, files[2]], "damaged.facts")
    # One line missing, all others intact.
    lines = whole.splitlines(keepends=True)
    damaged.write_bytes(b"".join(lines[:2] + lines[3:]))
    sharding.refused([files[0], damaged.name, files[2]], "shard 2/3", "--shard 2/3 -o damaged.facts")
    status, said, text = sharding.merge()
    expect(status == 2 and text is None and "no facts file" in said, said)
    sharding.refused([*files, "--expect", "4"], "--expect is 4")
    sharding.refused(["--expect", "2", "nowhere.facts"], "shard 1/2", "shard 2/2")
    expect(sharding.merge(*files, "--expect", "3")[2] is not None)


def test_of_another_scan(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    files = sharding.shards(3)
    halves = sharding.shards(2)
    sharding.refused([*files[:2], halves[1]], "2-of-2.facts", "another number of shards")
    third = (sharding.folder / files[2]).read_bytes()
    sharding.shard(3, 3, "--mode", "exhaustive")
    sharding.refused(files, "shard 3/3", "another mode")
    # Another state of the tree, also if the shard's own files are unchanged.
    sharding.tree.write({"src/unit_03.cc": "REGISTER_OP(op_03);\n"})
    for number in (1, 2, 3):
        (sharding.folder / f"{number}-new.facts").write_bytes(
            (sharding.folder / sharding.shard(number, 3)).read_bytes())
    (sharding.folder / files[2]).write_bytes(third)
    sharding.refused(["1-new.facts", "2-new.facts", files[2]], "shard 3/3", "another state")
    text = (sharding.folder / "1-new.facts").read_text()
    expect(text != (sharding.folder / "2-new.facts").read_text())
    sharding.refused(["1-new.facts", "2-new.facts", "3-new.facts", files[2]], "shard 3/3")
    # Another dialect: its text, and its name.
    sharding.tree.write({"dialect.json": json.dumps({**RICH, "exempt": []})})
    sharding.refused(["1-new.facts", "2-new.facts", "3-new.facts"], "another version of dialect")
    status, said = sharding.run("--merge", "1-new.facts", "--config", "none", "--dialect", "mxnet")
    expect(status == 3 and "dialect 'hostile', not 'mxnet'" in said, said)


def resealed(text):
    """Returns a facts file with changed content and a valid checksum."""
    import hashlib
    body = text[:text.rindex("{\"sha256\"")]
    return f'{body}{{"sha256":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n'


def test_of_another_tool(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    name = sharding.shard(1, 1)
    path = sharding.folder / name
    whole = path.read_text()
    for change, words in (
            (lambda text: text.replace("opledger-scan ", "opledger-scan 99.", 1), "was written by"),
            (lambda text: re.sub("build [0-9a-f]{16}", "build 0123456789abcdef", text, count=1),
             "was written by"),
            (lambda text: text.replace("opledger-facts/1", "opledger-facts/2", 1), "newer"),
            (lambda text: text.replace("opledger-facts/1", "opledger-facts/0", 1), "older"),
            (lambda text: text.replace('"shards":1,', '"shards":2147483647,', 1),
             "must be from 1 to 100000"),
            (lambda text: text.replace('"registrations"', '"registration"', 1), "unknown field"),
            (lambda text: text.replace('{"path"', '{"path":7,"x"', 1), "1-of-1.facts")):
        path.write_text(resealed(change(whole)))
        sharding.refused([name], words)
    path.write_text(resealed(whole))
    expect(path.read_text() == whole, "the checksum is not the SHA-256 of the preceding text")


def test_same_shard_twice_and_different(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    name = sharding.shard(1, 1)
    text = (sharding.folder / name).read_text()
    other = sharding.folder / "other.facts"
    other.write_text(resealed(text.replace('"op_07"', '"op_77"')))
    sharding.refused([name, "other.facts"], "shard 1/1 differs from the one in 1-of-1.facts")


def test_output_is_old_or_new(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    files = sharding.shards(2)
    output = sharding.folder / "kept.json"
    output.write_text("before")
    sharding.run("--merge", "--config", "none", "--dialect", "./dialect.json", files[0], "-o", output)
    expect(output.read_text() == "before")
    sharding.run("--merge", "--config", "none", "--dialect", "./dialect.json", *files, "-o", output)
    expect(output.read_text() == sharding.plain().text)
    status, _ = sharding.run("--merge", "--config", "none", "--dialect", "./dialect.json", *files,
                             "-o", "no/such/folder/x.json")
    expect(status == 2, status)


def test_killed_shard_resumes(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree", registering(40))
    plain = sharding.plain()
    # The first file that hangs is given up after 2.5 seconds; the next result saves everything so
    # far.
    process = sharding.tree.start(bin_folder / "opledger-scan-faults", "--shard", "1/1", "-j", "1",
                                  "--file-seconds", "2.5", fault="hang:7.cc", output="killed.facts")
    for _ in range(6000):
        # A pack file is created empty, then starts with a few bytes without content.
        packs = (sharding.folder.parent / "cache").rglob("*.pack")
        if any(pack.stat().st_size > 64 for pack in packs) or process.poll() is not None:
            break
        time.sleep(0.01)
    process.kill()
    process.communicate(timeout=5)
    for _ in range(200):
        if not processes_of(sharding.folder):
            break
        time.sleep(0.01)
    expect(not processes_of(sharding.folder), "workers remain")
    expect(not (sharding.folder / "killed.facts").exists())
    status, said = sharding.run("--config", "none", "--dialect", "./dialect.json", "--shard", "1/1",
                                "-o", "again.facts", "--timing")
    done = re.search(r"\((\d+) of 40 units preprocessed", said)
    expect(status == 0 and done and int(done[1]) < 40, said)
    expect(sharding.merge("again.facts")[2] == plain.text)


def test_shards_at_once_share_a_cache(bin_folder, folder):
    sharding = Sharding(bin_folder, folder / "tree")
    plain = sharding.plain()
    for round_number in range(5):
        sharding.tree.write({"src/late.cc": f"REGISTER_OP(late_{round_number});\n"})
        processes = []
        for number in (1, 2, 3, 4, 1, 2):
            processes.append(sharding.tree.start(sharding.program, "--shard", f"{number}/4", "-j", "2",
                                                 output=f"{len(processes)}.facts"))
        for process in processes:
            _, said = process.communicate(timeout=60)
            expect(process.returncode == 0, said)
        text = sharding.merge(*(f"{i}.facts" for i in range(6)))[2]
        expect(text == sharding.plain().text, round_number)
        expect(text != plain.text, round_number)


SOURCES = {  # checkout -> dialect: registrations in blocks, schemas, data files, evaluated functions
    "tensorflow-2.14.1": "tensorflow",
    "tvm-v0.18.0": "tvm-relay",
    "onnx-f7546912": "onnx",
    "pytorch-2.6.0": "pytorch",
}


def same_as_whole(bin_folder, folder, source, dialect, counts):
    environment = {**os.environ, "OPLEDGER_CACHE_DIR": str(folder / "cache")}

    def run(*arguments):
        done = subprocess.run([bin_folder / "opledger-scan", *arguments, "--config", "none"],
                              cwd=source, env=environment, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, dialect, done.stderr)

    run("--dialect", dialect, "--no-cache", "-o", folder / "plain.json")
    for count in counts:
        files = [folder / f"{number}.facts" for number in range(count, 0, -1)]
        for number, path in zip(range(count, 0, -1), files):
            run("--dialect", dialect, "--shard", f"{number}/{count}", "-o", path)
        run("--merge", *files, "-o", folder / "merged.json")
        expect((folder / "merged.json").read_bytes() == (folder / "plain.json").read_bytes(),
               dialect, count)


def test_mxnet(bin_folder, folder):
    source = source_of(MXNET_SOURCE)
    if source is None:
        raise Skip("the source of MXNet is missing; ci/test-data gets it")
    same_as_whole(bin_folder, folder, source, "mxnet", (1, 2, 3, 8, 64))


def test_other_frameworks(bin_folder, folder):
    found = {source_of(name): dialect for name, dialect in SOURCES.items()}
    found.pop(None, None)
    if not found:
        raise Skip("the sources of other frameworks are missing; ci/test-data gets them")
    for source, dialect in found.items():
        same_as_whole(bin_folder, folder, source, dialect, (3,))


if __name__ == "__main__":
    sys.exit(main(globals()))

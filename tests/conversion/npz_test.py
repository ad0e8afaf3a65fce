#!/usr/bin/env python3
"""Tests numpy's parameter files (.npz): unchanged arrays keep their bytes, numpy loads converted
files and finds the rounded originals, and broken or hostile files are refused with a specific
message.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import MXNET as DATA
import peers


try:
    import numpy
except ImportError:
    numpy = None


def symbol(names):
    """Returns consecutive layers, one for each name; exp reads the last one's weight, too."""
    nodes = [{"op": "null", "name": "data", "inputs": []}]
    last = 0
    for name in names:
        nodes.append({"op": "null", "name": name, "inputs": []})
        nodes.append({"op": "FullyConnected", "name": "fc_" + name, "inputs":
                      [[last, 0, 0], [len(nodes) - 1, 0, 0]],
                      "attrs": {"no_bias": "True", "num_hidden": "8"}})
        last = len(nodes) - 1
    nodes.append({"op": "exp", "name": "both", "inputs": [[last - 1, 0, 0]]})
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes)
                                                    if n["op"] == "null"],
                       "heads": [[last, 0, 0], [len(nodes) - 1, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 20000]}})


class Unseekable(io.RawIOBase):
    """A pipe: sizes of a zip entry follow its data."""
    def __init__(self):
        super().__init__()
        self.written = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.written += bytes(data)
        return len(data)


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    numpy.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def arrays():
    generator = numpy.random.default_rng(7)
    weight = generator.standard_normal((8, 8)).astype(numpy.float32)
    bits = generator.integers(0, 2 ** 32, 64, dtype=numpy.uint32).view(numpy.float32)
    return {"arg:first": weight, "arg:fortran": numpy.asfortranarray(weight.T * 3),
            "arg:large": generator.standard_normal((8, 300001)).astype(numpy.float32),
            "arg:both": weight + 1, "aux:moving": weight[0], "arg:whole": numpy.arange(8),
            "arg:double": weight.astype(numpy.float64), "arg:half": weight.astype(numpy.float16),
            "arg:flags": weight > 0, "arg:scalar": numpy.float32(3), "arg:none": weight[:0],
            "arg:bits": bits}


NETWORK = ["first", "fortran", "large", "both"]


def savez(given):
    stream = io.BytesIO()
    numpy.savez(stream, **given)
    return stream.getvalue()


def deflated(given):
    stream = io.BytesIO()
    numpy.savez_compressed(stream, **given)
    return stream.getvalue()


def zipped(given, stream=None, versions=((1, 0),), **options):
    stream = stream if stream is not None else io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as archive:
        for number, (name, array) in enumerate(given.items()):
            info = zipfile.ZipInfo(name + ".npy", (2026, 11, 22, 1, 2, 4))
            info.comment = b"of a member"
            info.extra = struct.pack("<HH", 0xcafe, 3) + b"own"
            info.compress_type = archive.compression
            archive.writestr(info, npy(array, versions[number % len(versions)]))
        archive.writestr("readme.txt", b"no array")
        archive.comment = b"a comment of the archive"
    return stream


def piped(given):
    stream = Unseekable()
    zipped(given, stream)
    return bytes(stream.written)


def wide(given):
    """Returns the archive with a 64-bit end of the central directory."""
    whole = savez(given)
    end = len(whole) - 22
    count, size, begin = struct.unpack("<HII", whole[end + 10:end + 20])
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, size, begin)
    record += b"PK\6\7" + struct.pack("<IQI", 0, end, 1)
    return whole[:end] + record + whole[end:end + 8] + b"\xff" * 12 + whole[end + 20:]


def archives(given):
    return {"savez": savez(given), "wide": wide(given), "compressed": deflated(given), "pipe": piped(given),
            "versions": zipped(given, versions=((1, 0), (2, 0), (3, 0))).getvalue(),
            "deflated": zipped(given, compression=zipfile.ZIP_DEFLATED).getvalue()}


def rounded(array, dtype):
    if dtype == "float16":
        with numpy.errstate(over="ignore"):
            return array.astype(numpy.float16)
    bits = numpy.ascontiguousarray(array).view(numpy.uint32).astype(numpy.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


class Archives:
    def __init__(self, program, folder):
        self.program, self.folder, self.problems = program, folder, []

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, what)))

    def convert(self, network, params, out, *arguments):
        return subprocess.run([self.program, network, "--params", params, "-o", self.folder / out,
                               *arguments], capture_output=True, text=True, check=False)

    def check(self, kind, content, given, dtype):
        network, params = self.folder / "net-symbol.json", self.folder / "net-0003.npz"
        network.write_text(symbol(NETWORK), encoding="utf-8")
        params.write_bytes(content)
        done = self.convert(network, params, "kept", "--exclude", ".*")
        self.expect(done.returncode == 0, kind, done.stderr)
        self.expect((self.folder / "kept-0003.npz").read_bytes() == content, kind, "is not kept")
        done = self.convert(network, params, "low", "--target-dtype", dtype)
        self.expect(done.returncode == 0, kind, dtype, done.stderr)
        low = self.folder / "low-0003.npz"
        if done.returncode or not low.exists():
            return
        done = self.convert(self.folder / "low-symbol.json", low, "twice", "--target-dtype", dtype)
        self.expect(done.returncode == 0 and
                    (self.folder / "twice-0003.npz").read_bytes() == low.read_bytes(),
                    kind, dtype, "twice", done.stderr)
        with zipfile.ZipFile(low) as archive:
            self.expect(archive.testzip() is None, kind, "has wrong checksums")
            with zipfile.ZipFile(io.BytesIO(content)) as before:
                self.check_members(kind, before, archive, given, dtype)

    def check_members(self, kind, before, after, given, dtype):
        copy = f"arg:both__{dtype}.npy"
        self.expect(after.namelist() == before.namelist() + [copy], kind, after.namelist())
        self.expect(after.comment == before.comment, kind, after.comment)
        changed = {f"arg:{name}.npy": given["arg:" + name] for name in NETWORK[:-1]}
        changed[copy] = given["arg:both"]
        for name in before.namelist():
            infos = [archive.getinfo(name) for archive in (before, after)]
            self.expect(infos[0].comment == infos[1].comment and
                        infos[0].date_time == infos[1].date_time, kind, name, infos)
            if name not in changed:
                self.expect(before.read(name) == after.read(name), kind, name, "has changed")
        for name, array in changed.items():
            content = after.read(name)
            if dtype == "bfloat16":
                self.expect(b"'<b2'" in content[:64], kind, name, content[:64])
                content = content.replace(b"'<b2'", b"'<u2'", 1)
            loaded = numpy.load(io.BytesIO(content))
            wanted = rounded(array, dtype)
            self.expect(loaded.shape == wanted.shape and loaded.dtype == wanted.dtype and
                        loaded.flags["F_CONTIGUOUS"] == array.flags["F_CONTIGUOUS"] and
                        (loaded == wanted).all(), kind, name, "is not the original, rounded")

    def refused(self, what, content, said):
        network, params = self.folder / "net-symbol.json", self.folder / "bad-0000.params"
        params.write_bytes(content)
        for each in self.folder.glob("bad_out*"):
            each.unlink()
        done = self.convert(network, params, "bad_out", "--unlisted", "ignore")
        self.expect(done.returncode == 2 and said in done.stderr, what, done.returncode, done.stderr)
        self.expect(not list(self.folder.glob("bad_out*")), what, "something was written")

    def check_refusals(self):
        good = zipped({"arg:first": numpy.ones((8, 8), numpy.float32),
                       "arg:other": numpy.ones(3, numpy.float32)}).getvalue()
        second = good.index(b"PK\3\4", 4)
        entry = good.index(b"PK\1\2")
        next_entry = good.index(b"PK\1\2", entry + 4)
        end = good.rindex(b"PK\5\6\0\0")

        def changed(at, new):
            return good[:at] + new + good[at + len(new):]

        flags = changed(6, b"\1\0")
        self.refused("encrypted", flags[:entry + 8] + b"\1\0" + flags[entry + 10:], "encrypted")
        self.refused("numbers", changed(good.index(b"\0\0\x80\x3f"), b"\1"), "checksum")
        self.refused("a size", changed(entry + 24, b"\1"), "does not match")
        self.refused("a huge size", changed(entry + 20, b"\xfe\xff\xff\xff"), "reaches into")
        self.refused("overlap", changed(next_entry + 42, b"\0\0\0\0"), "does not match")
        self.refused("a place", changed(next_entry + 42, struct.pack("<I", second + 1)), "begins")
        self.refused("a count", changed(end + 10, b"\xff\xff"), "too small")
        self.refused("a directory", changed(end + 16, b"\xff\xff\xff\x7f"), "where it should be")
        self.refused("parts", changed(end + 4, b"\1"), "part")
        method = changed(8, b"\14\0")
        self.refused("a method", method[:entry + 10] + b"\14\0" + method[entry + 12:], "method 12")
        for size in [4, 30, 100, second, entry, entry + 46, end, len(good) - 1]:
            self.refused(f"cut at {size}", good[:size], "error")
        for name in ("arg:/../../x", "/arg:first", "../first"):
            self.refused(name, zipped({name: numpy.ones(3, numpy.float32)}).getvalue(),
                         "points outside" if not name.startswith("arg") else "error")
        twice = io.BytesIO()
        with zipfile.ZipFile(twice, "w") as archive:
            for name in ("a", "b"):
                archive.writestr(name + ".npy", npy(numpy.ones(3, numpy.float32)))
        self.refused("duplicates", twice.getvalue().replace(b"b.npy", b"a.npy"), "two members")
        for header in (b"{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }\n",
                       b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n" %
                       (2 ** 40, 2 ** 40), b"{'descr': '<f4'}\n", b"\n", b"{'descr': "):
            text = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(12)
            stream = io.BytesIO()
            with zipfile.ZipFile(stream, "w") as archive:
                archive.writestr("arg:first.npy", text)
            self.refused(header, stream.getvalue(), "arg:first.npy")
        self.refused("big-endian", savez({"arg:first": numpy.ones((8, 8), ">f4")}), "big-endian")
        bomb = io.BytesIO()
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("arg:first.npy", bytes(1 << 26))
        self.refused("a bomb", bomb.getvalue(), "is not an array")
        # The declared size suffices to refuse it: nothing is decompressed.
        large = bomb.getvalue().replace(struct.pack("<I", 1 << 26), struct.pack("<I", 0xf0000000))
        self.refused("a bomb of 4 GB", large, "if this is not a zip bomb")
        cut = bytearray(bomb.getvalue())
        cut[60] ^= 0xff
        self.refused("broken deflation", bytes(cut), "inflated")

    def check_mxnet2(self, path):
        """MXNet 2's own format: its bfloat16 arrays and padding are kept."""
        network = self.folder / "own-symbol.json"
        network.write_text(symbol(["dense0_weight"]), encoding="utf-8")
        done = self.convert(network, path, "mx2", "--target-ops", "exp")
        self.expect(done.returncode == 0, done.stderr)
        before, after = (zipfile.ZipFile(each) for each in (path, self.folder / "mx2-0000.params"))
        self.expect(after.testzip() is None, "checksums")
        for name in before.namelist():
            same = before.read(name) == after.read(name)
            self.expect(same == (name != "arg:dense0_weight.npy"), path, name, same)
        half = numpy.load(io.BytesIO(after.read("arg:dense0_weight.npy")))
        full = numpy.load(io.BytesIO(before.read("arg:dense0_weight.npy")))
        self.expect((half == full.astype(numpy.float16)).all() and half.dtype == numpy.float16, half)

    def check_sparse(self):
        """The parts of a sparse array are one array, which is not converted."""
        given = {"arg:first": numpy.ones((8, 8), numpy.float32),
                 "arg:s/data": numpy.ones(3, numpy.float32), "arg:s/indices": numpy.arange(3),
                 "arg:s/shape": numpy.arange(2)}
        stream = zipped(given)
        with zipfile.ZipFile(stream, "a") as archive:
            archive.writestr("arg:s/format.npy", b"\x93NUMPY a header that MXNet breaks")
        network, params = self.folder / "s-symbol.json", self.folder / "s.npz"
        network.write_text(symbol(["first", "s"]), encoding="utf-8")
        params.write_bytes(stream.getvalue())
        done = self.convert(network, params, "sparse")
        written = self.folder / "sparse-0000.npz"
        self.expect(done.returncode == 0 and written.exists(), "sparse", done.stderr)
        if written.exists():
            with zipfile.ZipFile(written) as after, zipfile.ZipFile(params) as before:
                changed = [name for name in before.namelist()
                           if before.read(name) != after.read(name)]
                self.expect(changed == ["arg:first.npy"], "sparse", changed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="only each Nth archive")
    options = parser.parse_args()
    if numpy is None:
        peers.require(options.bin, "numpy")
    with tempfile.TemporaryDirectory(prefix="opledger-npz-") as name:
        tests = Archives(options.bin.resolve() / "opledger-convert", pathlib.Path(name))
        given = arrays()
        for kind, content in archives(given).items():
            for dtype in ("float16", "bfloat16"):
                tests.check(kind, content, given, dtype)
        # The last bytes of a stream can expand to much more output after all input was read.
        zeros = {**given, "arg:large": numpy.zeros((8, 1 << 21), numpy.float32)}
        tests.check("zeros", deflated(zeros), zeros, "float16")
        tests.check_refusals()
        tests.check_sparse()
        if DATA.is_dir():
            tests.check_mxnet2(DATA / "synthetic/mxnet2.npz.params")
        else:
            print("data/mxnet is missing: nothing of MXNet's own; ci/test-data makes it")
    print("\n".join(tests.problems[:40]), end="\n" if tests.problems else "")
    return 1 if tests.problems else 0


if __name__ == "__main__":
    sys.exit(main())

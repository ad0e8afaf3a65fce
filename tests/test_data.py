#!/usr/bin/env python3
"""Finds the data that tests read.

Operator lists of frameworks: tests/gold. Sources of frameworks (tests/data/sources.json): unpacked
in the user's cache, put there by ci/test-data, or on first use from archives in
$OPLEDGER_TEST_DATA/data/source. Models: $OPLEDGER_TEST_DATA/data/{onnx,mxnet}, else what
ci/test-data made in build/test-data. OPLEDGER_TEST_DATA is ../shared by default. If it names a
folder that does not exist, the user's cache is ignored, too, and tests see what a fresh clone has.
$OPLEDGER_PEERS: a virtual environment to use instead of the build's, with the models that its
packages generated.

    tests/test_data.py source NAME | models onnx|mxnet     prints the folder; exit 77 if there is none
"""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLLECTION = pathlib.Path(os.environ.get("OPLEDGER_TEST_DATA") or ROOT.parent / "shared")
GIVEN = COLLECTION / "data"
IS_STRANGER = bool(os.environ.get("OPLEDGER_TEST_DATA")) and not COLLECTION.is_dir()
# models that ci/test-data generates
MADE = pathlib.Path(os.environ.get("OPLEDGER_PEERS") or ROOT / "build") / "test-data"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "opledger/test-data"
GOLD = ROOT / "tests/gold"
SOURCES = json.loads((ROOT / "tests/data/sources.json").read_text(encoding="utf-8"))["sources"]
MXNET_SOURCE = "mxnet-b84609d3"
ARE_MADE = not (GIVEN / "onnx").is_dir()  # the models
ONNX, MXNET = ((MADE if ARE_MADE else GIVEN) / kind for kind in ("onnx", "mxnet"))


def skip(*missing):
    """Exits as skipped, naming what is missing."""
    print(f"SKIPPED: missing: {', '.join(missing)}; ci/test-data gets what is missing")
    sys.exit(77)


def require_models(*folders):
    missing = [f"models of {folder.name}" for folder in folders if not folder.is_dir()]
    if missing:
        skip(*missing)


def digest(folder):
    """Digest of all files' contents and paths and of links; the same for archives and
    repositories."""
    lines = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            lines.append(f"{hashlib.sha256(os.readlink(path).encode()).hexdigest()} link {name}\n")
        elif path.is_file():
            lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()} file {name}\n")
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def keep(name, unpack):
    """Lets `unpack(folder)` fill a new folder, and keeps that in the cache if it matches
    sources.json. Returns the problem, or None."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (CACHE / name).is_dir():
            return None
        scratch = pathlib.Path(tempfile.mkdtemp(dir=CACHE))
        try:
            unpack(scratch / name)
            if digest(scratch / name) != SOURCES[name]["sha256"]:
                return f"{name}: its digest differs from tests/data/sources.json"
            (scratch / name).rename(CACHE / name)
        except (OSError, subprocess.CalledProcessError) as error:
            said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
            return f"{name}: {said[-1] if said else error}"
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return None


def unpack_archive(archive):
    def unpack(folder):
        # the archive contains a folder of that name or only its contents
        with tarfile.open(archive) as files:
            inside = any(each.name.split("/")[0] == folder.name for each in files)
        folder.mkdir(exist_ok=True)
        what = ["-C", folder.parent, folder.name] if inside else ["-C", folder]
        subprocess.run(["tar", "-xf", archive, *what], check=True, capture_output=True, text=True)
    return unpack


def source(name):
    """Returns the folder of a framework's source, or None."""
    if name == MXNET_SOURCE and os.environ.get("OPLEDGER_MXNET_SOURCE"):
        folder = pathlib.Path(os.environ["OPLEDGER_MXNET_SOURCE"])
        return folder if folder.is_dir() else None
    if IS_STRANGER:
        return None
    archive = GIVEN / "source" / SOURCES[name]["archive"]
    if not (CACHE / name).is_dir() and archive.is_file():
        problem = keep(name, unpack_archive(archive))
        if problem:
            print(problem, file=sys.stderr)
    return CACHE / name if (CACHE / name).is_dir() else None


def require_sources(*names):
    """Returns the sources' folders, in this order; exits as skipped if one is missing."""
    found = [source(name) for name in names]
    missing = [name for name, folder in zip(names, found) if folder is None]
    if missing:
        skip(*missing)
    return found


def main():
    kind, name = sys.argv[1:]
    if kind == "models":
        folder = {"onnx": ONNX, "mxnet": MXNET}[name]
        require_models(folder)
    else:
        folder, = require_sources(name)
    with contextlib.suppress(BrokenPipeError):
        print(folder.resolve())


if __name__ == "__main__":
    main()

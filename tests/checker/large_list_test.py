#!/usr/bin/env python3
"""A list with very many entries needs memory for its text and a record of each entry, not for a
tree of its JSON. Skipped under sanitizers, which need memory themselves.

Prints the memory used. Exit status: 0 all is well, 1 not, 77 skipped.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from peak_memory import peak_memory  # noqa: E402

ENTRIES = 300_000
# its 95 bytes of text twice, and the record; a tree would take 1,000 more
MOST_BYTES_OF_AN_ENTRY = 600


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    program = parser.parse_args().bin.resolve() / "opledger"
    if b"__asan_init" in program.read_bytes():
        print("skipped: sanitizers")
        return 77
    with tempfile.TemporaryDirectory(prefix="opledger-large-") as folder:
        path = pathlib.Path(folder)
        (path / "opledger.json").write_text('{"dialect": "mxnet", "lists": ["list.json"]}')
        took = []
        for count in (1, ENTRIES):
            entries = [{"op": f"operator_{i}", "reason": "numeric", "note": "n" * 40} for i in range(count)]
            (path / "list.json").write_text(json.dumps(
                {"framework": "mxnet", "target_dtype": "float16", "fp32": entries}, indent=0))
            bytes_taken, status, said = peak_memory([program, "config", "validate"], folder)
            if status != 0:
                print(f"exit {status}: {said[:300]}")
                return 1
            took.append(bytes_taken)
    each = (took[1] - took[0]) / ENTRIES
    print(f"{ENTRIES} entries: {each:.0f} bytes each")
    return 0 if each <= MOST_BYTES_OF_AN_ENTRY else 1


if __name__ == "__main__":
    sys.exit(main())

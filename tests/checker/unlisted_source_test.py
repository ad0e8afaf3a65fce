#!/usr/bin/env python3
"""Each dialect's "unlisted_source" names the source line that decides how the framework runs an
unlisted operator; that line must exist. Missing sources are skipped and named."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import test_data  # noqa: E402

SOURCES = {"mxnet": "mxnet-b84609d3", "tensorflow": "tensorflow-2.14.1", "pytorch": "pytorch-2.6.0",
           "tvm-relay": "tvm-v0.18.0", "tvm-relax": "tvm-5d4dc872"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin")
    parser.parse_args()
    problems, skipped = [], []
    for name, source in SOURCES.items():
        dialect = json.loads((ROOT / "registry/dialects" / f"{name}.json").read_text(encoding="utf-8"))
        if "unlisted_source" not in dialect:
            problems.append(f"{name}: has 'unlisted' but not its source line")
            continue
        folder = test_data.source(source)
        if folder is None:
            skipped.append(source)
            continue
        place = dialect["unlisted_source"]
        text = (folder / place["file"]).read_text(encoding="utf-8")
        if not any(place["says"] in line for line in text.splitlines()):
            problems.append(f"{name}: {place['file']} does not contain {place['says']!r}")
    for problem in problems:
        print(problem)
    print(f"{len(SOURCES) - len(skipped)} places checked; skipped: {', '.join(skipped) or 'none'}")
    if problems:
        return 1
    return 77 if len(skipped) == len(SOURCES) else 0


if __name__ == "__main__":
    sys.exit(main())

"""The version, which the file VERSION states: installed beside this file, or at the top of a checkout."""
# SPDX-License-Identifier: Apache-2.0

import pathlib


def read_version() -> str:
    """Returns the version."""
    folder = pathlib.Path(__file__).resolve().parent
    beside = folder / "VERSION"
    return (beside if beside.exists() else folder.parents[1] / "VERSION").read_text(encoding="utf-8").strip()

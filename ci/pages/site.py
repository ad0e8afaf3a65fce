"""Writes all pages, and the files that they load."""

# SPDX-License-Identifier: Apache-2.0

import pathlib
import tempfile

from . import atlas, feed, guides, home, operators, rules
from .layout import Output
from .programs import Programs

FILES = ("site.css", "site.js", "operators.js", "overview-narrow.svg")


def write(folder, bin_folder, url):
    """Returns the number of pages. Links of the feed begin with `url`."""
    with tempfile.TemporaryDirectory(prefix="opledger-site-cache-") as cache:
        programs = Programs(bin_folder, cache)
        out = Output(folder, home.about(programs))
        for name in FILES:
            out.file(name, (pathlib.Path(__file__).parent / name).read_bytes())
        guides.write(out)
        names = rules.write(out, programs)
        known = operators.write(out)
        atlas.write(out, programs, known)
        feed.write(out, url.rstrip("/") + "/", known)
        home.write_install(out)
        home.write_home(out, programs, len(names), known)
    return len(out.pages)

"""The guides: a page for each README.md and for other Markdown files, with a table of contents. A link to a file of
the repository that is not on the site becomes plain text, except for schemas and the licence, which are copied."""

# SPDX-License-Identifier: Apache-2.0

import posixpath
import re

from .layout import ROOT, escape
from .markdown import Renderer, normal

# Source -> page, title, what it covers.
GUIDES = {
    "README.md": ("guides/overview.html", "Overview", "What opledger is for, five tasks, figures"),
    "registry/README.md": ("guides/registry.html", "Operators and lists", "Scanning, operators.json, lists, shards"),
    "registry/dialects/README.md": ("guides/dialects.html", "Dialects", "How to describe your framework"),
    "registry/dialects/REFERENCE.md": (
        "guides/dialect-reference.html",
        "Dialect reference",
        "Every field of a dialect",
    ),
    "checker/README.md": (
        "guides/checker.html",
        "Checking",
        "Rules, formats, baselines, differences, editors, settings",
    ),
    "conversion/README.md": ("guides/conversion.html", "Converting models", "Mixed precision, reports, reverting"),
    "kernels/README.md": (
        "guides/kernels.html",
        "Running and measuring",
        "Running models, plans, GPUs, errors, evidence",
    ),
    "python/README.md": ("guides/python.html", "Python", "The package: converting, running, notebooks"),
    "ci/README.md": (
        "guides/ci.html",
        "Continuous integration",
        "Setup, pre-commit, GitHub, GitLab, CMake, packages",
    ),
    "registry/scan/LIMITS.md": ("guides/limits.html", "Limits of the scanner", "What the scanner does not read"),
    "registry/operators/README.md": (
        "guides/manifests.html",
        "Shipped manifests",
        "Operators of ONNX and ONNX Runtime",
    ),
    "registry/profiles/README.md": ("guides/profiles.html", "Target profiles", "Which kernels a runtime has"),
    "registry/priors/README.md": ("guides/priors.html", "Statistics of the lists", "What suggestions are based on"),
    "registry/versions/README.md": (
        "guides/versions.html",
        "Policies by version",
        "Where the pages of operators come from",
    ),
    "CHANGELOG.md": ("guides/changelog.html", "Changelog", "What each version of opledger changed"),
    "CONTRIBUTING.md": ("guides/contributing.html", "Contributing", "How the code is laid out; terms; tests"),
    "SECURITY.md": ("guides/security.html", "Security", "Who controls which input, and what is promised"),
    "tests/FEATURES.md": ("guides/features.html", "Features and their tests", "Every feature and its test"),
}
COPIED = {"LICENSE": "LICENSE.txt", "registry/overview.svg": "overview.svg"}


def present():
    return {source: entry for source, entry in GUIDES.items() if (ROOT / source).exists()}


def resolve(href, source):
    """Where the link `href` of the file `source` leads, relative to that file's page; None: nowhere on the site."""
    if href.startswith(("https://", "http://")):
        return href
    path, fragment = normal(href, source)
    target = present()[path][0] if path in present() else COPIED.get(path)
    if path == "schemas":
        target = "schemas/index.html"
    elif path.startswith("schemas/") and (ROOT / path).exists():
        target = path
    if target is None:
        return None
    here = posixpath.dirname(GUIDES[source][0])
    return posixpath.relpath(target, here) + (f"#{fragment}" if fragment else "")


def contents(headings):
    rows = [f'<li><a href="#{anchor}">{escape(words)}</a></li>' for level, words, anchor in headings if level == 2]
    if len(rows) < 3:
        return ""
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ol>{"".join(rows)}</ol></nav>'


def write(out):
    renderer = Renderer(resolve)
    for source, (page, title, about) in present().items():
        body, headings = renderer.render((ROOT / source).read_text(encoding="utf-8"), source)
        if source.endswith("dialects/REFERENCE.md"):  # an anchor for each field: #sinks[].macro
            body = re.sub(r"<tr>(\s*<td><code>)([^<]+)(</code></td>)", r'<tr id="\2">\1<a href="#\2">\2</a>\3', body)
        note = contents(headings)
        article = f'<article class="prose">{body}</article>'
        out.page(page, title, f'<div class="guide">{note}{article}</div>' if note else article, about)
    cards = "".join(
        f'<li><a href="{posixpath.relpath(page, "guides")}">{escape(title)}</a> <span>{escape(about)}</span></li>'
        for page, title, about in present().values()
    )
    out.page(
        "guides/index.html",
        "Guides",
        f"""<h1>Guides</h1>
<p class="lead">The pages are those of the repository. A test runs their examples.</p>
<ul class="index">{cards}<li><a href="../schemas/index.html">JSON Schemas</a> <span>Every file that a program reads
or writes</span></li></ul>""",
        "The guides of opledger",
    )
    for path, name in COPIED.items():
        out.file(name, (ROOT / path).read_bytes())
    write_schemas(out)


def write_schemas(out):
    rows = []
    for path in sorted((ROOT / "schemas").rglob("*.json")):
        name = path.relative_to(ROOT / "schemas").as_posix()
        out.file(f"schemas/{name}", path.read_bytes())
        rows.append(f'<li><a href="{name}">{escape(name)}</a></li>')
    out.page(
        "schemas/index.html",
        "JSON Schemas",
        f"""<h1>JSON Schemas</h1>
<p class="lead">A schema for each JSON file that a program reads or writes. Editors use them through
<code>"$schema"</code>.</p><ul class="index">{"".join(rows)}</ul>""",
        "JSON Schemas of opledger's files",
    )

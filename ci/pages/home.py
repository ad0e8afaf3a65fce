"""The home page, whose examples are run when it is made, and the page about installing."""

# SPDX-License-Identifier: Apache-2.0

import math
import pathlib
import shutil
import struct
import tempfile

from .layout import ROOT, escape
from .guides import resolve
from .markdown import Renderer, code_block

INSTALL = ("Packages", "Before every commit", "GitHub and GitLab")  # sections of ci/README.md


def session(steps):
    return code_block("\n".join(f"$ {command}\n{output.rstrip()}" for command, output in steps), "console")


def finding(report):
    """The first finding of a report, without suggestions."""
    lines = report.splitlines()
    end = next((at for at, line in enumerate(lines) if ": note: " in line), 3)
    return "\n".join(lines[:end]) + "\n...\n" + lines[-1]


def examples(programs):
    """The four sessions of the story, run in a copy of tests/demo."""
    with tempfile.TemporaryDirectory(prefix="opledger-site-") as folder:
        demo = pathlib.Path(folder) / "demo"
        shutil.copytree(ROOT / "tests/demo", demo)

        def run(command, statuses=(0,), shorten=str):
            return f"opledger {command}", shorten(programs.run(*command.split(), cwd=demo, statuses=statuses))

        found = run("check", (1,), finding)
        classified = run("classify hard_swish --as fp32 --list float16 --reason numeric")
        again = run("check -q --output-format concise")
        converted = run("convert model.onnx -o mixed.onnx")
        compared = run("compare model.onnx mixed.onnx --input-shape pixels=2,8 --worst 1")
        again = ("opledger check", again[1] or run("check")[1])
        return [session([found]), session([classified, again]), session([converted, compared])]


def exp_table():
    """exp(x) rounded to float32 and to float16, where it is infinite from 11.09 on."""

    def rounded(value, kind, digits):
        try:
            return f"{struct.unpack(kind, struct.pack(kind, value))[0]:,.{digits}f}"
        except OverflowError:
            return "<b>infinite</b>"

    rows = "".join(
        f"<tr><th scope=\"row\">{x}</th><td>{rounded(math.exp(x), '<f', 1)}</td><td>{rounded(math.exp(x), '<e', 0)}</td>"
        "</tr>"
        for x in (1, 10, 11, 12)
    )
    return (
        '<table class="numbers"><thead><tr><th scope="col">x</th><th scope="col">exp(x) in float32</th>'
        f'<th scope="col">in float16</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def write_home(out, programs, rules, known):
    found, decided, mixed = examples(programs)
    operators = sum(map(len, known.values()))
    out.page(
        "index.html",
        "Which operators may run in 16 bits",
        f"""
<div class="hero"><h1>One list says in which precision each operator may run</h1>
<p class="lead">opledger checks source code, models and kernels against it, converts models by it, and runs them.</p>
<p class="actions"><a class="button first" href="install.html">Install</a>
<a class="button" href="operators/index.html">Look up an operator</a></p></div>
<figure><a href="overview.svg"><picture><source media="(max-width:40rem)" srcset="overview-narrow.svg"><img src="overview.svg" width="860" height="372" alt="C++ source and a dialect give
operators.json; with the lists it gives findings, documentation, mixed models and kernels"></picture></a></figure>
<section class="story" aria-labelledby="story"><h2 id="story">The story, in two minutes</h2>
<div class="step"><div><h3>1. Sixteen bits are fast, but not for everything</h3>
<p>A neural network runs faster, and in half the memory, in float16. A matrix product tolerates that. <code>exp</code> does
not: the largest number of float16 is 65,504, so <code>exp(12)</code> is infinity, and soon the loss is NaN. Every framework
therefore keeps lists of the operators that run in 16 bits and of those that stay in float32.</p></div>{exp_table()}</div>
<div class="step"><div><h3>2. Nothing checks these lists</h3>
<p>People write them by hand. New operators are never classified, entries stay after their operator is gone, a missing comma
joins two names. opledger reads from the sources which operators exist, with a checkout and nothing else, and says
where lists and source disagree:</p></div>{found}</div>
<div class="step"><div><h3>3. The author decides, once</h3>
<p>The report suggests policies with the evidence for each. One command writes the entry, and from then on
<a href="guides/ci.html">each pull request</a> answers for the operators that it adds.</p></div>{decided}</div>
<div class="step"><div><h3>4. The same list converts and runs models</h3>
<p>The list says what must and what must not run in 16 bits; the rest is placed so that few casts are needed. Then the
result is compared with the original in float64, node by node.</p></div>{mixed}</div>
<p class="quiet">The program printed these lines when this page was made, about <code>tests/demo</code>.</p></section>
<h2>Where to go next</h2><ul class="cards">
<li><a href="guides/overview.html">Overview</a><span>five tasks, with commands</span></li>
<li><a href="rules/index.html">{rules} rules</a><span>what is checked, why, and what to do</span></li>
<li><a href="operators/index.html">{operators:,} operators</a><span>of {len(known)} frameworks and libraries, by list and version</span></li>
<li><a href="atlas.html">Atlas</a><span>the same operation in all frameworks</span></li>
<li><a href="guides/dialect-reference.html">Dialects</a><span>teach opledger your framework</span></li>
<li><a href="changes.html">Policy changes</a><span>what the shipped lists changed, as a feed too</span></li></ul>
""",
        "One list says in which precision each operator may run; opledger checks source, models and kernels against it.",
    )


def section(text, title):
    """The lines of a Markdown section, with its heading."""
    begin = text.index(f"\n## {title}\n") + 1
    end = text.find("\n## ", begin)
    return text[begin : end if end > 0 else None]


def write_install(out):
    text = (ROOT / "ci/README.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    parts = [section(readme, "Install or build")]
    parts += [section(text, title) for title in INSTALL if f"\n## {title}\n" in text]
    render = Renderer(
        lambda href, source: (
            (resolve(href, source) or "").replace("../", "", 1)
            if resolve(href, source) and resolve(href, source).startswith("../")
            else (
                "guides/" + resolve(href, source)
                if resolve(href, source) and "://" not in href
                else resolve(href, source)
            )
        )
    )
    body = render.render(parts[0], "README.md")[0] + "".join(
        render.render(part, "ci/README.md")[0] for part in parts[1:]
    )
    out.page(
        "install.html",
        "Install",
        f"""<article class="prose"><h1>Install</h1>
<p class="lead">The programs are linked statically and run on any Linux. They need no network and no build of what
they check.</p>{body}</article>""",
        "How to install opledger",
    )


def about(programs):
    return escape(programs.run("--version", cwd=ROOT).split()[-1])

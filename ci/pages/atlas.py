"""The atlas: the table of `opledger docs --atlas`, with a search and with links to the pages of operators."""

# SPDX-License-Identifier: Apache-2.0

import html
import re

from .layout import ROOT, escape
from .operators import link


def linked(cell, framework, known):
    """The names of operators in a cell as links to their rows."""

    def names(match):
        found = []
        for name in html.unescape(match[1]).split(", "):
            there = name in known.get(framework, ())
            found.append(
                f'<a href="operators/{framework}.html{link(name)}">{escape(name)}</a>' if there else escape(name)
            )
        return f'<small>{", ".join(found)}</small>'

    return re.sub(r"<small>(.*?)</small>", names, cell)


def write(out, programs, known):
    page = programs.run("docs", "--atlas", "--format", "html", cwd=ROOT)
    table = re.search(r'<table class="atlas">(.*?)</table>', page, re.S)
    intro = re.search(r"<header><h1>.*?</h1>\s*(<p>.*?</p>)(.*?)</header>\s*(<details>.*?</details>)", page, re.S)
    if not table or not intro:
        raise SystemExit(
            "ci/site: error: the page of `opledger docs --atlas` has another form than ci/pages/atlas.py reads"
        )
    columns = [html.unescape(each) for each in re.findall(r'<th scope="col">(.*?)</th>', table[1])]

    def row(match):
        at = iter(columns[1:])
        return re.sub(
            r"<td.*?</td>", lambda cell: linked(cell[0], next(at, "").split(" ")[0], known), match[0], flags=re.S
        )

    body = re.sub(r"<tr id=.*?</tr>", row, table[1], flags=re.S)
    out.page(
        "atlas.html",
        "Atlas",
        f"""<h1>Atlas: one operation in all frameworks</h1>
{intro[1].replace("<p>", '<p class="lead">', 1)}
<p>Framed cells differ from most lists; an outlined policy holds by default, where a list does not name the operation.
A link to an operation is this page's address and its anchor, such as <code>#op-Softmax</code>.</p>
{intro[3]}
<form id="atlas" class="controls" role="search" aria-label="Atlas" hidden>
<label class="search">Search<input type="search" id="q" autocomplete="off" spellcheck="false"></label>
<label>Lists<select id="show"><option value="">all operations</option><option value="split">those that disagree</option></select></label>
<p id="count" role="status"></p></form>
<div class="scroll tall"><table class="atlas">{body}</table></div>""",
        "The policies of all shipped lists, side by side",
        wide=True,
    )
    return re.findall(r'<tr id="op-([^"]*)"', body)

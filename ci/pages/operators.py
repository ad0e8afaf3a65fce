"""A page for each framework with shipped lists: its operators, the policy of each in every list, and what changed
between versions; and an index that searches all of them."""

# SPDX-License-Identifier: Apache-2.0

import json
import urllib.parse

from .layout import ROOT, escape, tag
from .policies import POLICIES, Framework, changes

VALUES = (*POLICIES, "takes", "does not")


def frameworks():
    """Every framework that has lists, in the order of the atlas and with its names for them."""
    titles = json.loads((ROOT / "registry/atlas/operations.json").read_text(encoding="utf-8"))["frameworks"]
    titles = {**titles, "pytorch-extension": "PyTorch extensions", "opledger": "opledger's kernels"}
    names = [path.name for path in sorted((ROOT / "registry/lists").iterdir()) if path.is_dir()]
    order = ["pytorch", "tensorflow", "onnx", "onnxruntime", "mxnet", "tvm-relax", "tvm-relay"]
    names.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    return [Framework(name, titles.get(name, name)) for name in names]


def anchor(operator):
    return f"op-{operator}"


def link(operator):
    """The fragment of an operator's row."""
    return "#" + urllib.parse.quote(anchor(operator), safe=":._-")


def tables_of(framework):
    """What the page can be asked about: [(id, column, words, [(version, {operator: value})], index of the shown one)]."""
    found = []
    for each in framework.lists:
        history = framework.history(each.label)
        shown = next(
            (at for at, (version, _) in enumerate(history) if version == framework.shipped), len(history) - 1
        )
        found.append((each.label, each.label, each.words(), history, shown))
    for name, words, steps in framework.types:
        found.append((name, words, words, steps, len(steps) - 1))
    return found


def history_data(tables):
    """For site.js: of each operator, a letter per version, which counts in `values`; '-' stands for no entry."""
    data = []
    for name, _, words, history, shown in tables:
        operators = {}
        for at, (_, policies) in enumerate(history):
            for operator, value in policies.items():
                row = operators.setdefault(operator, ["-"] * len(history))
                row[at] = chr(ord("a") + VALUES.index(value))
        data.append(
            {
                "id": name,
                "words": words,
                "versions": [version for version, _ in history],
                "shown": shown,
                "operators": {operator: "".join(row) for operator, row in operators.items()},
            }
        )
    text = json.dumps({"values": VALUES, "tables": data}, separators=(",", ":"))
    return f'<script type="application/json" id="history">{text.replace("<", chr(92) + "u003c")}</script>'


def cell(history, shown, operator, label):
    value = history[shown][1].get(operator)
    word = tag(value) if value in POLICIES else escape(value or "-")
    first = next((version for version, policies in history if policies.get(operator) == "takes"), "")
    if value == "takes" and len(history) > 1:
        word = escape(f"from {first}")
    return f'<td data-table="{escape(label)}">{word}</td>'


def row(framework, tables, operator):
    notes = {}
    for each in framework.lists:
        words = each.entries.get(operator, ("", ""))[1]
        if words:
            notes.setdefault(words, []).append(each.label)
    told = [
        escape(words) + ("" if len(notes) == 1 else f' <small>({", ".join(labels)})</small>')
        for words, labels in notes.items()
    ]
    cells = "".join(cell(history, shown, operator, name) for name, _, _, history, shown in tables)
    return (
        f'<tr id="{escape(anchor(operator))}"><th scope="row"><a href="{link(operator)}">{escape(operator)}</a></th>'
        f'{cells}<td class="why">{"<br>".join(told)}</td></tr>'
    )


def value_word(value):
    return tag(value) if value in POLICIES else escape(value or "no entry")


def change_list(old, new):
    rows = [
        f'<li><a href="{link(op)}">{escape(op)}</a> {value_word(before)} to ' f"{value_word(after)}</li>"
        for op, before, after in changes(old, new)
    ]
    return f'<ul class="changes">{"".join(rows)}</ul>'


def change_sections(tables):
    parts = []
    for name, _, words, history, _ in tables:
        blocks = []
        for (before, old), (after, new) in reversed(list(zip(history, history[1:]))):
            count = len(changes(old, new))
            if count == 0:
                blocks.append(f'<p class="same">{escape(before)} to {escape(after)}: no change</p>')
                continue
            blocks.append(
                f'<details id="{escape(name)}-{escape(after.replace(" ", "-"))}"><summary>{escape(before)} to '
                f'{escape(after)}: {count} change{"" if count == 1 else "s"}</summary>'
                f"{change_list(old, new)}</details>"
            )
        if blocks:
            parts.append(f"<h3>{escape(words[0].upper() + words[1:])}</h3>{''.join(blocks)}")
    if not parts:
        return ""
    return (
        f'<section aria-labelledby="changed"><h2 id="changed">Changes between versions</h2>{"".join(parts)}</section>'
    )


def question(framework, table):
    """Links that show what people ask most."""
    name, _, words, history, shown = table
    version, policies = history[shown]
    wanted = "target" if name in {each.label for each in framework.lists} else "takes"
    count = sum(value == wanted for value in policies.values())
    said = f" in {version}" if version.startswith("opset") else f" in {framework.title} {version}" if version else ""
    verb = f"run in {words}" if wanted == "target" else f"take {words}"
    state = {"list": name, "version": version, "policy": wanted}
    found = [f'<a href="#{urllib.parse.urlencode(state)}">{count} {escape(verb + said)}</a>']
    if shown:
        since = history[max(0, shown - 1)][0] if wanted == "takes" else history[0][0]
        count = len(changes(dict(history)[since], policies))
        state = {"list": name, "version": version, "since": since}
        found.append(f'<a href="#{urllib.parse.urlencode(state)}">{count} changed since {escape(since)}</a>')
    return f"<li>{'; '.join(found)}</li>"


def sources(framework):
    if not framework.versions:
        return "<p>These lists belong to no version of a framework.</p>"
    rows = "".join(
        f"<li><b>{escape(version)}</b>{' (shipped with opledger)' if version == framework.shipped else ''}: "
        f"{escape(source)}</li>"
        for version, source, _ in framework.versions
    )
    only = (
        "<p>Only one version of the lists is shipped, so this page cannot say what changed before or after it.</p>"
        if len(framework.versions) == 1
        else ""
    )
    return f"{only}<ul>{rows}</ul>"


CONTROLS = """<form id="ask" class="controls" role="search" aria-label="Operators" hidden>
<label class="search">Search<input type="search" id="q" autocomplete="off" spellcheck="false"></label>
<label>List<select id="list"></select></label>
<label>Version<select id="version"></select></label>
<label>Policy<select id="policy"></select></label>
<label>Changed since<select id="since"></select></label>
<button type="reset">Show all</button>
<p id="count" role="status"></p>
</form>"""


def framework_page(out, framework):
    tables, operators = tables_of(framework), framework.operators()
    heads = "".join(
        f'<th scope="col" data-table="{escape(name)}">{escape(column)}</th>' for name, column, *_ in tables
    )
    rows = "".join(row(framework, tables, operator) for operator in operators)
    shipped = f" The columns show version {escape(framework.shipped)}." if framework.shipped else ""
    unlisted = (
        f" An operator without an entry {escape(framework.unlisted)}."
        if framework.unlisted not in ("", "error")
        else ""
    )
    listing = (
        f"""<section aria-labelledby="all"><h2 id="all">Operators</h2>{CONTROLS}
<div class="scroll"><table class="ops"><thead><tr><th scope="col">operator</th>{heads}<th scope="col">reason, note</th>
</tr></thead><tbody>{rows}</tbody></table></div></section>"""
        if operators
        else "<p>The shipped lists are empty.</p>"
    )
    out.page(
        f"operators/{framework.name}.html",
        f"{framework.title}: operators",
        f"""
<p class="crumb"><a href="index.html">Operators</a></p>
<h1>{escape(framework.title)}: operators and their precision</h1>
<p class="lead">{len(operators)} operators in {len(framework.lists)} list{"" if len(framework.lists) == 1 else "s"}.{shipped}{unlisted}
A link to an operator is this page's address and <code>#op-NAME</code>.</p>
<ul class="questions">{"".join(question(framework, table) for table in tables if operators)}</ul>
<details><summary>What the policies mean, and where they come from</summary><div class="inside">
<dl class="policies"><dt>{tag("target")}</dt><dd>runs in the 16-bit type</dd><dt>{tag("fp32")}</dt><dd>runs in float32</dd>
<dt>{tag("widest")}</dt><dd>runs in the widest type of its inputs</dd><dt>{tag("conditional")}</dt><dd>depends on an
attribute or a shape</dd><dt>{tag("either")}</dt><dd>runs in the type of its inputs</dd></dl>{sources(framework)}</div></details>
{listing}
{change_sections(tables)}
{history_data(tables)}""",
        f"Which operators of {framework.title} run in 16 bits, by list and version",
        wide=True,
        scripts=("operators.js",),
    )
    return operators


def write(out):
    cards, index = [], []
    found = frameworks()
    for framework in found:
        operators = framework_page(out, framework)
        index.append([framework.name, framework.title, operators])
        versions = [version for version, _, _ in framework.versions]
        several = (
            f", versions {versions[0]} to {versions[-1]}"
            if len(versions) > 1
            else f", {versions[0]}" if versions else ""
        )
        labels = ", ".join(each.label for each in framework.lists)
        cards.append(
            f'<li><a href="{framework.name}.html">{escape(framework.title)}</a> <span>{len(operators)} operators'
            f"{escape(several)}; {escape(labels)}</span></li>"
        )
    out.file("operators/index.js", "window.operatorIndex = " + json.dumps(index, separators=(",", ":")) + ";\n")
    out.page(
        "operators/index.html",
        "Operators",
        f"""<h1>Operators</h1>
<p class="lead">The operators of each framework, the policy that its lists give them, and what changed between versions.
The <a href="../atlas.html">atlas</a> shows the same operation in all frameworks.</p>
<form id="find" class="controls" role="search" hidden><label class="search">Find an operator<input type="search" id="q"
autocomplete="off" spellcheck="false" placeholder="softmax"></label><p id="count" role="status"></p></form>
<ul id="found" class="index"></ul>
<h2>By framework</h2><ul class="index">{"".join(cards)}</ul>""",
        "Operators of every framework",
        scripts=("operators/index.js",),
    )
    return {framework.name: set(operators) for framework, (_, _, operators) in zip(found, index)}

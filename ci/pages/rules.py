"""A page for each rule of `opledger check`, from `opledger explain RULE`."""

# SPDX-License-Identifier: Apache-2.0

import re

from .layout import ROOT, escape

SEVERITIES = {
    "error": "fails the check",
    "warning": "fails the check",
    "note": "is shown, and does not count",
    "off": "runs only if the settings turn it on",
}
HEADINGS = {"Why": "Why", "Example": "Example", "What to do": "What to do"}


def read(programs):
    """[(name, severity, summary)] in the program's order."""
    rows = re.findall(r"^([a-z][a-z0-9-]+) +(error|warning|note|off) +(.+)$", programs.run("explain", cwd=ROOT), re.M)
    if not rows:
        raise SystemExit("ci/site: error: `opledger explain` lists no rules")
    return rows


def words(text, names):
    """A paragraph: `code` becomes code, names of rules become links."""

    def code(match):
        inside = match[1]
        return f'<a href="{inside}.html"><code>{inside}</code></a>' if inside in names else f"<code>{inside}</code>"

    text = re.sub(r"`([^`]+)`", code, escape(" ".join(text.split())))
    return f"<p>{text}</p>"


def article(text, names):
    """The text of `opledger explain RULE` below its first line, as HTML."""
    parts = []
    for block in re.split(r"\n{2,}", text.strip("\n").partition("\n")[2].strip("\n")):
        head = re.match(r"(Why|Example|What to do):\s*", block)
        if head:
            parts.append(f"<h2>{HEADINGS[head[1]]}</h2>")
            block = block[head.end() :] if head[1] != "Example" else block.partition("\n")[2]
            block = block[:1].upper() + block[1:]
        prose, code = [], []
        for line in block.split("\n"):
            target = code if line.startswith("  ") else prose
            if target is prose and code:
                parts.append(f'<pre class="code"><code>{escape(chr(10).join(code))}</code></pre>')
                code = []
            if target is code and prose:
                parts.append(words("\n".join(prose), names))
                prose = []
            target.append(line[2:] if target is code else line)
        if prose:
            parts.append(words("\n".join(prose), names))
        if code:
            parts.append(f'<pre class="code"><code>{escape(chr(10).join(code))}</code></pre>')
    return "\n".join(parts)


def write(out, programs):
    rules = read(programs)
    names = {name for name, _, _ in rules}
    rows = []
    for at, (name, severity, summary) in enumerate(rules):
        before = f'<a rel="prev" href="{rules[at - 1][0]}.html">{rules[at - 1][0]}</a>' if at else "<span></span>"
        after = f'<a rel="next" href="{rules[at + 1][0]}.html">{rules[at + 1][0]}</a>' if at + 1 < len(rules) else ""
        out.page(
            f"rules/{name}.html",
            name,
            f"""<article class="prose">
<p class="crumb"><a href="index.html">Rules</a></p>
<h1>{name}</h1>
<p class="lead">{escape(summary[0].upper() + summary[1:])}.</p>
<p><span class="severity {severity}">{severity}</span> <span class="quiet">By default, a finding {SEVERITIES[severity]}.
</span></p>
{article(programs.run("explain", name, cwd=ROOT), names)}
<p class="quiet">In a terminal: <code>opledger explain {name}</code></p>
</article><nav class="pager" aria-label="Rules">{before}{after}</nav>""",
            f"{name}: {summary}",
        )
        rows.append(
            f'<tr id="{name}"><th scope="row"><a href="{name}.html">{name}</a></th>'
            f'<td><span class="severity {severity}">{severity}</span></td><td>{escape(summary)}</td></tr>'
        )
    out.page(
        "rules/index.html",
        "Rules",
        f"""<h1>Rules</h1>
<p class="lead">{len(rules)} rules find what is wrong between source and lists. Each page says why the rule exists, gives an
example, and says what to do. <code>"severity"</code> in <code>opledger.json</code> changes how much a rule counts.</p>
<div class="scroll"><table class="rules"><thead><tr><th scope="col">rule</th><th scope="col">severity</th>
<th scope="col">finds</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>""",
        "The rules of opledger check",
    )
    return sorted(names)

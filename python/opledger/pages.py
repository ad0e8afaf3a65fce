"""HTML for notebooks: small tables, and the page of a conversion if it has one."""
# SPDX-License-Identifier: Apache-2.0

import html
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

from .printable import printable

if TYPE_CHECKING:
    from .checking import Findings
    from .comparison import Comparison, TensorError
    from .conversion import Converted, ModelSummary

MOST_ROWS = 10


def escape(text: Any) -> str:
    """Escapes text for HTML. Names come from models and sources, and may be anything."""
    return html.escape("\n".join(map(printable, str(text).split("\n"))))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    parts = ["<table><thead><tr>", *(f"<th>{escape(each)}</th>" for each in head), "</tr></thead><tbody>"]
    for row in rows:
        parts += ["<tr>", *(f'<td style="text-align:left">{escape(each)}</td>' for each in row), "</tr>"]
    return "".join(parts) + "</tbody></table>"


def more(count: int) -> str:
    return f"<p>and {count - MOST_ROWS} more</p>" if count > MOST_ROWS else ""


def number(value: Optional[float]) -> str:
    return "" if value is None else f"{value:.3g}"


def bytes_text(count: int) -> str:
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def of_conversion(converted: "Converted") -> str:
    """Returns counts, the rules that decided most nodes, and warnings; below them, folded, the page."""
    parts = [f"<p><b>{escape(repr(converted)[len('<Converted '):-1])}</b></p>"]
    totals = converted.totals
    if totals is not None:
        parts.append(table(("in 16 bits", "float32", "either type", "no floats", "casts", "parameters"),
                           [(totals.low, totals.float32, totals.as_wanted, totals.unchanged, totals.casts,
                             f"{bytes_text(totals.parameter_bytes_before)} to "
                             f"{bytes_text(totals.parameter_bytes_after)}")]))
    reasons: Dict[Tuple[str, str], int] = {}
    for node in converted.nodes:
        if node.precision == "float32":
            key = (node.operator, node.rule.reason)
            reasons[key] = reasons.get(key, 0) + 1
    if reasons:
        rows = sorted(((count, *key) for key, count in reasons.items()), reverse=True)
        parts += [table(("nodes in float32", "operator", "why"), rows[:MOST_ROWS]), more(len(rows))]
    parts += [f"<p>{escape(each)}</p>" for each in converted.warnings[:MOST_ROWS]]
    if converted.page is not None:
        parts.append('<details><summary>the whole graph</summary><iframe sandbox="allow-scripts" '
                     f'style="width:100%;height:40em;border:0" srcdoc="{html.escape(converted.page)}"></iframe>'
                     '</details>')
    return "".join(parts)


def of_summary(summary: "ModelSummary") -> str:
    """Returns inputs, outputs, and the operators with their policies."""
    borders: List[Sequence[Any]] = [("input", each.name, each.type) for each in summary.inputs]
    borders += [("output", each.name, each.type) for each in summary.outputs]
    rows = sorted(((each.nodes, each.name, each.policy or "not in the list", each.note or "")
                   for each in summary.operators), reverse=True)
    return (f"<p><b>{escape(summary.model)}</b>: {escape(summary.format)}, {bytes_text(summary.file_bytes)}, "
            f"{summary.nodes} nodes</p>" + table(("", "name", "type"), borders[:MOST_ROWS]) + more(len(borders)) +
            table(("nodes", "operator", "policy", "note"), rows[:MOST_ROWS]) + more(len(rows)))


def _errors(error: "TensorError") -> List[str]:
    if error.unequal is not None:
        return [error.dtype, f"{error.unequal} of {error.numbers} differ", "", ""]
    l2, rows = number(error.relative_l2), error.rows
    if rows:
        l2 += f", {rows.matched} of {rows.matched + rows.missing} {rows.unit}s"
    return [error.dtype, l2, number(error.relative), number(error.ulp)]


def of_comparison(comparison: "Comparison") -> str:
    """Returns the error of each output, the first node to overflow, and the worst nodes."""
    head = ("type", "relative L2", "relative to the largest", "ulp")
    parts = [table(("output", *head, "first model's L2"),
                   [(each.name, *_errors(each.error), number(each.first_error.relative_l2))
                    for each in comparison.outputs[:MOST_ROWS]]), more(len(comparison.outputs))]
    if comparison.within is not None:
        parts.append(f"<p>{'within' if comparison.within else '<b>not within</b>'} the bound</p>")
    if comparison.first_overflow is not None:
        node = comparison.nodes[comparison.first_overflow]
        parts.append(f"<p>first to overflow: {escape(node.name)} ({escape(node.operator)})</p>")
    parts.append(table(("node, by its own error", "operator", *head),
                       [(each.name, each.operator, *_errors(each.own_error or each.error))
                        for each in comparison.worst(MOST_ROWS)]))
    return "".join(parts)


def of_findings(findings: "Findings") -> str:
    """Returns the new findings, each with its fix."""
    new = [each for each in findings if each.status == "new"]
    summary = findings.summary
    parts = [f"<p><b>{escape(summary.dialect)}</b>: {summary.operators} operators, {summary.errors} errors, "
             f"{summary.warnings} warnings, {summary.notes} notes</p>"]
    if new:
        parts += [table(("severity", "place", "finding", "rule", "command"),
                        [(each.severity, each.location, each.message, each.rule,
                          each.suggestions[0].command if each.suggestions else "") for each in new[:MOST_ROWS]]),
                  more(len(new))]
    if findings.incomplete:
        parts.append(f"<p><b>{len(findings.incomplete)} parts of the source could not be read</b></p>")
    return "".join(parts)

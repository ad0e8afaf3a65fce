"""HTML for notebooks: escaped text, tables and numbers. The classes that notebooks display build their pages from
these."""
# SPDX-License-Identifier: Apache-2.0

import html
from typing import Any, Iterable, Optional, Sequence

from .printable import printable

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

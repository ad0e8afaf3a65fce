"""Renders the Markdown of the README.md files as HTML, with anchors as on GitHub and links between pages."""

# SPDX-License-Identifier: Apache-2.0

import posixpath
import re

from markdown_it import MarkdownIt

from .layout import escape


def slug(text):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def console(code):
    """A session in a terminal: what is typed stands out, the rest is output."""
    rows = []
    for line in code.rstrip("\n").split("\n"):
        prompt = re.match(r"(\$|>>>|\.\.\.)( .*)?$", line) if line not in ("...",) else None
        rows.append(f'<span class="typed">{escape(line)}</span>' if prompt else escape(line))
    return "\n".join(rows)


def code_block(code, language=""):
    inside = console(code) if language in ("console", "pycon") else escape(code.rstrip("\n"))
    return f'<pre class="code" data-language="{escape(language)}"><code>{inside}</code></pre>\n'


class Renderer:
    """`resolve(href, source)` returns where a link of the file `source` leads, or None for plain text."""

    def __init__(self, resolve):
        self.resolve = resolve
        self.parser = MarkdownIt("commonmark").enable("table")
        self.parser.renderer.rules.update(
            fence=lambda tokens, at, *_: code_block(tokens[at].content, tokens[at].info.strip()),
            code_block=lambda tokens, at, *_: code_block(tokens[at].content),
            table_open=lambda *_: '<div class="scroll"><table>\n',
            table_close=lambda *_: "</table></div>\n",
            html_block=lambda tokens, at, *_: escape(tokens[at].content),
            html_inline=lambda tokens, at, *_: escape(tokens[at].content),
        )

    def _link(self, inline, source):
        """Rewrites links and pictures; a link that leads nowhere becomes its text."""
        kept, dropped = [], 0
        for token in inline.children:
            if token.type == "link_open":
                target = self.resolve(token.attrs["href"], source)
                if target is None:
                    dropped += 1
                    continue
                token.attrs["href"] = target
            elif token.type == "link_close" and dropped:
                dropped -= 1
                continue
            elif token.type == "image":
                token.attrs["src"] = self.resolve(token.attrs["src"], source) or ""
            kept.append(token)
        inline.children = kept

    def render(self, text, source):
        """Returns HTML, and the headings: (level, text, anchor)."""
        tokens, headings, seen = self.parser.parse(text), [], {}
        for at, token in enumerate(tokens):
            if token.type == "inline":
                self._link(token, source)
            if token.type == "heading_open":
                words = "".join(
                    child.content for child in tokens[at + 1].children if child.type in ("text", "code_inline")
                )
                anchor = slug(words)
                seen[anchor] = seen.get(anchor, -1) + 1
                anchor += f"-{seen[anchor]}" if seen[anchor] else ""
                token.attrs["id"] = anchor
                headings.append((int(token.tag[1]), words, anchor))
        page = self.parser.renderer.render(tokens, self.parser.options, {})
        return page.replace("<th></th>", "<td></td>"), headings  # an empty corner of a table is no heading


def normal(href, source):
    """(path in the repository, fragment) of a relative link in the file `source`."""
    path, _, fragment = href.partition("#")
    folder = posixpath.dirname(source)
    return (posixpath.normpath(posixpath.join(folder, path)) if path else source), fragment

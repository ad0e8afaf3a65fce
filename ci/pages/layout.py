"""The frame of every page: head, navigation, footer. Writes pages into the output folder."""

# SPDX-License-Identifier: Apache-2.0

import html
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Links are relative, so that the site works under any address and from a folder.
NAVIGATION = (
    ("Home", "index.html"),
    ("Install", "install.html"),
    ("Guides", "guides/index.html"),
    ("Rules", "rules/index.html"),
    ("Operators", "operators/index.html"),
    ("Atlas", "atlas.html"),
    ("Changes", "changes.html"),
)
# Nothing but the site's own files may be loaded, even by mistake. `data:` is for the empty icon below.
POLICY = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:"


def escape(text):
    return html.escape(str(text), quote=True)


def tag(policy):
    """A policy as a colored word."""
    return f'<span class="tag {escape(policy)}">{escape(policy)}</span>'


class Output:
    """The output folder."""

    def __init__(self, folder, version):
        self.folder, self.version, self.pages = folder, version, []

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def page(self, name, title, body, description="", wide=False, scripts=()):
        """Writes the page `name`. `body` is the inside of <main>, with its own h1."""
        up = "../" * name.count("/")
        section = name.rsplit("/", 1)[0] + "/index.html" if "/" in name else name
        links = []
        for label, target in NAVIGATION:
            current = (
                ' aria-current="page"' if target == name else ' aria-current="true"' if target == section else ""
            )
            links.append(f'<a href="{up}{target}"{current}>{label}</a>')
        script = "".join(f'<script src="{up}{each}" defer></script>' for each in ("site.js", *scripts))
        about = f'<meta name="description" content="{escape(description)}">' if description else ""
        self.file(
            name,
            f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{escape(title)} - opledger</title>{about}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{up}site.css">
<link rel="alternate" type="application/rss+xml" title="Policy changes" href="{up}feed.xml">
{script}
</head>
<body{' class="wide"' if wide else ""}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="{up}index.html"><b>op</b>ledger</a><nav aria-label="Site">{"".join(links)}</nav></header>
<main id="main" tabindex="-1">
{body}
</main>
<footer><p>opledger {escape(self.version)}, Apache-2.0. This site loads nothing from elsewhere and records nothing.
<a href="{up}feed.xml">Feed of policy changes</a></p></footer>
</body>
</html>
""",
        )
        self.pages.append(name)

"""Policy changes of the shipped lists, from their git history: the page changes.html and the feed feed.xml (RSS 2.0)."""

# SPDX-License-Identifier: Apache-2.0

import email.utils
import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from xml.sax.saxutils import escape as xml

from .layout import ROOT, escape, tag
from .operators import link
from .policies import POLICIES, changes

PATH = re.compile(r"(?:^|/)lists/([a-z0-9-]+)/((?:b?float16)(?:-[a-z0-9]+)?)\.json$")
NEWEST, NAMES = 100, 40  # entries in the feed; operators that an entry names


def git(*arguments, data=None):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, input=data, check=False)
    return done.stdout if done.returncode == 0 else None


def policies_in(text):
    try:
        data = json.loads(text)
        return {
            (entry if isinstance(entry, str) else entry["op"]): policy
            for policy in POLICIES
            for entry in data.get(policy, [])
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # an early revision had another format


def lists_at(commit):
    """{(framework, label): blob} of the lists that a commit has."""
    found = {}
    for line in git("ls-tree", "-r", commit, "--", "registry/lists", "lists").decode().splitlines():
        head, path = line.split("\t", 1)
        match = PATH.search(path)
        if match:
            found[match[1], match[2]] = head.split()[2]
    return found


def commits():
    """[(commit, time)] that touched lists, oldest first; [] without a history."""
    log = git("log", "--first-parent", "--reverse", "--format=%H %ct", "--", "registry/lists", "lists")
    shallow = git("rev-parse", "--is-shallow-repository")
    if log is None or shallow is None or shallow.strip() == b"true":
        print(
            "ci/site: warning: no complete git history here, so there are no policy changes to show", file=sys.stderr
        )
        return []
    return [(line.split()[0], int(line.split()[1])) for line in log.decode().splitlines()]


def history():
    """[(commit, time, framework, label, [(operator, before, after)], new)], newest first."""
    found, blobs, known = [], {}, {}
    for commit, time in commits():
        for key, blob in sorted(lists_at(commit).items()):
            if blobs.get(key) == blob:
                continue
            policies = policies_in(git("cat-file", "blob", blob))
            if policies is None:
                continue
            changed = changes(known.get(key, {}), policies)
            if changed:
                found.append((commit, time, *key, changed, key not in known))
            blobs[key], known[key] = blob, policies
    return found[::-1]


def title(framework, label, changed, new):
    if new:
        return f"{framework} {label}: new list with {len(changed)} operators"
    kinds = (("added", [None]), ("removed", []), ("moved", []))
    counts = {
        "added": sum(before is None for _, before, _ in changed),
        "removed": sum(after is None for *_, after in changed),
    }
    counts["moved"] = len(changed) - counts["added"] - counts["removed"]
    words = ", ".join(f"{counts[kind]} {kind}" for kind, _ in kinds if counts[kind])
    return f"{framework} {label}: {words}"


def plain(changed):
    rows = [f"{op}: {before or 'no entry'} to {after or 'no entry'}" for op, before, after in changed[:NAMES]]
    return "; ".join(rows) + (f"; and {len(changed) - NAMES} more" if len(changed) > NAMES else "")


def feed(entries, url):
    items = []
    for commit, time, framework, label, changed, new in entries[:NEWEST]:
        name = f"{commit[:12]}-{framework}-{label}"
        items.append(f"""<item>
<title>{xml(title(framework, label, changed, new))}</title>
<link>{xml(url)}changes.html#{name}</link>
<guid isPermaLink="false">opledger:{name}</guid>
<pubDate>{email.utils.formatdate(time, usegmt=True)}</pubDate>
<category>{xml(framework)}</category>
<description>{xml(plain(changed))}</description>
</item>
""")
    built = (
        f"<lastBuildDate>{email.utils.formatdate(entries[0][1], usegmt=True)}</lastBuildDate>\n" if entries else ""
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>opledger: policy changes</title>
<link>{xml(url)}changes.html</link>
<atom:link href="{xml(url)}feed.xml" rel="self" type="application/rss+xml"/>
<description>Changes of the policies in opledger's shipped precision lists.</description>
<language>en-us</language>
{built}{"".join(items)}</channel>
</rss>
"""


def change_rows(framework, changed, known):
    rows = []
    for op, before, after in changed[:400]:
        name = (
            f'<a href="operators/{framework}.html{link(op)}">{escape(op)}</a>'
            if op in known.get(framework, ())
            else escape(op)
        )
        words = [tag(each) if each else "no entry" for each in (before, after)]
        rows.append(f'<li>{name} {words[0]} to {words[1]}</li>' if before else f"<li>{name} {words[1]}</li>")
    more = f"<li>and {len(changed) - 400} more</li>" if len(changed) > 400 else ""
    return f'<ul class="changes">{"".join(rows)}{more}</ul>'


def write(out, url, known):
    entries = history()
    out.file("feed.xml", feed(entries, url))
    days = {}
    for entry in entries:
        days.setdefault(datetime.fromtimestamp(entry[1], timezone.utc).strftime("%B %-d, %Y"), []).append(entry)
    parts = []
    for day, group in days.items():
        rows = "".join(
            f'<details id="{commit[:12]}-{framework}-{label}"><summary>{escape(title(framework, label, changed, new))}'
            f"</summary>{change_rows(framework, changed, known)}</details>"
            for commit, _, framework, label, changed, new in group
        )
        parts.append(f"<h2>{day}</h2>{rows}")
    none = "<p>This site was made without the history of the lists.</p>" if not entries else ""
    out.page(
        "changes.html",
        "Policy changes",
        f"""<h1>Policy changes</h1>
<p class="lead">What changed in the lists that opledger ships, newest first, from their git history. Follow it with the
<a href="feed.xml">feed</a>. What changed between versions of a framework is on
<a href="operators/index.html">its page</a>.</p>{none}
{"".join(parts)}""",
        "Changes of the shipped precision lists",
    )
    return len(entries)

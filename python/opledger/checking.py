"""scan and check: find the operators that C++ source registers, and where they and the precision lists disagree."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import warnings
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

from . import pages
from .arguments import Paths, Strings, paths as given_paths, strings
from .errors import IncompleteWarning
from .models import Scratch
from .programs import PathLike, ProgressOption, option, run_program
from .records import Record
from .wording import VERBS, in_python

INCOMPLETE = 3  # exit status


@dataclass(frozen=True)
class Site(Record):
    """A place in the source that registers an operator. Lines and columns start at 1; columns count bytes."""

    SCHEMA = "operators#/$defs/site"
    path: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    condition: str = ""
    reachable: bool = True
    macro: Optional[str] = None
    call: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class AliasSite(Record):
    """A place that gives an operator another name."""

    SCHEMA = "operators#/$defs/alias_site"
    alias: str
    path: Optional[str] = None
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    condition: str = ""


@dataclass(frozen=True)
class Kernel(Record):
    """Code that runs an operator on one device."""

    SCHEMA = "operators#/$defs/kernel"
    device: str
    label: Optional[str] = None
    types: Optional[Dict[str, Any]] = None
    details: Optional[Dict[str, Any]] = None
    path: Optional[str] = None
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    condition: str = ""


@dataclass(frozen=True)
class Operator(Record):
    """An operator that the source registers. `fields` holds the facts of its registration, by the dialect's names."""

    SCHEMA = "operators#/$defs/operator"
    name: str
    sites: List[Site]
    reachable: bool = True
    exempt: Optional[str] = None
    aliases: List[str] = field(default_factory=list)
    alias_sites: List[AliasSite] = field(default_factory=list)
    since: Optional[int] = None
    fields: Dict[str, Any] = field(default_factory=dict)
    kernels: List[Kernel] = field(default_factory=list)
    earlier: List[Dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Unread(Record):
    """Something that could not be read, and why."""

    SCHEMA = "report#/properties/incomplete/items"
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    stage: str
    detail: str


@dataclass(frozen=True)
class Manifest(Record):
    """All operators of a source tree (schemas/operators.schema.json); `content` is the JSON object."""

    SCHEMA = "operators"
    OWN = ("content",)
    OMITTED = ("configurations", "defaults", "absent", "default_configuration", "relations", "dynamic",
               "unmatched")
    schema: str
    dialect: str
    operators: List[Operator]
    configuration: str = "union"
    files: int = 0
    incomplete: List[Dict[str, Any]] = field(default_factory=list)
    content: Dict[str, Any] = field(default_factory=dict, repr=False)

    def names(self) -> List[str]:
        """Returns the names of all operators, sorted."""
        return [each.name for each in self.operators]

    def save(self, path: PathLike) -> None:
        """Writes operators.json, for `check(operators=...)`."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.content, file)


def _scan_options(dialect: Optional[str], configuration: Optional[str], mode: Optional[str],
                  build: Optional[PathLike], defines: Strings, jobs: Optional[int], cache: bool) -> List[str]:
    arguments = [*option("--dialect", dialect), *option("--configuration", configuration), *option("--mode", mode)]
    for name, value in (("-p", build), ("-j", jobs)):
        arguments += [] if value is None else [name, str(value)]
    for each in strings("defines", defines):
        arguments += ["-D", each]
    return arguments + option("--no-cache", not cache)


def _warn(unread: Sequence[Any]) -> None:
    if unread:
        first = unread[0]
        warnings.warn(IncompleteWarning(f"{len(unread)} parts of the source could not be read; the first: "
                                        f"{first['path']}:{first.get('line', 0)}: "
                                        f"{in_python(first.get('detail', ''), VERBS['scan'])}"),
                      stacklevel=3)


def scan(source: PathLike = ".", paths: Paths = (), *, dialect: Optional[str] = None,
         configuration: Optional[str] = None, mode: Optional[str] = None, build: Optional[PathLike] = None,
         defines: Strings = (), jobs: Optional[int] = None, cache: bool = True, config: Optional[PathLike] = None,
         progress: ProgressOption = None) -> Manifest:
    """Returns every operator that a C++ source tree registers.

    `source` is a folder of the tree; the project file is searched from there upwards. `paths` are files and folders
    of it, or one of them; by default all. `defines` are "NAME=VALUE", one or several. `dialect` is a name or a file; by
    default the project's, otherwise the one that fits. The other arguments are the options of `opledger scan`.
    `progress` is called with the number of files (an opledger.Progress).

    Raises OpledgerError. Warns with IncompleteWarning if part of the source could not be read (see `incomplete`).

    >>> opledger.scan(".").names()[:3]
    ['_backward_abs', '_backward_exp', '_backward_hard_swish']
    """
    arguments = _scan_options(dialect, configuration, mode, build, defines, jobs, cache)
    scratch = Scratch()
    written = scratch.path / "operators.json"
    run_program(["-C", os.fspath(source), *option("--config", config), "scan", *arguments, "-o", str(written),
                 *given_paths("paths", paths)], expected=(0, INCOMPLETE), progress=progress)
    data = json.loads(written.read_bytes())
    _warn(data.get("incomplete", ()))
    return Manifest.of({**data, "content": data})


@dataclass(frozen=True)
class Location(Record):
    """A place in a file. Lines and columns start at 1; columns count bytes, and the end is exclusive. Line 0 means the
    whole file."""

    SCHEMA = "report#/$defs/location"
    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


@dataclass(frozen=True)
class Related(Record):
    """Another place that a finding refers to."""

    SCHEMA = "report#/$defs/finding/properties/related/items"
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str


@dataclass(frozen=True)
class Edit(Record):
    """Bytes of a file to be replaced."""

    SCHEMA = "report#/$defs/finding/properties/suggestions/items/properties/edits/items"
    path: str
    offset: int
    length: int
    text: str


@dataclass(frozen=True)
class Suggestion(Record):
    """A command that fixes a finding, and its edits. `safe`: `--fix` applies them."""

    SCHEMA = "report#/$defs/finding/properties/suggestions/items"
    command: str
    edits: List[Edit]
    safe: bool = False


@dataclass(frozen=True)
class Support(Record):
    """Evidence for a policy."""

    SCHEMA = "report#/$defs/finding/properties/candidates/items/properties/support/items"
    RENAMED = {"of": "of_all"}
    clue: str
    value: str
    agreeing: int
    of_all: int
    elsewhere: bool
    weight: float
    text: str


@dataclass(frozen=True)
class Candidate(Record):
    """A policy that an operator may have, its probability (0 to 1), and the evidence."""

    SCHEMA = "report#/$defs/finding/properties/candidates/items"
    policy: str
    probability: float
    support: List[Support]


@dataclass(frozen=True)
class Finding(Record):
    """A disagreement of source and lists. `status` is "new", "baseline" or "suppressed"; only new findings count."""

    SCHEMA = "report#/$defs/finding"
    rule: str
    severity: str
    status: str
    operator: str
    list: str
    message: str
    location: Location
    related: List[Related]
    suggestions: List[Suggestion]
    fingerprint: str
    reason: Optional[str] = None
    candidates: List[Candidate] = field(default_factory=lambda: [])
    dialect: Optional[str] = None  # if the project has several

    def __str__(self) -> str:
        return f"{self.location}: {self.severity}: {self.message} [{self.rule}]"


@dataclass(frozen=True)
class ListCounts(Record):
    """Operators with and without a policy in one list."""

    SCHEMA = "report#/$defs/summary/properties/by_list/additionalProperties"
    absent: int
    classified: int
    unclassified: int
    undecided: int = 0
    unlisted: int = 0


@dataclass(frozen=True)
class Summary(Record):
    """Counts of a check; the sum over all dialects if the project has several."""

    SCHEMA = "report#/$defs/summary"
    dialect: str
    operators: int
    exempt: int
    files: int
    errors: int
    warnings: int
    notes: int
    ignored: int
    baseline: int
    resolved: int
    by_list: Dict[str, ListCounts]
    by_rule: Dict[str, int]
    off: int = 0
    of_revision: int = 0
    excluded: int = 0
    evidence: Optional[Dict[str, List[str]]] = None


class Findings(List[Finding]):
    """The findings of a check, as a list. `summary` has the counts, `incomplete` what could not be read, and `failed`
    is true if a finding is at least as severe as `fail_on`. Notebooks display it as a table."""

    def __init__(self, findings: Iterable[Finding], summary: Summary, incomplete: Sequence[Unread],
                 failed: bool) -> None:
        super().__init__(findings)
        self.summary, self.incomplete, self.failed = summary, list(incomplete), failed

    def _repr_html_(self) -> str:
        return _page_of(self)


def _page_of(findings: Findings) -> str:
    """Returns the new findings, each with its fix."""
    new = [each for each in findings if each.status == "new"]
    summary = findings.summary
    parts = [f"<p><b>{pages.escape(summary.dialect)}</b>: {summary.operators} operators, {summary.errors} errors, "
             f"{summary.warnings} warnings, {summary.notes} notes</p>"]
    if new:
        parts += [pages.table(("severity", "place", "finding", "rule", "command"),
                              [(each.severity, each.location, each.message, each.rule,
                                each.suggestions[0].command if each.suggestions else "")
                               for each in new[:pages.MOST_ROWS]]),
                  pages.more(len(new))]
    if findings.incomplete:
        parts.append(f"<p><b>{len(findings.incomplete)} parts of the source could not be read</b></p>")
    return "".join(parts)


def check(source: PathLike = ".", paths: Paths = (), *, operators: Optional[PathLike] = None,
          lists: Paths = (), dialect: Optional[str] = None, configuration: Optional[str] = None,
          mode: Optional[str] = None, build: Optional[PathLike] = None, defines: Strings = (),
          jobs: Optional[int] = None, cache: bool = True, config: Optional[PathLike] = None,
          baseline: Optional[PathLike] = None, evidence: Optional[PathLike] = None, select: Strings = (),
          ignore: Strings = (), severities: Optional[Mapping[str, str]] = None, fail_on: str = "warning",
          against: Optional[str] = None, staged: bool = False, progress: ProgressOption = None) -> Findings:
    """Checks the operators of a source tree against its precision lists.

    `source` is a folder of the tree, and the other paths are relative to it. `operators` is an earlier scan. `lists`
    replaces the project's lists, or selects some of them by label ("float16"). `against` is a git revision whose
    findings do not count. `severities` maps rules to "error", "warning", "note" or "off". For `paths`, `lists`,
    `defines`, `select` and `ignore`, a string is one item. The other arguments are the options of `opledger check`. No
    file is changed.

    Raises OpledgerError if there is no list or no operator, or a file is unreadable. IncompleteWarning as in `scan`.

    >>> findings = opledger.check(".")
    >>> print(findings[0])
    src/activation.cc:8:35: error: operator 'hard_swish' has no policy in list 'float16' [unclassified-operator]
    >>> findings[0].candidates[0].policy, findings.summary.errors
    ('either', 1)
    """
    scratch = Scratch()
    written = scratch.path / "report.json"
    arguments = _scan_options(dialect, configuration, mode, build, defines, jobs, cache)
    arguments += option("--operators", operators) + option("--list", given_paths("lists", lists))
    arguments += option("--baseline", baseline) + option("--evidence", evidence)
    arguments += option("--select", ",".join(strings("select", select)) or None)
    arguments += option("--ignore", ",".join(strings("ignore", ignore)) or None)
    arguments += option("--severity", [f"{rule}={level}" for rule, level in (severities or {}).items()])
    arguments += option("--against", against) + option("--staged", staged) + option("--fail-on", fail_on)
    done = run_program(["-C", os.fspath(source), *option("--config", config), "-q", "check", *arguments,
                        f"--output-format=json={written}", *given_paths("paths", paths)],
                       expected=(0, 1, INCOMPLETE), progress=progress)
    data = json.loads(written.read_bytes())
    _warn(data["incomplete"])
    return Findings(map(Finding.of, data["findings"]), Summary.of(data["summary"]),
                    list(map(Unread.of, data["incomplete"])), done.status != 0)

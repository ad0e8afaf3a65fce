"""What goes wrong, as the programs tell it: a file, a line, a column, a message and what to do."""
# SPDX-License-Identifier: Apache-2.0

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from .printable import printable


@dataclass(frozen=True)
class Diagnostic:
    """One thing that a program has to say (schemas/diagnostic.schema.json).

    `severity` is "error", "warning" or "note". `path` is None where it is about the call itself. Lines and
    columns begin at 1; columns count bytes.
    """

    severity: str
    message: str
    path: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    hint: Optional[str] = None

    def __str__(self) -> str:
        place = printable(self.path or "opledger")
        if self.line is not None:
            place += f":{self.line}:{self.column}"
        text = f"{place}: {self.severity}: {printable(self.message)}"
        return text + (f"\nhint: {printable(self.hint)}" if self.hint else "")


class OpledgerError(Exception):
    """A program could not do what it was asked to.

    `diagnostics` holds what it said, errors first; `command` is what was run, `exit_status` how it ended (None:
    it was not started), `output` what else stood on its standard error.

    >>> try:
    ...     opledger.convert("no such model.onnx")
    ... except opledger.OpledgerError as error:
    ...     print(error)
    ...     print(error.diagnostics[0].path)
    no such model.onnx: error: cannot read: No such file or directory
    no such model.onnx
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = (), command: Sequence[str] = (),
                 exit_status: Optional[int] = None, output: str = "") -> None:
        super().__init__(message)
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)
        self.command: Tuple[str, ...] = tuple(command)
        self.exit_status = exit_status
        self.output = output


class ProgramNotFound(OpledgerError):
    """The programs of opledger are not where this package looks for them."""


class ProgramCrashed(OpledgerError):
    """A program ended by a signal (`exit_status` is its number, negative): a bug of ours, or no memory."""


class IncompleteWarning(UserWarning):
    """Part of a source tree could not be read, so a scan or a check does not tell everything."""

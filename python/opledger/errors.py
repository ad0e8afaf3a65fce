"""Errors and diagnostics as the programs report them: a file, a line, a column, a message and a hint."""
# SPDX-License-Identifier: Apache-2.0

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from .printable import printable


@dataclass(frozen=True)
class Diagnostic:
    """A diagnostic of a program (schemas/diagnostic.schema.json).

    `severity` is "error", "warning" or "note". `path` is None if it is about the call itself. Lines and
    columns start at 1; columns count bytes.
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
    """A program failed.

    `diagnostics` holds its diagnostics, errors first; `command` is the command line, `exit_status` the exit status
    (None: it was not started), `output` the other text on its standard error.

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
    """A signal ended the program (`exit_status` is its negative number): a bug in opledger, or no memory."""


class IncompleteWarning(UserWarning):
    """Part of a source tree could not be read, so the result of a scan or a check is incomplete."""

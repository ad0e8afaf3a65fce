"""Finds the programs, runs them, and turns their standard error into diagnostics and progress.

Nothing is ever printed: warnings and notes go to the logger "opledger".
"""
# SPDX-License-Identifier: Apache-2.0

import json
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, IO, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import Diagnostic, OpledgerError, ProgramCrashed, ProgramNotFound
from .wording import in_python, verb_of

logger = logging.getLogger("opledger")
logger.addHandler(logging.NullHandler())

PathLike = Union[str, "os.PathLike[str]"]
SECONDS_TO_END = 5.0


@dataclass(frozen=True)
class Progress:
    """The progress of a program: `done` of `total` (None: unknown) of `what` ("runs", "scanning")."""

    what: str
    done: int
    total: Optional[int] = None


ProgressCallback = Callable[[Progress], None]
# True: a tqdm bar if tqdm is installed, otherwise nothing.
ProgressOption = Union[bool, None, ProgressCallback]


@dataclass(frozen=True)
class Completed:
    """The output of a program that ended with an expected status."""

    status: int
    output: bytes
    diagnostics: Tuple[Diagnostic, ...]

    def json(self) -> Any:
        return json.loads(self.output)


def find_program() -> str:
    """Returns the path of the main program `opledger`: in $OPLEDGER_PROGRAMS if it is set, otherwise in the nearest
    `bin` above this package (of an environment, a prefix, or a build of the source tree), otherwise on the PATH.

    Raises ProgramNotFound.
    """
    chosen = os.environ.get("OPLEDGER_PROGRAMS")
    if chosen:
        program = Path(chosen) / "opledger"
        if not program.is_file():
            raise ProgramNotFound(f"$OPLEDGER_PROGRAMS is {chosen}, which does not contain the program 'opledger'")
        return str(program)
    for folder in Path(__file__).resolve().parents:
        for place in ("bin", "build/bin"):
            program = folder / place / "opledger"
            if program.is_file():
                return str(program)
    found = shutil.which("opledger")
    if found is None:
        raise ProgramNotFound("the program 'opledger' was not found: install the wheel or the Debian package, or set "
                              "the environment variable OPLEDGER_PROGRAMS to its folder")
    return found


def data_folder() -> Path:
    """Returns the folder of the programs' lists, dialects and schemas."""
    chosen = os.environ.get("OPLEDGER_DATA_DIR")
    return Path(chosen) if chosen else Path(find_program()).resolve().parents[1] / "share/opledger"


def environment(**more: str) -> Dict[str, str]:
    """Returns a program's environment, without user settings that would change its output."""
    own = {name: value for name, value in os.environ.items() if name != "OPLEDGER_OUTPUT_FORMAT"}
    own.update(more, OPLEDGER_DIAGNOSTICS="json")
    return own


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Defers an interrupt (Ctrl-C) to the end of the block: a program that `Popen` is just starting would otherwise
    keep running unnoticed. Python handles interrupts only in the main thread; in others this does nothing."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: List[Any] = []
    signal.signal(signal.SIGINT, lambda *interrupt: came.append(interrupt))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[0])


def end(process: "subprocess.Popen[bytes]") -> None:
    """Stops a program if it is still running, and waits for it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def bar_or_callback(progress: ProgressOption) -> Optional[ProgressCallback]:
    if not progress:
        return None
    if progress is not True:
        return progress
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return None
    bar = tqdm(leave=False)

    def show(step: Progress) -> None:
        bar.desc, bar.total, bar.n = step.what, step.total, step.done
        bar.refresh()

    return show


class Said:
    """Lines of standard error: diagnostics with flags translated to arguments, progress, and other lines."""

    def __init__(self, command: Sequence[str], names: Mapping[str, str],
                 progress: Optional[ProgressCallback] = None) -> None:
        self.command, self.names, self.progress = command, names, progress
        self.verb = verb_of(command[1:])
        self.diagnostics: List[Diagnostic] = []
        self.other: List[str] = []

    def take(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\n")
        try:
            said = json.loads(text)
            if "progress" not in said:
                self.diagnostics.append(self.diagnostic(said))
            elif self.progress is not None:
                self.progress(Progress(said["progress"], said["done"], said.get("total")))
        except (ValueError, KeyError, TypeError, AttributeError):
            self.other.append(text)

    def diagnostic(self, said: Mapping[str, Any]) -> Diagnostic:
        path = said.get("path")
        hint = said.get("hint")
        return Diagnostic(said["severity"], self.rename(in_python(said["message"], self.verb)),
                          self.rename(path) if path else None, said.get("line"), said.get("column"),
                          in_python(hint, self.verb) if hint else None)

    def rename(self, text: str) -> str:
        for path, name in self.names.items():
            text = text.replace(path, name)
        return text

    def error(self, status: int) -> OpledgerError:
        name = self.verb.function if self.verb else Path(self.command[0]).name
        errors = [each for each in self.diagnostics if each.severity == "error"]
        others = [each for each in self.diagnostics if each.severity != "error"]
        text = "\n".join(str(each) for each in errors) or "\n".join(self.other)
        if status < 0:
            try:
                by = signal.Signals(-status).name
            except ValueError:
                by = f"signal {-status}"
            said = f"the program of {name} was ended by {by}" + ("\n" + text if text else "")
            return ProgramCrashed(said, errors + others, self.command, status, "\n".join(self.other))
        return OpledgerError(text or f"the program of {name} ended with exit status {status}", errors + others,
                             self.command, status, "\n".join(self.other))

    def log(self) -> None:
        for each in self.diagnostics:
            logger.log(logging.WARNING if each.severity == "warning" else logging.INFO, "%s", each)


def run_program(arguments: Sequence[str], *, expected: Sequence[int] = (0,), descriptors: Sequence[int] = (),
                names: Optional[Mapping[str, str]] = None, progress: ProgressOption = None,
                log: bool = True) -> Completed:
    """Runs `opledger ARGUMENTS...` until it ends. `names`: what to call the paths of files that have no name.

    Raises OpledgerError with the program's diagnostics if it ends with an unexpected status.
    An interrupt (Ctrl-C) ends the program, and is raised again.
    """
    command = [find_program(), *arguments]
    said = Said(command, names or {}, bar_or_callback(progress))
    process: Optional["subprocess.Popen[bytes]"] = None
    with tempfile.TemporaryFile() as output:
        try:
            with interrupts_later():
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                                           env=environment(), pass_fds=tuple(descriptors))
            stderr: IO[bytes] = process.stderr  # type: ignore[assignment]
            with stderr:
                for line in stderr:
                    said.take(line)
                status = process.wait()
        except BaseException:
            if process is not None:
                end(process)
            raise
        if status not in expected:
            raise said.error(status)
        if log:
            said.log()
        output.seek(0)
        return Completed(status, output.read(), tuple(said.diagnostics))


def option(name: str, value: Union[None, bool, int, float, str, PathLike, Sequence[str]]) -> List[str]:
    """Returns a command-line option: nothing for None and False, its name for True, NAME=VALUE for each value."""
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, (str, int, float, os.PathLike)):
        return [f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]
    return [f"{name}={each}" for each in value]

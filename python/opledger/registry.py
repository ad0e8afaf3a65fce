"""Lists the operators that a running framework has registered, for `opledger scan --verify`.

    python -m opledger.registry onnx --names -o names.json
    python -m opledger.registry torchvision

The framework is imported in a separate process: by the same interpreter, isolated (`-I`) and in an empty folder, so
that only installed packages are found, not a folder `torch/` of a checkout. `running_operators.py` runs there.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import keyword
import os
import signal
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Dict, List, Optional, Sequence, Union

from .arguments import Strings, strings
from .errors import Diagnostic, OpledgerError, ProgramCrashed
from .printable import printable
from .programs import interrupts_later
from .wording import REGISTRY, in_python

# Framework -> its name for pip.
FRAMEWORKS = {"mxnet": "mxnet", "onnx": "onnx", "onnxruntime": "onnxruntime", "tensorflow": "tensorflow",
              "torch": "torch", "tvm": "apache-tvm"}
CANNOT = 3  # exit status on failure; the same as that of `opledger` if something could not be read
SECONDS = 300.0
CHILD = Path(__file__).with_name("running_operators.py")


def read_registry(name: str, *, imports: Strings = (), extends: str = "torch", timeout: float = SECONDS,
                  output: Union[None, int, IO[Any]] = None) -> Dict[str, Any]:
    """Returns the operators that an installed framework has registered. `name` is "torch", "tensorflow", "onnx",
    "onnxruntime", "mxnet" or "tvm"; or a package, in which case only operators that it adds to the framework
    `extends` are returned. `imports` are further modules that register operators, one or several. What they print goes
    to the file `output`, otherwise to the `output` of an error.

    Returns a JSON object (schemas/running-operators.schema.json), with operators sorted by name.

    Raises ValueError for invalid names, OpledgerError if the package is not installed, fails, or takes longer than
    `timeout` seconds, and ProgramCrashed if it crashes.

    >>> from opledger.registry import read_registry
    >>> onnx = read_registry("onnx")
    >>> [each["since"] for each in onnx["operators"] if each["name"] == "Celu"][:1]
    [12]
    """
    try:
        return _read(name, strings("imports", imports), extends, timeout, output)
    except OpledgerError as error:
        told = [replace(each, hint=in_python(each.hint, REGISTRY) if each.hint else None) for each in error.diagnostics]
        raise type(error)("\n".join(map(str, told)), told, error.command, error.exit_status, error.output) from None


def _read(name: str, imports: Sequence[str], extends: str, timeout: float,
          output: Union[None, int, IO[Any]]) -> Dict[str, Any]:
    """Like `read_registry`, with hints for the command line."""
    for each in (name, *imports):
        check_name(each)
    if name in FRAMEWORKS:
        result = ask({"framework": name, "imports": imports}, timeout, output)
    else:
        if extends not in FRAMEWORKS:
            raise ValueError(f"'{extends}' is not one of the frameworks {', '.join(FRAMEWORKS)}")
        if name.partition(".")[0] in FRAMEWORKS:
            top = name.partition(".")[0]
            raise ValueError(f"'{name}' is part of a framework: read '{top}' and also import '{name}'")
        result = ask({"framework": extends, "package": name, "imports": imports}, timeout, output)
        loaded = [each for each in result.pop("loaded") if is_name(each)]
        if loaded and result["operators"]:  # the framework's own modules may have added some of them
            alone = ask({"framework": extends, "imports": loaded, "tolerant": True}, timeout, output)
            own = {(each["name"], each.get("since")) for each in alone["operators"]}
            result["operators"] = [each for each in result["operators"] if (each["name"], each.get("since")) not in own]
    result["operators"].sort(key=lambda each: (each["name"], each.get("since", 0)))
    return result


def names_of(registry: Dict[str, Any]) -> List[str]:
    """Returns the names of a registry's operators for `scan --verify`; for ONNX each with its version, "Abs-13".

    >>> from opledger.registry import names_of, read_registry
    >>> "ai.onnx.ml.ZipMap-1" in names_of(read_registry("onnx"))
    True
    """
    if registry["framework"] == "onnx":
        return [f"{each['name']}-{each['since']}" for each in registry["operators"]]
    # Kernels of undefined operators do not count.
    defined = [each for each in registry["operators"] if "schema" in each] or registry["operators"]
    return sorted({each["name"] for each in defined})


def is_name(text: str) -> bool:
    return all(part.isidentifier() and part.isascii() and not keyword.iskeyword(part) for part in text.split("."))


def check_name(text: str) -> None:
    if not is_name(text):
        raise ValueError(f"{text!a} is not the name of a package or module")


def environment(folder: str) -> Dict[str, str]:
    """Returns the user's environment without variables that affect Python and its children."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name != "OLDPWD"}
    return {**own, "PWD": folder}


def end(process: "subprocess.Popen[bytes]") -> None:
    """Stops a process and its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(command: Sequence[str], folder: str, prints: Union[int, IO[Any]], timeout: float) -> Optional[int]:
    """Runs a process in a folder and returns its status, or None if it took too long."""
    process: Optional["subprocess.Popen[bytes]"] = None
    try:
        with interrupts_later():
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=prints, stderr=prints, cwd=folder,
                                       env=environment(folder), start_new_session=True)
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process is not None:
            end(process)


def ask(job: Dict[str, Any], timeout: float, output: Union[None, int, IO[Any]]) -> Dict[str, Any]:
    """Returns what running_operators.py writes about a framework."""
    about = job.get("package") or job["framework"]
    with tempfile.TemporaryDirectory(prefix="opledger-registry-") as scratch, tempfile.TemporaryFile() as kept:
        folder, place = os.path.join(scratch, "empty"), os.path.join(scratch, "result.json")
        os.mkdir(folder)
        command = [sys.executable, "-I", "-X", "faulthandler", str(CHILD), json.dumps(job), place]
        status = run(command, folder, kept if output is None else output, timeout)
        kept.seek(0)
        printed = kept.read().decode("utf-8", "replace")
        if status is None:
            raise failed(f"'{about}' gave no answer within {timeout:g} seconds and was stopped",
                         "--timeout SECONDS allows more time", command, None, printed)
        if status < 0:
            diagnostic = Diagnostic("error", f"Python was ended by {signal_name(-status)} while it imported '{about}'")
            raise ProgramCrashed(str(diagnostic), (diagnostic,), command, status, printed)
        try:
            result: Dict[str, Any] = json.loads(Path(place).read_text(encoding="ascii"))
        except (OSError, ValueError):
            raise failed(f"Python ended with status {status} while it imported '{about}', without a result", None,
                         command, status, printed) from None
    if "error" in result:
        raise told_error(result, command, printed)
    return result


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def failed(message: str, hint: Optional[str], command: Sequence[str], status: Optional[int], printed: str) -> OpledgerError:
    diagnostic = Diagnostic("error", message, hint=hint)
    return OpledgerError(str(diagnostic), (diagnostic,), command, status, printed)


def told_error(result: Dict[str, Any], command: Sequence[str], printed: str) -> OpledgerError:
    module, text, hint = printable(result["module"]), printable(result["text"]), None
    if result["error"] == "missing":
        message = f"'{module}' is not installed for {printable(sys.executable)}"
        hint = (f"`pip install {FRAMEWORKS.get(module, module)}` in its environment, or use the Python that has it; the "
                "current folder, PYTHONPATH and the user's own site-packages are not searched")
    elif result["error"] == "import":
        message = f"'{module}' cannot be imported: {text}"
    else:
        message = f"the operators of '{module}' cannot be listed: {text}"
    return failed(message, hint, command, 0, printed)


def write(path: str, text: str) -> None:
    """Writes a file next to the target and renames it; writes directly to pipes and devices."""
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        target.write_text(text, encoding="ascii")
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="ascii")
        os.replace(beside, target)
    finally:
        if beside.exists():
            beside.unlink()


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError(text)
    return value


def arguments_of(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m opledger.registry", description="Imports an installed framework, or a package that adds operators "
        "to one, in a separate process, and prints the operators that it has registered as JSON.")
    parser.add_argument("name", metavar="NAME", help=f"{', '.join(FRAMEWORKS)}, or a package")
    parser.add_argument("--names", action="store_true",
                        help="print only the names, for `opledger scan --verify`; for ONNX with versions: Abs-13")
    parser.add_argument("--import", dest="imports", metavar="MODULE", action="append", default=[],
                        help="another module that registers operators; may be repeated")
    parser.add_argument("--extends", metavar="FRAMEWORK", choices=FRAMEWORKS, default="torch",
                        help="the framework that the package extends; default: torch")
    parser.add_argument("--timeout", metavar="SECONDS", type=seconds, default=SECONDS,
                        help=f"time limit of the import; default: {SECONDS:g}")
    parser.add_argument("-o", dest="output", metavar="FILE", default="-", help="output file; default: standard output")
    return parser.parse_args(words)


def main(words: Optional[Sequence[str]] = None) -> int:
    """Returns the exit status: 0; 2 if the command line is wrong or the file cannot be written; 3 on failure."""
    options = arguments_of(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the process is ended, too
    try:
        registry = _read(options.name, options.imports, options.extends, options.timeout, 2)
        told: Any = names_of(registry) if options.names else registry
        write(options.output, json.dumps(told, indent=1) + "\n")
    except OpledgerError as error:
        print(error, file=sys.stderr)
        return CANNOT
    except ValueError as error:
        print(Diagnostic("error", str(error)), file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # otherwise Python would try again at exit
        print(Diagnostic("error", f"cannot write: {error.strerror}", printable(options.output)), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


if __name__ == "__main__":
    sys.exit(main())

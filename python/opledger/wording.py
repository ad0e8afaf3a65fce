"""Translates the programs' messages for Python: a flag becomes an argument of the called function, and a command line
that has a corresponding function becomes a call.

    "name one with --list FILE"                      ->  'name one with lists="FILE"' (of check)
    "use `opledger convert --target-dtype float32`"  ->  'use `opledger.convert(target_dtype="float32")`'

Commands without a function (`opledger init`) stay as they are: users type them in a shell.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import re
import shlex
from typing import Dict, Iterable, List, Mapping, Match, NamedTuple, Optional, Tuple


class Parameter(NamedTuple):
    """The argument that corresponds to a flag. `kind`: "text", "number", "pair" (NAME=VALUE), "array" (NAME=FILE, in
    Python an array), "shape" (NAME=D,D, or NAME=LO,HI), or, for a flag without a value, "true" or "false", the value of
    the argument. `words`: values that messages contain without quotes."""

    name: str
    kind: str = "text"
    words: Tuple[str, ...] = ()


class Verb(NamedTuple):
    function: str
    parameters: Mapping[str, Parameter]


_DTYPES = ("float16", "bfloat16", "float32")
_KERNELS = Parameter("kernels", words=("fast", "reference"))
_LIST = Parameter("precision_list")
_SCAN = {"--dialect": Parameter("dialect"), "--configuration": Parameter("configuration", words=("union",)),
         "--mode": Parameter("mode", words=("fast", "exhaustive")), "-p": Parameter("build"),
         "-D": Parameter("defines"), "-j": Parameter("jobs", "number"), "--no-cache": Parameter("cache", "false"), "--config": Parameter("config"),
         "-C": Parameter("source")}
_CHECK = {**_SCAN, "--operators": Parameter("operators"), "--list": Parameter("lists", words=("all",)),
          "--baseline": Parameter("baseline"), "--evidence": Parameter("evidence"), "--select": Parameter("select"),
          "--ignore": Parameter("ignore"), "--severity": Parameter("severities", "pair"),
          "--fail-on": Parameter("fail_on"), "--against": Parameter("against"), "--staged": Parameter("staged", "true")}
_HAZARDS = {"--hazards": Parameter("hazards", words=("raise", "report")),
            "--quantized-islands": Parameter("quantized_islands", words=("keep", "convert")),
            "--input-range": Parameter("input_ranges", "shape")}
_CONVERT = {"-o": Parameter("output"), "--output": Parameter("output"),
            "--target-dtype": Parameter("target_dtype", words=_DTYPES), "--list": _LIST,
            "--target-ops": Parameter("target_ops"), "--fp32-ops": Parameter("fp32_ops"),
            "--widest-ops": Parameter("widest_ops"), "--exclude": Parameter("exclude"),
            "--io-types": Parameter("io_types", words=("keep", "low")), "--keep-io": Parameter("keep_io"),
            "--unlisted": Parameter("unlisted", words=("error", "warn", "ignore")), "--report": Parameter("report"),
            "--cost": Parameter("cost", words=("casts", "bytes")), "--input-shape": Parameter("input_shapes", "shape"),
            "--small-constants": Parameter("small_constants", words=("keep", "clamp")),
            **_HAZARDS, "--inputs-from": Parameter("samples"),
            "--taint": Parameter("taint", "true"), "--profile": Parameter("profile"),
            "--opset": Parameter("opset", "number", ("auto", "keep")), "--strict": Parameter("strict", "true"),
            "--min-elements": Parameter("min_elements", "number"), "--storage-only": Parameter("storage_only", "true"),
            "--sidecar": Parameter("sidecar"), "--dry-run": Parameter("dry_run", "true"),
            "--inline-functions": Parameter("inline_functions", "true"), "--cse": Parameter("cse", "true"),
            "--fuse": Parameter("fuse", "true"), "--params": Parameter("params"),
            "--cast-params-offline": Parameter("cast_params_offline", "true"),
            "--cast-params-at-run-time": Parameter("cast_params_offline", "false"),
            "--input-dtype": Parameter("input_dtypes", "pair"), "--param-dtype": Parameter("param_dtypes", "pair")}
_INSPECT = {**{name: _CONVERT[name] for name in ("--target-dtype", "--list", "--params", "--input-range",
                                                 "--input-shape")},
            "--nodes": Parameter("nodes", "true"), "--values": Parameter("values", "true")}
_REVERT = {name: _CONVERT[name] for name in ("-o", "--output", "--sidecar", "--params")}
_ON_SAMPLES = {"--list": _LIST, **_HAZARDS, "--input": Parameter("samples", "pair"),
               "--inputs-from": Parameter("samples"), "--input-shape": Parameter("input_shapes", "shape"),
               "--max-error": Parameter("max_error", "number"), "--kernels": _KERNELS, "--params": Parameter("params"), "--memory-limit": Parameter("memory_limit")}
_COMPARE = {**_ON_SAMPLES, "--autocast": Parameter("autocast", words=_DTYPES),
            "--small-constants": _CONVERT["--small-constants"], "--second-params": Parameter("second_params")}
_TUNE = {**_ON_SAMPLES, "-o": Parameter("output"), "--output": Parameter("output"),
         "--target-dtype": Parameter("target_dtype", words=_DTYPES), "--beyond-list": Parameter("beyond_list", "true"),
         "--time-budget": Parameter("time_budget", "number")}
_RUN = {"--list": _LIST, **_HAZARDS, "--input": Parameter("inputs", "array"),
        "--device": Parameter("device", words=("cpu", "cuda", "cuda-only")),
        "--autocast": Parameter("autocast", words=_DTYPES), "--small-constants": _CONVERT["--small-constants"],
        "--kernels": _KERNELS, "--params": Parameter("params"), "--threads": Parameter("threads", "number"),
        "--memory-limit": Parameter("memory_limit")}

VERBS: Dict[str, Verb] = {
    "scan": Verb("opledger.scan", _SCAN), "check": Verb("opledger.check", _CHECK),
    "convert": Verb("opledger.convert", _CONVERT), "inspect": Verb("opledger.inspect", _INSPECT),
    "revert": Verb("opledger.revert", _REVERT), "compare": Verb("opledger.compare", _COMPARE),
    "tune": Verb("opledger.tune", _TUNE), "run": Verb("opledger.run", _RUN)}
# python -m opledger.registry
REGISTRY = Verb("opledger.registry.read_registry", {
    "--import": Parameter("imports"), "--extends": Parameter("extends"), "--timeout": Parameter("timeout", "number")})

# A value after a flag: quoted, NAME=VALUE, a placeholder of help texts, a number, or a word that may be a value.
_VALUE = (r"(?:[ =](?:'(?P<quoted>[^']*)'"
          r"|(?P<pair>[^\s='`,;]+=(?:[^\s`;,]|,(?=\S))*)(?P<other>, or =\w+)?"
          r"|(?P<name>[A-Z]+(?:[|=,][A-Z]+)*)(?!\w)"
          r"|(?P<bare>\w[\w.-]*)))?")
_WORDS = re.compile(r"(?P<command>`opledger [^`]*`)|(?<![\w'])(?P<text>'[^']*')"
                    r"|(?<![\w-])(?P<flag>--?[A-Za-z][\w-]*)" + _VALUE)


def verb_of(words: Iterable[str]) -> Optional[Verb]:
    """Returns the verb of a command line: the first word that names one, ignoring the values of flags before it."""
    rest = iter(words)
    for word in rest:
        if word in ("-C", "--config", "--color", "--git-timeout", "--lock-timeout"):
            next(rest, None)
        elif word in VERBS:
            return VERBS[word]
    return None


def in_python(text: str, verb: Optional[Verb]) -> str:
    """Translates a program's message for the caller of a function."""
    def replaced(match: Match[str]) -> str:
        if match["command"]:
            return f"`{_call(match['command'][1:-1])}`"
        parameter = verb.parameters.get(match["flag"]) if verb and match["flag"] else None
        return match[0] if parameter is None else _with_value(parameter, match)
    return _WORDS.sub(replaced, text)


def _with_value(parameter: Parameter, match: Match[str]) -> str:
    """Returns an argument with the text after its flag, if that is a value and not the rest of the sentence."""
    rest = match[0][len(match["flag"]):]
    if parameter.kind in ("true", "false"):
        return _argument(parameter, "") + rest
    if match["quoted"] is not None:
        return _argument(parameter, match["quoted"])
    if match["pair"] is not None:
        value = re.sub(r":$|(?<!\.)\.$", "", match["pair"])
        other = f', or {_quoted(match["other"][6:])}' if match["other"] and parameter.kind == "pair" else ""
        return _argument(parameter, value) + (other if match["other"] else match["pair"][len(value):])
    if match["name"] is not None:
        return _argument(parameter, match["name"])
    bare = match["bare"]
    is_value = bare is not None and (bare in parameter.words or
                                     parameter.kind == "number" and bare.replace(".", "").isdigit())
    return _argument(parameter, bare) if is_value else parameter.name + rest


def _argument(parameter: Parameter, value: str) -> str:
    name, kind = parameter.name, parameter.kind
    if kind in ("true", "false"):
        return f"{name}={kind.title()}"
    if kind in ("pair", "array", "shape") and "=" in value:
        key, _, text = value.partition("=")
        is_open = kind == "array" or not text.strip(".")
        shown = _sizes(text) if kind == "shape" else "..." if is_open else _quoted(text)
        return f"{name}={{{_quoted(key)}: {shown}}}"
    is_number = kind == "number" and value not in parameter.words
    return f"{name}={value if is_number else _quoted(value)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _sizes(text: str) -> str:
    sizes = [each for each in text.split(",") if each]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})" if sizes else "(...)"


def _call(command: str) -> str:
    """Returns a command line as a call, or unchanged if no function does the same."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    verb = VERBS.get(words[1]) if len(words) > 1 else None
    if verb is None:
        return command
    if words[2:] == ["--help"]:
        return f"help({verb.function})"
    arguments: List[str] = []
    rest = words[2:]
    while rest:
        flag, _, value = rest.pop(0).partition("=")
        if not flag.startswith("-"):
            arguments.append(_quoted(flag))
            continue
        parameter = verb.parameters.get(flag)
        if parameter is None:
            return command
        takes = parameter.kind not in ("true", "false")
        if takes and not value:
            value = rest.pop(0) if rest and not rest[0].startswith("-") else ""
        arguments.append(_argument(parameter, value) if value or not takes else f"{parameter.name}=...")
    return f"{verb.function}({', '.join(arguments)})"

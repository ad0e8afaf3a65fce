"""convert, inspect and revert: models in mixed precision, and back."""
# SPDX-License-Identifier: Apache-2.0

import html
import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import pages
from .arguments import Ranges, Shapes, Strings, hazard_options, range_options, shape_options, strings
from .errors import Diagnostic, OpledgerError
from .precision_lists import NODE_POLICIES, ListArgument, list_file
from .models import Model, ModelFile, Scratch
from .programs import PathLike, option, run_program
from .records import Record
from .samples import Samples, sample_options

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class Rule(Record):
    """The rule that decided a node: an entry of a list with its location, an option, or a property of the node."""

    SCHEMA = "conversion#/$defs/node/properties/rule"
    kind: str
    reason: str
    path: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    note: Optional[str] = None


@dataclass(frozen=True)
class Node(Record):
    """The outcome for a node, and the reason. `casts_wanted` and `casts_of_outputs` are indices of the casts."""

    SCHEMA = "conversion#/$defs/node"
    name: str
    operator: str
    scope: str
    label: str
    precision: str
    rule: Rule
    alternatives: List[str]
    casts_wanted: List[int]
    casts_of_outputs: List[int]
    placement: Optional[str] = None
    extra_casts: Optional[int] = None


@dataclass(frozen=True)
class BytesPer(Record):
    """Bytes, to be multiplied by the product of the dimensions that the model leaves open."""

    SCHEMA = "conversion#/$defs/cast/properties/bytes_per"
    bytes: int
    dimensions: List[str]


@dataclass(frozen=True)
class Cast(Record):
    """A cast: its tensor, both types, the nodes that read it (indices), and the reason. `bytes` counts what it reads
    and writes; None if a shape is unknown."""

    SCHEMA = "conversion#/$defs/cast"
    RENAMED = {"from": "from_dtype", "to": "to_dtype"}
    tensor: str
    scope: str
    from_dtype: str
    to_dtype: str
    producer: Optional[int]
    consumers: List[int]
    outputs: List[str]
    bytes: Optional[int]
    reason: str
    bytes_per: Optional[BytesPer] = None


@dataclass(frozen=True)
class Rounding(Record):
    """The effect of rounding a parameter's elements to 16 bits."""

    SCHEMA = "conversion#/$defs/parameter/properties/rounding/oneOf/1"
    numbers: int
    overflowing: int
    flushed: int
    largest_relative_error: float
    raised: Optional[int] = None


@dataclass(frozen=True)
class Parameter(Record):
    """A parameter that was converted. If it has 2 copies, one stays in float32."""

    SCHEMA = "conversion#/$defs/parameter"
    RENAMED = {"from": "from_dtype", "to": "to_dtype"}
    tensor: str
    scope: str
    from_dtype: str
    to_dtype: str
    copies: int
    bytes_before: int
    bytes_after: int
    rounding: Optional[Rounding]


@dataclass(frozen=True)
class Totals(Record):
    """Counts of nodes and casts, and bytes."""

    SCHEMA = "conversion#/properties/totals"
    nodes: int
    low: int
    float32: int
    as_wanted: int
    unchanged: int
    casts: int
    casts_down: int
    casts_up: int
    cast_bytes: int
    casts_of_unknown_size: int
    parameter_bytes_before: int
    parameter_bytes_after: int
    inlined_calls: Optional[int] = None
    merged_nodes: Optional[int] = None
    removed_casts: Optional[int] = None
    fused_chains: Optional[int] = None
    opset_before: Optional[int] = None
    opset: Optional[int] = None


@dataclass(frozen=True)
class Conversion(Record):
    """The report of a conversion (schemas/conversion.schema.json)."""

    SCHEMA = "conversion"
    schema: str
    model: str
    format: str
    target_dtype: str
    list: str
    totals: Totals
    nodes: List[Node]
    casts: List[Cast]
    parameters: List[Parameter]


class Converted:
    """A model in mixed precision: its path, the outcome for each node, and the reason.

    It is stored at `path` (for MXNet the symbol; its parameters are at `params`). Unless an output was named,
    it exists only as long as this object. `conversion` is the whole report; it is None with
    `target_dtype="float32"`, which has no report. Notebooks display it as tables.

    >>> converted = opledger.convert("model.onnx")
    >>> converted
    <Converted model.onnx: 5 of 6 nodes in float16, 2 casts>
    >>> print(converted.node("softmax").precision, converted.node("softmax").rule.reason)
    float32 list says 'fp32'
    """

    lies_in_files = True

    def __init__(self, path: Optional[Path], params: Optional[Path], report: Optional[bytes], said: str,
                 warnings: Sequence[Diagnostic], page: Optional[str], scratch: Scratch,
                 names: Mapping[str, str], later: Optional[Callable[[], bytes]] = None) -> None:
        self._path, self.params = path, params
        self._report, self._said, self._names = report, said, dict(names)
        self._conversion: Optional[Conversion] = None
        self._later = later
        self._scratch = scratch
        self.warnings: List[Diagnostic] = list(warnings)
        self.page = page

    @property
    def path(self) -> Path:
        """The path of the model. Raises ValueError after a dry run, which writes none."""
        if self._path is None:
            raise ValueError("a dry run writes no model")
        return self._path

    @property
    def conversion(self) -> Optional[Conversion]:
        """The whole report. For a model that was given by its path it is created on first use.

        Raises OpledgerError if the model has changed since the conversion.
        """
        if self._later is not None:
            self._report, self._later = self._later(), None
        if self._conversion is None and self._report is not None:
            data = json.loads(self._report)
            data["model"] = self._names.get(data["model"], data["model"])
            self._conversion = Conversion.of(data)
        return self._conversion

    @property
    def nodes(self) -> List[Node]:
        """The nodes in the order of the model, each with its type and the rule that decided it."""
        return [] if self.conversion is None else self.conversion.nodes

    @property
    def casts(self) -> List[Cast]:
        """The inserted casts."""
        return [] if self.conversion is None else self.conversion.casts

    @property
    def parameters(self) -> List[Parameter]:
        """The converted parameters, with the effect of rounding."""
        return [] if self.conversion is None else self.conversion.parameters

    @property
    def totals(self) -> Optional[Totals]:
        """Counts. None with `target_dtype="float32"`."""
        return None if self.conversion is None else self.conversion.totals

    def node(self, name: str) -> Node:
        """Returns the node of this name; an unnamed node has the name of its first output. Raises KeyError."""
        for each in self.nodes:
            if each.name == name:
                return each
        raise KeyError(name)

    @property
    def model(self) -> "onnx.ModelProto":
        """The model with its external data, read again each time.

        Raises ImportError without the package onnx, and TypeError for an MXNet model.
        """
        if self.params is not None or self.path.suffix == ".json":
            raise TypeError("an MXNet model is not a ModelProto: read it from .path and .params")
        import onnx
        return onnx.load(str(self.path))

    def to_bytes(self) -> bytes:
        """Returns the model's file, without its external data."""
        return self.path.read_bytes()

    def save(self, path: PathLike) -> Path:
        """Copies the model to `path` (for MXNet a prefix, for PREFIX-symbol.json), with its external data beside it.
        Returns the path of the model. Existing files of these names are replaced.

        >>> opledger.convert("model.onnx").save("saved.onnx").name
        'saved.onnx'
        """
        target = Path(path)
        if self.path.name.endswith("-symbol.json"):
            end = "-symbol.json"
            if self.params is not None:
                stem = self.path.name[:-len(end)]
                _replace(self.params, target.with_name(target.name + self.params.name[len(stem):]))
            target = target.with_name(target.name + end)
        else:
            for beside in self.path.parent.glob(_escaped(self.path.name) + ".data-*"):
                # The model refers to its external data by name, so the name must stay.
                _replace(beside, target.parent / beside.name)
        _replace(self.path, target)
        return target

    def __repr__(self) -> str:
        return f"<Converted {self._said}>"

    def _repr_html_(self) -> str:
        return _page_of(self)


def _page_of(converted: Converted) -> str:
    """Returns counts, the rules that decided most nodes, and warnings; below them, folded, the page."""
    parts = [f"<p><b>{pages.escape(repr(converted)[len('<Converted '):-1])}</b></p>"]
    totals = converted.totals
    if totals is not None:
        parts.append(pages.table(("in 16 bits", "float32", "either type", "no floats", "casts", "parameters"),
                                 [(totals.low, totals.float32, totals.as_wanted, totals.unchanged, totals.casts,
                                   f"{pages.bytes_text(totals.parameter_bytes_before)} to "
                                   f"{pages.bytes_text(totals.parameter_bytes_after)}")]))
    reasons: Dict[Tuple[str, str], int] = {}
    for node in converted.nodes:
        if node.precision == "float32":
            key = (node.operator, node.rule.reason)
            reasons[key] = reasons.get(key, 0) + 1
    if reasons:
        rows = sorted(((count, *key) for key, count in reasons.items()), reverse=True)
        parts += [pages.table(("nodes in float32", "operator", "why"), rows[:pages.MOST_ROWS]), pages.more(len(rows))]
    parts += [f"<p>{pages.escape(each)}</p>" for each in converted.warnings[:pages.MOST_ROWS]]
    if converted.page is not None:
        parts.append('<details><summary>the whole graph</summary><iframe sandbox="allow-scripts" '
                     f'style="width:100%;height:40em;border:0" srcdoc="{html.escape(converted.page)}"></iframe>'
                     '</details>')
    return "".join(parts)


def _escaped(name: str) -> str:
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)


def _replace(source: Path, target: Path) -> None:
    """Copies a file by writing it beside the target and renaming it."""
    if target.exists() and os.path.samefile(source, target):
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, beside)
        os.replace(beside, target)
    finally:
        if beside.exists():
            beside.unlink()


def convert(model: "Model", output: Optional[PathLike] = None, *, target_dtype: str = "float16",
            precision_list: ListArgument = None, policy: Optional["NodePolicy"] = None, exclude: Strings = (),
            target_ops: Strings = (), fp32_ops: Strings = (), widest_ops: Strings = (), fp32_nodes: Strings = (),
            io_types: str = "keep", keep_io: Strings = (), unlisted: str = "warn", cost: str = "casts",
            input_shapes: Optional[Shapes] = None, hazards: str = "raise", input_ranges: Optional[Ranges] = None,
            samples: "Samples" = None, taint: bool = False, profile: Optional[PathLike] = None,
            opset: Union[str, int] = "auto", strict: bool = False, min_elements: Optional[int] = None,
            storage_only: bool = False, inline_functions: bool = False, cse: bool = False, fuse: bool = False,
            params: Optional[PathLike] = None, cast_params_offline: bool = True,
            input_dtypes: Optional[Mapping[str, str]] = None,
            param_dtypes: Optional[Mapping[str, str]] = None, base_dir: Optional[PathLike] = None,
            sidecar: Optional[PathLike] = None, report: Union[bool, PathLike] = False,
            dry_run: bool = False, small_constants: str = "keep",
            quantized_islands: str = "keep") -> Converted:
    """Converts a float32 model to mixed precision, by a precision list, with the fewest casts.

    `model` is a path (ONNX, with external data; or an MXNet symbol with `params`), an `onnx.ModelProto`, or its
    bytes. A model of 2 GB or more must be a path. If a ModelProto's external data was not loaded, `base_dir`
    is its folder (a file is put there during the conversion).

    `output` is the file to write; for MXNet a prefix. Without it the model is kept as long as the result.

    `target_dtype`: "float16", "bfloat16", or "float32", which converts a 16-bit or mixed model back. Inputs and
    outputs keep their types unless `io_types="low"`; those that `keep_io` names keep them even then. Operators of
    `fp32_ops`, `target_ops` and `widest_ops` have these policies instead of the list's; nodes named by `fp32_nodes`
    stay in float32; nodes whose names match a regular expression of `exclude` (RE2's syntax) are not changed at all.
    Each of these is one string or several. `precision_list` is a file, a shipped list ("onnx/float16"), the result of
    `tune`, or the JSON object of a list. `input_shapes` is used with `cost="bytes"`.
    `policy` is called with each node of the model (a `ModelNode`) and returns "target", "fp32", "widest", "either", or
    None to follow the list. "fp32" leaves the node and its contents as they are; the other answers apply if the node's
    signature allows 16 bits. `target_ops`, `fp32_ops` and `widest_ops` take precedence over it.
    Nodes whose values 16 bits would lose stay in float32, whatever the list says; `hazards="report"` only warns about
    them. The ranges of inputs are unknown unless `input_ranges` gives them ({"pixels": (0, 1)}), or `samples` does: a
    list of dicts of arrays by the names of inputs, or a folder of folders of NAME.npy.
    `small_constants="clamp"`: constants that would become zero in 16 bits become the type's smallest number, instead of
    keeping the nodes that they guard in float32.
    `quantized_islands="convert"`: floats between quantized values follow the list, too, instead of staying in float32.
    `min_elements` counts elements, not bytes. `report=True` also creates the page of the conversion (`.page`); a path
    ending in .html or .json writes it there. The other arguments are the options of `opledger convert`, which
    conversion/README.md explains.

    Raises OpledgerError, with path, line and hint of everything that is wrong with the model, the list or the
    options; with `strict` also if no node would run in the 16-bit type. Raises ValueError if `policy` returns something
    else, or different answers for nodes of one name, or is used with `target_dtype="float32"`. Then nothing is written.

    >>> converted = opledger.convert("model.onnx", "mixed.onnx", fp32_ops=["Add"])
    >>> converted.totals.low, len(converted.casts)
    (3, 4)
    >>> converted.node("hidden").precision
    'float16'
    >>> [str(each) for each in converted.warnings]
    []
    >>> loud = opledger.convert("model.onnx", input_ranges={"pixels": (0, 1e5)})
    >>> loud.node("hidden").rule.kind
    'overflow'
    >>> small = opledger.convert("model.onnx", policy=lambda node: (
    ...     "fp32" if node.operator == "MatMul" and node.inputs[1].elements < 200 else None))
    >>> small.node("head").precision
    'float32'
    """
    if policy is not None and target_dtype == "float32":
        raise ValueError("policy has no meaning with target_dtype='float32': the whole model becomes float32")
    scratch = Scratch()
    with ModelFile(model, base_dir) as file:
        nodes = {} if policy is None else _answers(policy, file, file.params if params is None else params)
        nodes.update({name: "fp32" for name in strings("fp32_nodes", fp32_nodes)})
        chosen = list_file(precision_list, target_dtype, scratch, nodes,
                           "mxnet" if file.path.endswith(".json") else "onnx")
        in_place = output is not None and _same(file.path, output)
        lazy = report is False and not file.descriptors and not file.names and not in_place
        reports = [] if lazy else _reports(report, scratch, target_dtype)
        path, written = _outputs(file.path, output, scratch)
        arguments = option("--target-dtype", target_dtype) + option("--list", chosen)
        for name, operators in (("--target-ops", target_ops), ("--fp32-ops", fp32_ops), ("--widest-ops", widest_ops)):
            arguments += option(name, ",".join(strings(name[2:].replace("-", "_"), operators)) or None)
        arguments += option("--exclude", strings("exclude", exclude))
        arguments += option("--io-types", io_types if io_types != "keep" else None)
        arguments += option("--keep-io", strings("keep_io", keep_io))
        arguments += option("--unlisted", unlisted if target_dtype != "float32" else None)
        arguments += option("--cost", cost if cost != "casts" else None) + option("--taint", taint)
        arguments += option("--input-shape", shape_options(input_shapes)) + option("--profile", profile)
        arguments += hazard_options(hazards, input_ranges, quantized_islands)
        arguments += sample_options([samples] if isinstance(samples, Mapping) else samples, scratch)
        arguments += option("--opset", str(opset) if str(opset) != "auto" else None) + option("--strict", strict)
        arguments += option("--small-constants", small_constants if small_constants != "keep" else None)
        arguments += option("--min-elements", min_elements) + option("--storage-only", storage_only)
        arguments += option("--inline-functions", inline_functions) + option("--cse", cse) + option("--fuse", fuse)
        arguments += option("--params", file.params if params is None else params)
        arguments += option("--cast-params-at-run-time", not cast_params_offline)
        arguments += option("--input-dtype", _pairs(input_dtypes)) + option("--param-dtype", _pairs(param_dtypes))
        stamp = _stamp(file.path)
        ends = ["--dry-run"] if dry_run else [f"--output={written}", *option("--sidecar", sidecar)]
        ends += ["--in-place"] if in_place else []
        done = run_program(["convert", *arguments, *ends, *option("--report", [str(each) for each in reports]), "--",
                            file.path], descriptors=file.descriptors, names=file.names)
        said = done.output.decode("utf-8", "replace").splitlines()
        names = file.names
    return Converted(None if dry_run else path, None if dry_run else _params_of(path),
                     _content(reports, ".json"), _renamed(said[0] if said else str(path), names), done.diagnostics,
                     _page(reports, names), scratch, names,
                     _later(arguments, file.path, stamp, scratch) if lazy and target_dtype != "float32" else None)


def _answers(policy: "NodePolicy", file: ModelFile, params: Optional[PathLike]) -> Dict[str, str]:
    """Returns the answers of `policy` by the names of the nodes, without those that are None."""
    answers: Dict[str, Optional[str]] = {}
    for node in _summary(file, ["--nodes", *option("--params", params)]).each or ():
        answer = policy(node)
        if answer is not None and answer not in NODE_POLICIES:
            raise ValueError(f"policy returned {answer!r} for node '{node.name}': it must return None or one of "
                             f"{', '.join(NODE_POLICIES)}")
        if answers.setdefault(node.name, answer) != answer:
            raise ValueError(f"policy returned {answers[node.name]!r} and {answer!r} for two nodes named "
                             f"'{node.name}': a list identifies nodes by name")
    return {name: answer for name, answer in answers.items() if answer is not None}


def _stamp(path: str) -> Optional[Tuple[int, int, int]]:
    """Returns what identifies the state of a file, or None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _later(arguments: Sequence[str], path: str, stamp: Optional[Tuple[int, int, int]],
           scratch: Scratch) -> Callable[[], bytes]:
    """Returns a function that creates the report of a conversion. It takes as long as the conversion of a small model,
    and many callers never need it."""
    absolute, folder = os.path.abspath(path), os.getcwd()

    def make() -> bytes:
        if _stamp(absolute) != stamp:
            raise OpledgerError(f"{path} has changed since its conversion, which can no longer be reported: "
                                "use convert(report=True) to create the report with the conversion")
        report = scratch.path / "report.json"
        run_program(["-C", folder, "convert", *arguments, "--dry-run", f"--report={report}", "--", path],
                    log=False)
        return report.read_bytes()

    return make


def _same(path: str, output: PathLike) -> bool:
    return os.path.exists(output) and os.path.exists(path) and os.path.samefile(path, output)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for path, name in names.items():
        text = text.replace(path, name)
    return text


def _outputs(model: str, output: Optional[PathLike], scratch: Scratch) -> Tuple[Path, Path]:
    """Returns the path of the converted model, and the value of -o."""
    is_mxnet = model.endswith(".json")
    target = scratch.path / "converted" if output is None else Path(output)
    if is_mxnet:
        return target.with_name(target.name + "-symbol.json"), target
    if output is None:
        target = target.with_suffix(".onnx")
    return target, target


def _params_of(path: Path) -> Optional[Path]:
    """Returns the file of parameters beside an MXNet symbol, or None."""
    end = "-symbol.json"
    if not path.name.endswith(end):
        return None
    found = sorted(path.parent.glob(_escaped(path.name[:-len(end)]) + "-[0-9][0-9][0-9][0-9].params"))
    found += sorted(path.parent.glob(_escaped(path.name[:-len(end)]) + ".npz"))
    return found[0] if found else None


def _reports(report: Union[bool, PathLike], scratch: Scratch, target_dtype: str) -> List[Path]:
    """Returns the report files: always the JSON, from which nodes and casts are read."""
    if target_dtype == "float32":
        return []
    reports = [scratch.path / "report.json"]
    if report is True:
        reports.append(scratch.path / "report.html")
    elif report is not False:
        reports.append(Path(report))
    return reports


def _content(reports: Sequence[Path], suffix: str) -> Optional[bytes]:
    return next((each.read_bytes() for each in reports if each.suffix == suffix), None)


def _page(reports: Sequence[Path], names: Mapping[str, str]) -> Optional[str]:
    page = _content(reports, ".html")
    return None if page is None else _renamed(page.decode("utf-8"), {k: pages.escape(v) for k, v in names.items()})


def _pairs(values: Optional[Mapping[str, str]]) -> List[str]:
    return [f"{name}={value}" for name, value in (values or {}).items()]


@dataclass(frozen=True)
class Opset(Record):
    """An operator set that a model imports."""

    SCHEMA = "model#/properties/opsets/items"
    name: str
    version: int


@dataclass(frozen=True)
class Border(Record):
    """An input or output of a model: "tensor(float32)"."""

    SCHEMA = "model#/$defs/border/items"
    name: str
    type: str


@dataclass(frozen=True)
class ModelOperator(Record):
    """An operator of a model: its number of nodes, their types, and its policy in the list (None: it has none)."""

    SCHEMA = "model#/properties/operators/items"
    name: str
    nodes: int
    types: Dict[str, int]
    policy: Optional[str]
    line: Optional[int] = None
    note: Optional[str] = None


@dataclass(frozen=True)
class NodeCount(Record):
    """A number of nodes of one kind."""

    SCHEMA = "model#/$defs/nodes/items"
    name: str
    nodes: int


@dataclass(frozen=True)
class TensorCount(Record):
    """Parameters and constants of one element type."""

    SCHEMA = "model#/properties/parameters/items"
    name: str
    tensors: int
    numbers: int
    bytes: int


@dataclass(frozen=True)
class ExternalFile(Record):
    """A file of external data, and how many of its bytes tensors refer to."""

    SCHEMA = "model#/properties/external/items"
    name: str
    bytes: int


@dataclass(frozen=True)
class NodeInput(Record):
    """An input of a node: `name` in the operator's signature, `value` the tensor ("": omitted), its type, such as
    "tensor(float32)". `shape` is None if its rank is unknown; a dimension is None if it is open or unknown."""

    SCHEMA = "model#/properties/each/items/properties/inputs/items"
    name: str
    value: str
    type: str
    initializer: bool
    shape: Optional[List[Optional[int]]] = None

    @property
    def elements(self) -> Optional[int]:
        """The number of elements, or None if it is unknown."""
        count = 1
        for dimension in (None,) if self.shape is None else self.shape:
            if dimension is None:
                return None
            count *= dimension
        return count


@dataclass(frozen=True)
class ModelNode(Record):
    """A node of a model, before the conversion. `attributes` are texts, defaults included: "1", "[3, 3]"."""

    SCHEMA = "model#/properties/each/items"
    name: str
    operator: str
    scope: str
    attributes: Dict[str, str]
    inputs: List[NodeInput]
    outputs: List[str]


@dataclass(frozen=True)
class NumberRange(Record):
    """The range of a tensor's elements: each is NaN, or from `low` to `high`, and is zero or at least `gap` away from
    it. `nan` and `zero` say whether these may occur, `integer` whether all finite ones are integers. Bounds may be
    infinite."""

    SCHEMA = "model#/$defs/range"
    low: float
    high: float
    nan: bool
    zero: bool
    gap: float
    integer: bool


@dataclass(frozen=True)
class ModelValue(Record):
    """The range of a tensor's elements, in the model as it is (`float32`) and in the converted one."""

    SCHEMA = "model#/properties/values/items"
    name: str
    scope: str
    float32: NumberRange
    converted: NumberRange


NodePolicy = Callable[[ModelNode], Optional[str]]


@dataclass(frozen=True)
class ModelSummary(Record):
    """The contents of a model, and the policies of its operators in a list (schemas/model.schema.json)."""

    SCHEMA = "model"
    schema: str
    model: str
    format: str
    file_bytes: int
    nodes: int
    list: str
    target_dtype: str
    opsets: List[Opset]
    inputs: List[Border]
    outputs: List[Border]
    operators: List[ModelOperator]
    casts: List[NodeCount]
    parameters: List[TensorCount]
    external: List[ExternalFile]
    scopes: List[NodeCount]
    each: Optional[List[ModelNode]] = None
    values: Optional[List[ModelValue]] = None

    def value(self, name: str) -> ModelValue:
        """Returns the value of this name; the main graph comes first. Raises KeyError if it does not exist, or
        `inspect` was called without `values=True`."""
        for value in sorted(self.values or (), key=lambda each: each.scope != ""):
            if value.name == name:
                return value
        raise KeyError(name)

    def _repr_html_(self) -> str:
        return _summary_page(self)


def _summary_page(summary: ModelSummary) -> str:
    """Returns inputs, outputs, and the operators with their policies."""
    borders: List[Sequence[Any]] = [("input", each.name, each.type) for each in summary.inputs]
    borders += [("output", each.name, each.type) for each in summary.outputs]
    rows = sorted(((each.nodes, each.name, each.policy or "not in the list", each.note or "")
                   for each in summary.operators), reverse=True)
    return (f"<p><b>{pages.escape(summary.model)}</b>: {pages.escape(summary.format)}, "
            f"{pages.bytes_text(summary.file_bytes)}, {summary.nodes} nodes</p>" +
            pages.table(("", "name", "type"), borders[:pages.MOST_ROWS]) + pages.more(len(borders)) +
            pages.table(("nodes", "operator", "policy", "note"), rows[:pages.MOST_ROWS]) + pages.more(len(rows)))


def inspect(model: "Model", *, target_dtype: str = "float16", precision_list: ListArgument = None,
            nodes: bool = False, values: bool = False, input_ranges: Optional[Ranges] = None,
            input_shapes: Optional[Shapes] = None, params: Optional[PathLike] = None,
            base_dir: Optional[PathLike] = None) -> ModelSummary:
    """Returns the contents of a model, and the policies of its operators in a list. `model` as in `convert`. With
    `nodes` also each node (`.each`); with `values` also the range of each value (`.values`), for inputs within
    `input_ranges` and with `input_shapes`. `params` of an MXNet model provides the shapes and elements of its
    parameters.

    Raises OpledgerError if it cannot be read or is not a model.

    >>> summary = opledger.inspect("model.onnx")
    >>> [(each.name, each.policy) for each in summary.operators]
    [('Add', 'widest'), ('MatMul', 'target'), ('Relu', 'either'), ('Softmax', 'fp32')]
    >>> node = opledger.inspect("model.onnx", nodes=True).each[0]
    >>> node.operator, node.inputs[1].name, node.inputs[1].shape
    ('MatMul', 'B', [8, 16])
    >>> known = opledger.inspect("model.onnx", values=True, input_ranges={"pixels": (0, 1)})
    >>> known.value("hidden.active").float32.low, round(known.value("hidden.active").float32.high, 2)
    (0, 8.3)
    """
    scratch = Scratch()
    chosen = list_file(precision_list, target_dtype, scratch)
    with ModelFile(model, base_dir) as file:
        return _summary(file, [*option("--target-dtype", target_dtype), *option("--list", chosen),
                               *option("--nodes", nodes), *option("--values", values),
                               *option("--input-range", range_options(input_ranges)),
                               *option("--input-shape", shape_options(input_shapes)),
                               *option("--params", file.params if params is None and (nodes or values) else params)])


def _summary(file: ModelFile, arguments: Sequence[str]) -> ModelSummary:
    done = run_program(["inspect", "--format=json", *arguments, "--", file.path], descriptors=file.descriptors,
                       names=file.names)
    data = done.json()
    data["model"] = file.names.get(data["model"], data["model"])
    return ModelSummary.of(data)


@dataclass(frozen=True)
class Reverted:
    """The original of a converted model, at `path` (for MXNet with `params`). Unless an output was named, it exists
    only as long as this object. `said` tells whether it is the original byte for byte."""

    lies_in_files: ClassVar[bool] = True
    path: Path
    params: Optional[Path]
    said: str
    warnings: Tuple[Diagnostic, ...] = ()
    _scratch: Optional[Scratch] = field(default=None, repr=False, compare=False)

    @property
    def model(self) -> "onnx.ModelProto":
        """The model. Raises ImportError without the package onnx."""
        import onnx
        return onnx.load(str(self.path))

    def to_bytes(self) -> bytes:
        """Returns the model's file."""
        return self.path.read_bytes()


def revert(model: "Model", output: Optional[PathLike] = None, *, sidecar: Optional[PathLike] = None,
           params: Optional[PathLike] = None) -> Reverted:
    """Restores the original of a model that `convert` made: byte for byte with the `sidecar` that `convert` wrote,
    otherwise only the graph, and the weights stay rounded.

    Raises OpledgerError if it has 16-bit values that may be the original's own, or does not belong to the sidecar.

    >>> mixed = opledger.convert("model.onnx", sidecar="mixed.sidecar")
    >>> original = opledger.revert(mixed, sidecar="mixed.sidecar")
    >>> original.to_bytes() == open("model.onnx", "rb").read()
    True
    """
    scratch = Scratch()
    with ModelFile(model) as file:
        path, written = _outputs(file.path, output, scratch)
        arguments = ["revert", f"--output={written}", *option("--sidecar", sidecar),
                     *option("--params", file.params if params is None else params)]
        arguments += ["--in-place"] if output is not None and _same(file.path, output) else []
        done = run_program([*arguments, "--", file.path], descriptors=file.descriptors, names=file.names)
        said = _renamed(done.output.decode("utf-8", "replace").strip(), file.names)
    return Reverted(path, _params_of(path), said, done.diagnostics, scratch)

"""compare and tune: measure the errors of a model in 16 bits, and find the nodes that have to stay in float32."""
# SPDX-License-Identifier: Apache-2.0

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

from . import pages
from .arguments import Ranges, Shapes, hazard_options, shape_options
from .precision_lists import ListArgument, list_file
from .models import Model, ModelFile, Scratch
from .programs import PathLike, ProgressOption, option, run_program
from .records import Record
from .samples import Samples, sample_options

UNMEASURED = 3  # exit status of a search that was stopped before anything was measured

@dataclass(frozen=True)
class RowCounts(Record):
    """Counts the rows of a tensor that match float64 (`matched`), that only float64 has (`missing`), and that it does
    not have (`added`).

    `unit` is what was matched: "row", or "number" (a single element) if several dimensions differ.
    """

    SCHEMA = "comparison#/$defs/rows"
    unit: str
    matched: int
    missing: int
    added: int


@dataclass(frozen=True)
class TensorError(Record):
    """The error of a tensor against float64. None: infinite, or the tensor's type has no such error.

    `relative` is the largest error relative to the tensor's largest element, `relative_l2` the norm of the error
    relative to the tensor's norm, `ulp` in units in the last place. `not_finite` counts infinities and NaN where
    float64 has none. `rows` is set if float64 has a different number of rows; the other fields then apply to matched
    rows.
    """

    SCHEMA = "comparison#/$defs/error"
    dtype: str
    numbers: int
    ulp: Optional[float] = None
    absolute: Optional[float] = None
    relative: Optional[float] = None
    relative_l2: Optional[float] = None
    not_finite: Optional[int] = None
    unequal: Optional[int] = None
    rows: Optional[RowCounts] = None


@dataclass(frozen=True)
class OutputError(Record):
    """An output: the error of the second model, and that of the first in its own types."""

    SCHEMA = "comparison#/properties/outputs/items"
    name: str
    error: TensorError
    first_error: TensorError


@dataclass(frozen=True)
class SampleError(Record):
    """The largest error of an output on one sample."""

    SCHEMA = "comparison#/properties/samples/items"
    name: str
    relative: Optional[float]


@dataclass(frozen=True)
class NodeError(Record):
    """A node: its accumulated error, and the error that it makes on exact inputs (`own_error`)."""

    SCHEMA = "comparison#/properties/nodes/items"
    name: str
    operator: str
    value: str
    error: TensorError
    own_error: Optional[TensorError] = None
    first_error: Optional[TensorError] = None


@dataclass(frozen=True)
class Comparison(Record):
    """Two models, compared with the first in float64 (schemas/comparison.schema.json). Notebooks display it as tables.

    `within` is true if every output is within the requested `max_error`, and None if no bound was requested.
    """

    SCHEMA = "comparison"
    OWN = ("within",)
    schema: str
    first: str
    outputs: List[OutputError]
    first_overflow: Optional[int]
    nodes: List[NodeError]
    unmatched_nodes: int
    second: Optional[str] = None
    autocast: Optional[str] = None
    machine: Optional[str] = None
    libraries: Optional[str] = None
    samples: List[SampleError] = field(default_factory=list)
    within: Optional[bool] = None

    def worst(self, count: int = 10) -> List[NodeError]:
        """Returns the nodes with the largest errors on exact inputs, the worst first."""
        def weight(node: NodeError) -> float:
            error = node.own_error or node.error
            if error.not_finite:
                return float("inf")
            return error.relative_l2 or 0.0
        return sorted(self.nodes, key=weight, reverse=True)[:count]

    def _repr_html_(self) -> str:
        return _page_of(self)


def _errors(error: TensorError) -> List[str]:
    if error.unequal is not None:
        return [error.dtype, f"{error.unequal} of {error.numbers} differ", "", ""]
    l2, rows = pages.number(error.relative_l2), error.rows
    if rows:
        l2 += f", {rows.matched} of {rows.matched + rows.missing} {rows.unit}s"
    return [error.dtype, l2, pages.number(error.relative), pages.number(error.ulp)]


def _page_of(comparison: Comparison) -> str:
    """Returns the error of each output, the first node to overflow, and the worst nodes."""
    head = ("type", "relative L2", "relative to the largest", "ulp")
    parts = [pages.table(("output", *head, "first model's L2"),
                         [(each.name, *_errors(each.error), pages.number(each.first_error.relative_l2))
                          for each in comparison.outputs[:pages.MOST_ROWS]]), pages.more(len(comparison.outputs))]
    if comparison.within is not None:
        parts.append(f"<p>{'within' if comparison.within else '<b>not within</b>'} the bound</p>")
    if comparison.first_overflow is not None:
        node = comparison.nodes[comparison.first_overflow]
        parts.append(f"<p>first to overflow: {pages.escape(node.name)} ({pages.escape(node.operator)})</p>")
    parts.append(pages.table(("node, by its own error", "operator", *head),
                             [(each.name, each.operator, *_errors(each.own_error or each.error))
                              for each in comparison.worst(pages.MOST_ROWS)]))
    return "".join(parts)


def compare(model: "Model", second: Optional["Model"] = None, samples: "Samples" = None, *,
            autocast: Optional[str] = None, precision_list: ListArgument = None, hazards: str = "raise",
            input_ranges: Optional[Ranges] = None, input_shapes: Optional[Shapes] = None,
            max_error: Optional[float] = None, kernels: str = "fast", params: Optional[PathLike] = None,
            second_params: Optional[PathLike] = None, memory_limit: Optional[str] = None,
            small_constants: str = "keep", quantized_islands: str = "keep") -> Comparison:
    """Compares a converted model, value by value, with the first model computed in float64.

    `second` is the converted `model`; alternatively, `autocast` ("float16", "bfloat16") runs the first by a list.
    `hazards`, `input_ranges`, `small_constants` and `quantized_islands` are as in `convert`.
    `samples` is a dict of arrays by the names of the inputs, a list of such dicts, or a folder of folders of
    NAME.npy; arrays have the shapes and types of the model's inputs. Without it inputs are random; `input_shapes`
    sets the shapes that the model leaves open. `max_error` is relative to an output's largest element.

    Raises OpledgerError if a model cannot be run, or the inputs do not fit it.

    >>> comparison = opledger.compare("model.onnx", opledger.convert("model.onnx"), input_shapes={"pixels": (2, 8)})
    >>> comparison.outputs[0].error.relative < 1e-3
    True
    >>> comparison.worst(1)[0].operator
    'MatMul'
    """
    scratch = Scratch()
    arguments = ["compare", "--format=json", "--worst=0", *option("--autocast", autocast), *option("--kernels", kernels)]
    arguments += option("--list", list_file(precision_list, autocast or "float16", scratch))
    arguments += hazard_options(hazards, input_ranges, quantized_islands)
    arguments += sample_options(samples, scratch) + option("--input-shape", shape_options(input_shapes))
    arguments += option("--small-constants", small_constants if small_constants != "keep" else None)
    arguments += option("--max-error", max_error) + option("--memory-limit", memory_limit)
    with ModelFile(model) as first, ModelFile(second if second is not None else model) as other:
        names = {**first.names, **other.names}
        arguments += option("--params", first.params if params is None else params)
        if second is not None:
            arguments += option("--second-params", other.params if second_params is None else second_params)
        done = run_program([*arguments, "--", first.path, *([other.path] if second is not None else [])],
                           descriptors=[*first.descriptors, *other.descriptors], names=names, expected=(0, 1))
    data = done.json()
    for which in ("first", "second"):
        if which in data:
            data[which] = names.get(data[which], data[which])
    if max_error is not None:
        data["within"] = done.status == 0
    return Comparison.of(data)


@dataclass(frozen=True)
class KeptNode(Record):
    """A node that has to stay in float32."""

    SCHEMA = "tuning#/properties/kept/items"
    name: str
    operator: str


@dataclass(frozen=True)
class SampleCounts(Record):
    """The number of samples, and how many of them were used within the time budget."""

    SCHEMA = "tuning#/properties/samples"
    given: int
    used: int


@dataclass(frozen=True)
class LeftOut(Record):
    """The error on samples that the search did not see: what to expect of other inputs."""

    SCHEMA = "tuning#/properties/left_out"
    samples: int
    within: int
    error: Optional[float]


@dataclass(frozen=True)
class Tuned(Record):
    """The nodes that have to stay in float32 (schemas/tuning.schema.json). `convert(precision_list=...)` takes it.

    `met` is False if not even all of them in float32 are enough; then there is no list. `measured` is False if the
    time budget ended before any error was known; the list then keeps all of them.
    """

    SCHEMA = "tuning"
    OWN = ("list_path", "scratch")
    schema: str
    model: str
    target_dtype: str
    max_error: float
    met: bool
    error: Optional[float]
    error_before: Optional[float]
    runs: int
    stopped: bool
    nodes: int
    kept: List[KeptNode]
    measured: bool = True
    samples: Optional[SampleCounts] = None
    left_out: Optional[LeftOut] = None
    list_path: Optional[str] = None
    scratch: Any = field(default=None, repr=False, compare=False)

    def to_dict(self) -> Dict[str, Any]:
        """Returns the JSON object."""
        return {name: value for name, value in {**self.__dict__, "scratch": None}.items() if value is not None}

    def save(self, path: PathLike) -> Path:
        """Copies the list to `path`. Raises ValueError if there is none, because `met` is False."""
        if self.list_path is None:
            raise ValueError("no set of nodes is enough, so there is no list")
        return Path(shutil.copyfile(self.list_path, path))

    def content(self) -> Dict[str, Any]:
        """Returns the list as a JSON object."""
        if self.list_path is None:
            raise ValueError("no set of nodes is enough, so there is no list")
        data: Dict[str, Any] = json.loads(Path(self.list_path).read_text(encoding="utf-8"))
        return data


def tune(model: "Model", samples: "Samples" = None, *, max_error: float, target_dtype: str = "float16",
         precision_list: ListArgument = None, output: Optional[PathLike] = None, beyond_list: bool = False,
         hazards: str = "raise", input_ranges: Optional[Ranges] = None,
         input_shapes: Optional[Shapes] = None, time_budget: Optional[float] = None,
         kernels: str = "fast", params: Optional[PathLike] = None, memory_limit: Optional[str] = None,
         progress: ProgressOption = None, quantized_islands: str = "keep") -> Tuned:
    """Finds which nodes have to stay in float32 so that every output is within `max_error` on every sample.

    `samples` as in `compare`; with several, the result estimates the error on others (`left_out`). `max_error` is
    relative to an output's largest element. `time_budget` is in seconds; the best list found within it is returned.
    `beyond_list` also lets nodes run in 16 bits that the list keeps in float32, if the samples allow it: the
    fewest casts. `hazards`, `input_ranges` and `quantized_islands` are as in `convert`. The model is taken as it is:
    raise its opset and fuse its nodes first if you want that.
    `progress` is called with each run (an opledger.Progress), or is True for a tqdm bar.

    Raises OpledgerError if the model cannot be run. If no set of nodes is enough, `met` is False.

    >>> shapes = {"pixels": (2, 8)}
    >>> tuned = opledger.tune("model.onnx", input_shapes=shapes, max_error=1e-3, target_dtype="bfloat16")
    >>> [each.name for each in tuned.kept]
    ['head']
    >>> opledger.convert("model.onnx", precision_list=tuned, target_dtype="bfloat16")
    <Converted model.onnx: 3 of 6 nodes in bfloat16, 2 casts>
    """
    scratch = Scratch()
    written = scratch.path / "tuned.json" if output is None else Path(output)
    arguments = ["tune", "--format=json", f"--output={written}", f"--max-error={max_error!r}",
                 f"--target-dtype={target_dtype}", *option("--list", list_file(precision_list, target_dtype, scratch)),
                 *hazard_options(hazards, input_ranges, quantized_islands), *sample_options(samples, scratch),
                 *option("--input-shape", shape_options(input_shapes)),
                 *option("--time-budget", time_budget), *option("--kernels", kernels),
                 *option("--memory-limit", memory_limit), *(["--beyond-list"] if beyond_list else [])]
    with ModelFile(model) as file:
        arguments += option("--params", file.params if params is None else params)
        done = run_program([*arguments, "--", file.path], expected=(0, 1, UNMEASURED), descriptors=file.descriptors,
                           names=file.names, progress=progress)
        data = done.json()
        data["model"] = file.names.get(data["model"], data["model"])
    is_written = data["met"] or not data["measured"]
    return Tuned.of({**data, "list_path": str(written) if is_written else None, "scratch": scratch})

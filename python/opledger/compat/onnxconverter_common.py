"""onnxconverter_common.float16, with opledger's list and placement.

Differences from onnxconverter-common 1.16:
- The list "onnx/float16" decides what stays in float32: everything that overflows or loses precision (Exp, Softmax,
  ReduceSum, ...), not only what has no float16 kernel. `op_block_list` adds operators to it instead of replacing it.
- A weight outside of float16's range is not clamped: nodes that read it stay in float32. With a `max_finite_val` or
  `min_positive_val` other than the default, so do nodes that read an element beyond those. `small_constants="clamp"`,
  an additional keyword, raises constants that would become zero to float16's smallest number, as the original does with
  constants below `min_positive_val`; by default the nodes that they guard stay in float32.
- The given model is never changed, and no shapes are added to the result; opledger infers types whatever
  `disable_shape_infer` says.
- The model is checked: an invalid ONNX model raises opledger.OpledgerError.
"""
# SPDX-License-Identifier: Apache-2.0

from typing import TYPE_CHECKING, Optional

from .. import convert
from ..arguments import Strings, strings
from ..programs import PathLike
from .float16_graph import clamped, is_float16, qualified

if TYPE_CHECKING:
    import onnx

SMALLEST, LARGEST = 1e-7, 1e4


def convert_float_to_float16(model: "onnx.ModelProto", min_positive_val: float = 1e-7, max_finite_val: float = 1e4,
                             keep_io_types: bool = False, disable_shape_infer: bool = False,
                             op_block_list: Optional[Strings] = None,
                             node_block_list: Optional[Strings] = None,
                             check_fp16_ready: bool = True, *,
                             small_constants: Optional[str] = None) -> "onnx.ModelProto":
    """Converts a float32 ModelProto to float16.

    `keep_io_types`: whether float32 inputs and outputs stay float32. `op_block_list`: operators that stay in float32,
    in addition to the list's. `node_block_list`: names of nodes that do. Each of these two is one string or several.
    `min_positive_val`, `max_finite_val`: with other bounds than the default, nodes that read an element beyond them
    stay in float32. `small_constants`: "keep" or "clamp", see above.

    Raises ValueError if it is not a ModelProto or, with `check_fp16_ready`, has float16 already; and OpledgerError.

    >>> import onnx
    >>> from opledger.compat.onnxconverter_common import convert_float_to_float16
    >>> model = convert_float_to_float16(onnx.load("model.onnx"), keep_io_types=True, op_block_list=["Relu"])
    >>> [node.op_type for node in model.graph.node].count("Cast")
    4
    """
    if not hasattr(model, "SerializeToString") or not hasattr(model, "graph"):
        raise ValueError(f"Expected model type is an ONNX ModelProto but got {type(model)}")
    if check_fp16_ready and is_float16(model.graph):
        raise ValueError("The model is already converted to float16. If you are sure to convert it again, set "
                         "check_fp16_ready=False.")
    del disable_shape_infer
    nodes = strings("node_block_list", node_block_list or ())
    smallest = min_positive_val if min_positive_val != SMALLEST else 0.0
    largest = max_finite_val if max_finite_val != LARGEST else float("inf")
    if smallest or largest != float("inf"):
        nodes += clamped(model, smallest, largest)
    converted = convert(model, io_types="keep" if keep_io_types else "low", fp32_nodes=nodes,
                        fp32_ops=qualified(model, strings("op_block_list", op_block_list or ())),
                        small_constants=small_constants or "keep")
    return converted.model


def convert_float_to_float16_model_path(model_path: PathLike, min_positive_val: float = 1e-7,
                                        max_finite_val: float = 1e4, keep_io_types: bool = False, *,
                                        small_constants: Optional[str] = None) -> "onnx.ModelProto":
    """Converts the model at a path; external data is read, also for models of 2 GB or more.

    >>> from opledger.compat.onnxconverter_common import convert_float_to_float16_model_path
    >>> convert_float_to_float16_model_path("model.onnx").graph.input[0].type.tensor_type.elem_type  # FLOAT16
    10
    """
    nodes: Strings = ()
    if (min_positive_val, max_finite_val) != (SMALLEST, LARGEST):
        import onnx
        nodes = clamped(onnx.load(str(model_path)), min_positive_val if min_positive_val != SMALLEST else 0.0,
                        max_finite_val if max_finite_val != LARGEST else float("inf"))
    return convert(model_path, io_types="keep" if keep_io_types else "low", fp32_nodes=nodes,
                   small_constants=small_constants or "keep").model

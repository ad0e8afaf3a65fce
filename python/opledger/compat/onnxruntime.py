"""onnxruntime.transformers.float16, with opledger's list and placement.

Differences from ONNX Runtime 1.31:
- The list "onnx/float16" decides what stays in float32; `op_block_list` adds operators to it.
- A weight outside of float16's range is not clamped: nodes that read it stay in float32. With a `max_finite_val` or
  `min_positive_val` other than the default, so do nodes that read an element beyond those. `small_constants="clamp"`,
  an additional keyword, raises constants that would become zero to float16's smallest number, as the original does with
  constants below `min_positive_val`; by default the nodes that they guard stay in float32.
- Inputs that have a fixed type (the scales of Resize) stay in float32 without a list of such operators.
- The given model is never changed, and no shapes are added to the result; opledger infers types whatever
  `disable_shape_infer` says.
- `force_fp16_initializers`, `force_fp16_inputs` and `use_bfloat16_as_blocked_nodes_dtype` raise NotImplementedError.
"""
# SPDX-License-Identifier: Apache-2.0

import os
from typing import TYPE_CHECKING, Dict, List, Optional, Union

from .. import convert
from ..arguments import Strings, strings
from ..models import Model
from .float16_graph import FLOAT, clamped, qualified

if TYPE_CHECKING:
    import onnx

SMALLEST, LARGEST = 5.96e-08, 65504.0


def convert_float_to_float16(model: Union[str, "onnx.ModelProto"], min_positive_val: float = 5.96e-08,
                             max_finite_val: float = 65504.0, keep_io_types: Union[bool, List[str]] = False,
                             disable_shape_infer: bool = False, op_block_list: Optional[Strings] = None,
                             node_block_list: Optional[Strings] = None, force_fp16_initializers: bool = False,
                             force_fp16_inputs: Optional[Dict[str, List[int]]] = None,
                             use_bfloat16_as_blocked_nodes_dtype: bool = False, *,
                             small_constants: Optional[str] = None) -> "onnx.ModelProto":
    """Converts a float32 ModelProto, or the model at a path, to float16.

    `keep_io_types`: whether float32 inputs and outputs stay float32, or a list of the names of those that do.
    `op_block_list`: operators that stay in float32, in addition to the list's. `node_block_list`: names of nodes that
    do. Each of these two is one string or several. `small_constants`: "keep" or "clamp", see above.

    Raises ValueError if it is not a model; AssertionError if float16 does not have the bounds; NotImplementedError for
    an argument that forces float16 where this converter would not use it; TypeError if `keep_io_types` is a string,
    which could mean True or a name; and OpledgerError.

    >>> import onnx
    >>> from opledger.compat.onnxruntime import convert_float_to_float16
    >>> model = convert_float_to_float16("model.onnx", keep_io_types=["pixels"])
    >>> [each.type.tensor_type.elem_type for each in (*model.graph.input, *model.graph.output)]  # FLOAT, FLOAT16
    [1, 10]
    """
    assert min_positive_val >= SMALLEST, "invalid min_positive_val: the smallest positive float16 value is 5.96e-08"
    assert max_finite_val <= LARGEST, "invalid max_finite_val: the largest float16 value is 65504"
    if isinstance(keep_io_types, str):
        raise TypeError(f"keep_io_types is a bool or a list of names: [{keep_io_types!r}], not {keep_io_types!r}")
    for name, value in (("force_fp16_initializers", force_fp16_initializers), ("force_fp16_inputs", force_fp16_inputs),
                        ("use_bfloat16_as_blocked_nodes_dtype", use_bfloat16_as_blocked_nodes_dtype)):
        if value:
            raise NotImplementedError(f"{name}: opledger decides by a list; give convert(precision_list=...) one")
    del disable_shape_infer
    given: Model = model
    smallest = min_positive_val if min_positive_val != SMALLEST else 0.0
    largest = max_finite_val if max_finite_val != LARGEST else float("inf")
    has_bounds = bool(smallest) or largest != float("inf")
    if isinstance(model, (str, os.PathLike)):
        import onnx
        proto = onnx.load(os.fspath(model), load_external_data=has_bounds)
    elif hasattr(model, "SerializeToString") and hasattr(model, "graph"):
        proto = model
    else:
        raise ValueError(f"Expected an ONNX ModelProto but got {type(model)}")
    nodes = strings("node_block_list", node_block_list or ())
    if has_bounds:
        nodes += clamped(proto, smallest, largest)
    kept: List[str] = []
    if isinstance(keep_io_types, list):
        kept = [each.name for each in (*proto.graph.input, *proto.graph.output)
                if each.name in keep_io_types and each.type.tensor_type.elem_type == FLOAT]
    keeps_all = bool(keep_io_types) and not isinstance(keep_io_types, list)
    return convert(given, io_types="keep" if keeps_all else "low", keep_io=kept,
                   fp32_ops=qualified(proto, strings("op_block_list", op_block_list or ())), fp32_nodes=nodes,
                   small_constants=small_constants or "keep").model

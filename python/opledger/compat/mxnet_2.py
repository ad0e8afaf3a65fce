"""mxnet.amp of MXNet 2, with opledger's lists and placement; for inference only.

Differences from MXNet 2:
- The default lists are opledger's list for MXNet; a given list replaces a part of it, as in MXNet. Operators of the
  replaced part may run in either type.
- Casts are placed so that the fewest are needed.
- A parameter whose elements do not fit into float16 stays in float32, and so do the nodes that read it.
- A node of `conditional_fp32_ops` that lacks the attribute is not an error: the condition does not hold there.
- `excluded_sym_names` is never added to.
- `widest_dtype_ops` and `input_names` are also arguments, as in MXNet's proposals, by keyword only.
- `_foreach`, `_while_loop` and `_cond` stay in float32 with their contents, as in MXNet; if `target_dtype_ops` has
  the operator, its contents are converted too.
- `init`, `init_trainer`, `scale_loss` and `unscale` are for training, and are not replaced.
"""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Mapping, Optional, Tuple

import mxnet as mx  # type: ignore[import-untyped, import-not-found, unused-ignore]
import numpy

from ..arguments import Strings, strings
from ..models import Scratch
from .amp_lists import Condition, cast, converted, known_inputs, overridden
from .mxnet_1 import (list_conditional_fp32_ops, list_fp32_ops, list_lp16_fp32_ops, list_lp16_ops,  # noqa: F401
                      list_widest_type_cast)

Names = Optional[List[str]]  # like MXNet, refuses anything else
Conditions = Optional[List[Condition]]


def _name(dtype: Any) -> str:
    return getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or str(dtype)


def _target(dtype: Any) -> str:
    name = _name(dtype)
    assert name in ("float16", "bfloat16"), \
        "Only float16 and bfloat16 types are currently supported as target_dtype"
    return name


def _like(sym: Any, text: str) -> Any:
    """Returns the symbol of a JSON text, with the interface of `sym`: classic, or numpy's."""
    load = getattr(mx.sym, "fromjson", None) or mx.sym.load_json
    loaded = load(text)
    return loaded if type(loaded) is type(sym) else loaded.as_np_ndarray()


def convert_symbol(sym: Any, input_dtypes: Mapping[str, Any], param_dtypes: Mapping[str, Any], target_dtype: Any,
                   target_dtype_ops: Names = None, fp32_ops: Names = None, conditional_fp32_ops: Conditions = None,
                   excluded_sym_names: Strings = [], cast_params_offline: bool = False, *,
                   widest_dtype_ops: Names = None, input_names: Optional[Strings] = None) -> Any:
    """Returns a float32 Symbol with the casts of mixed precision. `input_dtypes`, `param_dtypes`: name -> type of each
    input and parameter; an input that only `input_names` has is float32. With `cast_params_offline` the symbol expects
    parameters in 16 bits if all their readers do. `widest_dtype_ops`: operators that run in the widest type of their
    inputs, instead of the list's.

    Raises AssertionError if it is not a Symbol, the type is not supported, or lists overlap or name unknown operators;
    and OpledgerError.

    >>> import mxnet as mx
    >>> from opledger.compat import mxnet_2 as amp
    >>> net = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=4, name="dense")
    >>> params = {"dense_weight": "float32", "dense_bias": "float32"}
    >>> low = amp.convert_symbol(net, {"x": "float32"}, params, "float16", cast_params_offline=True)
    >>> [name for name in low.get_internals().list_outputs() if "amp_cast" in name][:1]
    ['x_0_amp_cast_float16_output']
    """
    assert isinstance(sym, mx.sym.Symbol), "First argument to convert_symbol should be a Symbol"
    inputs = {**{name: "float32" for name in known_inputs(sym, input_names) or ()}, **input_dtypes}
    return _converted(sym, inputs, param_dtypes, None, target_dtype, target_dtype_ops, fp32_ops,
                      conditional_fp32_ops, excluded_sym_names, cast_params_offline, widest_dtype_ops)[0]


def _converted(sym: Any, input_dtypes: Mapping[str, Any], param_dtypes: Mapping[str, Any],
               params: Optional[Mapping[str, Any]], target_dtype: Any, target_dtype_ops: Names, fp32_ops: Names,
               conditional_fp32_ops: Conditions, excluded: Strings, offline: bool,
               widest_dtype_ops: Names) -> Tuple[Any, Dict[str, str]]:
    scratch, dtype = Scratch(), _target(target_dtype)
    chosen = overridden(dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops,
                        strings("excluded_sym_names", excluded), widest_dtype_ops)
    path = None
    if params is not None:  # their elements show what does not fit
        path = scratch.path / "model.npz"
        numpy.savez(str(path), **{name: value.asnumpy() for name, value in params.items()})
    inputs = {name: _name(each) for name, each in input_dtypes.items()}
    text, types = converted(sym.tojson(remove_amp_cast=False), chosen, path, offline, scratch, inputs,
                            None if path else {name: _name(each) for name, each in param_dtypes.items()},
                            sym.list_outputs())
    return _like(sym, text), types


def convert_model(sym: Any, arg_params: Dict[str, Any], aux_params: Dict[str, Any], input_dtypes: Mapping[str, Any],
                  target_dtype: Any, target_dtype_ops: Names = None, fp32_ops: Names = None,
                  conditional_fp32_ops: Conditions = None, excluded_sym_names: Strings = [],
                  cast_params_offline: bool = False, *,
                  widest_dtype_ops: Names = None) -> Tuple[Any, Dict[str, Any], Dict[str, Any]]:
    """Returns a float32 model in mixed precision: (symbol, arg_params, aux_params). As in MXNet 2, the given dicts are
    not changed.

    Raises the errors of `convert_symbol`, and AssertionError if the parameters are not dicts.

    >>> import mxnet as mx
    >>> from opledger.compat import mxnet_2 as amp
    >>> sym, args, aux = mx.model.load_checkpoint("net", 0)
    >>> _, low, _ = amp.convert_model(sym, args, aux, {"data": "float32"}, "float16", cast_params_offline=True)
    >>> args["head_weight"].dtype.__name__, low["head_weight"].dtype.__name__
    ('float32', 'float16')
    """
    assert isinstance(sym, mx.sym.Symbol), "First argument to convert_model should be a Symbol"
    assert isinstance(arg_params, dict), "Second argument to convert_model should be a dict of name to ndarray"
    assert isinstance(aux_params, dict), "Third argument to convert_model should be a dict of name to ndarray"
    params = {**arg_params, **aux_params}
    low, types = _converted(sym, input_dtypes, {}, params, target_dtype, target_dtype_ops, fp32_ops,
                            conditional_fp32_ops, excluded_sym_names, cast_params_offline, widest_dtype_ops)
    copies = []
    for given in (arg_params, aux_params):
        copies.append({name: cast(value, types[name]) if name in types else value for name, value in given.items()})
    return low, copies[0], copies[1]


def convert_hybrid_block(block: Any, data_example: Any, target_dtype: Any, target_dtype_ops: Names = None,
                         fp32_ops: Names = None, conditional_fp32_ops: Conditions = None,
                         excluded_sym_names: Strings = [], device: Any = None,
                         cast_params_offline: bool = False, *, widest_dtype_ops: Names = None) -> Any:
    """Returns a HybridBlock as a SymbolBlock in mixed precision, with its parameters on `device`. `data_example` is a
    typical input, an array or a list of them; the block is run once on it.

    Raises the errors of `convert_model`, and AssertionError if it is not a HybridBlock. Needs MXNet 2.
    """
    assert isinstance(block, mx.gluon.HybridBlock), "block input should be a HybridBlock"
    examples = list(data_example) if isinstance(data_example, (list, tuple)) else [data_example]
    arrays = (mx.nd.NDArray, mx.np.ndarray)
    assert all(isinstance(each, arrays) for each in examples), \
        "Data example must be composed of mxnet.numpy.ndarray or mxnet.ndarray.NDArray instances"
    if not block._active:
        block.hybridize(static_alloc=False, static_shape=False)
    block(*examples)
    mx.nd.waitall()
    sym, params = block.export(None, remove_amp_cast=False)
    args, aux = ({name[len(kind):]: value for name, value in params.items() if name.startswith(kind)}
                 for kind in ("arg:", "aux:"))
    names = ["data"] if len(examples) == 1 else [f"data{i}" for i in range(len(examples))]
    inputs = set(sym.list_inputs()) - {*args, *aux}
    assert inputs == set(names), f"data_example has {len(names)} arrays, but the block has the inputs {sorted(inputs)}"
    low, args, aux = convert_model(sym, args, aux, {name: each.dtype for name, each in zip(names, examples)},
                                   target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names,
                                   cast_params_offline, widest_dtype_ops=widest_dtype_ops)
    inner = low.get_internals()
    result = mx.gluon.SymbolBlock(low, [inner[name] for name in names])
    result.load_dict({**args, **aux}, device=device, cast_dtype=True, dtype_source="saved")
    return result

"""mxnet.contrib.amp of MXNet 1, with opledger's lists and placement; for inference only.

Differences from MXNet 1.9.1:
- The default lists are opledger's list for MXNet; a given list replaces a part of it, as in MXNet. Operators of the
  replaced part may run in either type.
- Casts are placed so that the fewest are needed.
- A parameter whose elements do not fit into float16 stays in float32, and so do the nodes that read it.
- `excluded_sym_names` that the symbol does not have are reported to the logger "opledger".
- `widest_dtype_ops` and `input_names` are also arguments, as in MXNet's proposals, by keyword only.
- `_foreach`, `_while_loop` and `_cond` stay in float32 with their contents, as in MXNet; if `target_dtype_ops` has
  the operator, its contents are converted too.
- `init`, `init_trainer`, `scale_loss` and `unscale` are for training, and are not replaced.
"""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Optional, Tuple

import mxnet as mx  # type: ignore[import-untyped, import-not-found, unused-ignore]

from ..arguments import Strings, strings
from ..models import Scratch
from .amp_lists import Condition, cast, conditions, converted, known_inputs, operators, overridden

Names = Optional[List[str]]  # like MXNet, refuses anything else
Conditions = Optional[List[Condition]]


def _dtype(target_dtype: Any) -> str:
    name = getattr(target_dtype, "__name__", str(target_dtype))
    assert name in ("float16", "bfloat16"), "Only target_dtype float16 and bfloat16 are supported currently"
    return name


def convert_symbol(sym: Any, target_dtype: Any = "float16", target_dtype_ops: Names = None, fp32_ops: Names = None,
                   conditional_fp32_ops: Conditions = None, excluded_sym_names: Names = None,
                   data_names: Optional[Strings] = None, cast_optional_params: bool = False, *,
                   widest_dtype_ops: Names = None, input_names: Optional[Strings] = None) -> Any:
    """Returns a float32 Symbol with the casts of mixed precision. `data_names`: inputs that are not parameters; by
    default all. `input_names` is another name for it. `widest_dtype_ops`: operators that run in the widest type of
    their inputs, instead of the list's.

    Raises AssertionError if it is not a Symbol, the type is not supported, or lists overlap or name unknown operators;
    and OpledgerError.

    >>> import mxnet as mx
    >>> from opledger.compat import mxnet_1 as amp
    >>> net = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=4, name="dense")
    >>> [name for name in amp.convert_symbol(net).get_internals().list_outputs() if "amp_cast" in name][:1]
    ['x_0_amp_cast_float16_output']
    """
    assert isinstance(sym, mx.sym.Symbol), "First argument to convert_symbol should be Symbol"
    assert excluded_sym_names is None or isinstance(excluded_sym_names, list), \
        "excluded_sym_names should be a list of strs"
    assert data_names is None or input_names is None, "data_names and input_names are one argument: give one of them"
    scratch, dtype = Scratch(), _dtype(target_dtype)
    chosen = overridden(dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names or (),
                        widest_dtype_ops)
    attributes = sym.attr_dict()
    data_names = known_inputs(sym, input_names) if data_names is None else data_names
    if data_names is None:
        data_names = [name for name in sym.list_inputs() if "__dtype__" not in attributes.get(name, {})]
    data = strings("data_names", data_names)
    params = {name: "float32" for name in sym.list_inputs() if name not in data}
    text, _ = converted(sym.tojson(remove_amp_cast=False), chosen, None, cast_optional_params, scratch, None, params)
    return mx.sym.load_json(text)


def convert_model(sym: Any, arg_params: Dict[str, Any], aux_params: Dict[str, Any], target_dtype: Any = "float16",
                  target_dtype_ops: Names = None, fp32_ops: Names = None, conditional_fp32_ops: Conditions = None,
                  excluded_sym_names: Names = None, cast_optional_params: bool = False, *,
                  widest_dtype_ops: Names = None) -> Tuple[Any, Any, Any]:
    """Returns a float32 model in mixed precision: (symbol, arg_params, aux_params). As in MXNet 1, the dicts are
    changed in place; by default no parameter is cast now, but each one at run time.

    Raises the errors of `convert_symbol`, and AssertionError if the parameters are not dicts.

    >>> import mxnet as mx
    >>> from opledger.compat import mxnet_1 as amp
    >>> sym, args, aux = mx.model.load_checkpoint("net", 0)
    >>> sym, args, aux = amp.convert_model(sym, args, aux, cast_optional_params=True)
    >>> args["head_weight"].dtype
    <class 'numpy.float16'>
    """
    assert isinstance(sym, mx.sym.Symbol), "First argument to convert_model should be Symbol"
    assert isinstance(arg_params, dict), "Second argument to convert_model should be a dict of name to ndarray"
    assert isinstance(aux_params, dict), "Third argument to convert_model should be a dict of name to ndarray"
    assert excluded_sym_names is None or isinstance(excluded_sym_names, list), \
        "excluded_sym_names should be a list of strs"
    scratch, dtype = Scratch(), _dtype(target_dtype)
    chosen = overridden(dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names or (),
                        widest_dtype_ops)
    path = scratch.path / "model-0000.params"
    mx.nd.save(str(path), {**{f"arg:{name}": array for name, array in arg_params.items()},
                           **{f"aux:{name}": array for name, array in aux_params.items()}})
    text, types = converted(sym.tojson(remove_amp_cast=False), chosen, path, cast_optional_params, scratch)
    for params in (arg_params, aux_params):
        for name in params:
            if name in types:
                params[name] = cast(params[name], types[name])
    return mx.sym.load_json(text), arg_params, aux_params


def convert_hybrid_block(block: Any, target_dtype: Any = "float16", target_dtype_ops: Names = None,
                         fp32_ops: Names = None, conditional_fp32_ops: Conditions = None,
                         excluded_sym_names: Names = None, ctx: Any = mx.gpu(0),
                         cast_optional_params: bool = False, *, widest_dtype_ops: Names = None) -> Any:
    """Returns a hybridized block that has been run once as a SymbolBlock in mixed precision, with its parameters on
    `ctx`.

    Raises the errors of `convert_model`, and RuntimeError if the block was not hybridized and run.

    >>> import mxnet as mx
    >>> from opledger.compat import mxnet_1 as amp
    >>> net = mx.gluon.nn.Dense(4)
    >>> net.initialize()
    >>> net.hybridize()
    >>> output = net(mx.nd.ones((2, 3)))
    >>> low = amp.convert_hybrid_block(net, ctx=mx.cpu(), cast_optional_params=True)
    >>> sorted({param.dtype.__name__ for param in low.collect_params().values()})
    ['float16']
    """
    assert isinstance(block, mx.gluon.HybridBlock), "block input should be a HybridBlock"
    if not block._cached_graph:
        raise RuntimeError("Please first call block.hybridize() and then run forward with this block at least once.")
    inputs, sym = block._cached_graph
    auxiliary = set(sym.list_auxiliary_states())
    values = {name: param._reduce() for name, param in block.collect_params().items()}
    sym, args, aux = convert_model(sym, {name: value for name, value in values.items() if name not in auxiliary},
                                   {name: value for name, value in values.items() if name in auxiliary}, target_dtype,
                                   target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names,
                                   cast_optional_params, widest_dtype_ops=widest_dtype_ops)
    result = mx.gluon.SymbolBlock(sym, inputs)
    own = result.collect_params()
    loaded = {}
    for kind, params in (("arg", args), ("aux", aux)):
        for name, value in params.items():
            if name in own:
                own[name].cast(value.dtype)
                loaded[f"{kind}:{name}"] = value
    own.load_dict(loaded, ctx)
    return result


def convert_bucketing_module(bucketing_mod: Any, target_dtype: Any = "float16", target_dtype_ops: Names = None,
                             fp32_ops: Names = None, conditional_fp32_ops: Conditions = None,
                             excluded_sym_names: Names = None, cast_optional_params: bool = False, *,
                             widest_dtype_ops: Names = None) -> Any:
    """Returns a BucketingModule whose symbols are in mixed precision.

    Raises the errors of `convert_model`, and AssertionError if it is not a BucketingModule or has no parameters yet.

    >>> from opledger.compat import mxnet_1 as amp
    >>> amp.convert_bucketing_module(None)
    Traceback (most recent call last):
    AssertionError: module should be instance of bucketing module
    """
    assert isinstance(bucketing_mod, mx.mod.BucketingModule), "module should be instance of bucketing module"
    assert bucketing_mod._buckets, "Bucketing Module should not be empty"
    assert bucketing_mod.params_initialized, "bucketing_mod params should be initialized for mixed precision conversion"
    current = bucketing_mod._curr_module
    symbols: Dict[Any, Any] = {}
    arg_params, aux_params = current._arg_params, current._aux_params
    for key, module in bucketing_mod._buckets.items():
        symbols[key], arg_params, aux_params = convert_model(
            module._symbol, arg_params, aux_params, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops,
            excluded_sym_names, cast_optional_params, widest_dtype_ops=widest_dtype_ops)
    own = {name: getattr(bucketing_mod, f"_{name}") for name in (
        "sym_gen", "default_bucket_key", "context", "work_load_list", "fixed_param_names", "state_names", "group2ctxs",
        "compression_params")}
    return mx.mod.BucketingModule.load_dict(symbols, arg_params=arg_params, aux_params=aux_params,
                                            logger=bucketing_mod.logger, **own)


def list_lp16_ops(target_dtype: Any) -> List[str]:
    """Returns the operators that run in 16 bits.

    >>> from opledger.compat import mxnet_1 as amp
    >>> "FullyConnected" in amp.list_lp16_ops("float16")
    True
    """
    return operators(_dtype(target_dtype), "target")


def list_fp32_ops(target_dtype: Any) -> List[str]:
    """Returns the operators that run in float32."""
    return operators(_dtype(target_dtype), "fp32")


def list_lp16_fp32_ops(target_dtype: Any) -> List[str]:
    """Returns the operators that run in either type."""
    return operators(_dtype(target_dtype), "either")


def list_conditional_fp32_ops(target_dtype: Any) -> List[Condition]:
    """Returns the operators that run in float32 for some values of an attribute."""
    return conditions(_dtype(target_dtype))


def list_widest_type_cast(target_dtype: Any) -> List[str]:
    """Returns the operators that run in the widest type of their inputs."""
    return operators(_dtype(target_dtype), "widest")

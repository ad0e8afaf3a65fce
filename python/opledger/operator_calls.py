"""Runs one operator of an installed package in a given type: for each package, a function finds the operator and
returns the ways to call it."""
# SPDX-License-Identifier: Apache-2.0

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

# Arrays are float64 with elements that the given type can represent; so is the result.
Call = Callable[[Sequence[Any], str, Mapping[str, Any]], Any]


class Unsupported(Exception):
    """The operator does not run in a type, or not with these arguments; the message gives the reason."""


class NoOperator(Exception):
    """The package has no such operator, or is not installed."""


@dataclass(frozen=True)
class OperatorCall:
    """One way to call an operator: one of its overloads, if it has several."""

    name: str  # as in the lists of its framework
    call: Call


@dataclass(frozen=True)
class Package:
    framework: str  # as in precision lists; empty for an operator of the project itself
    find: Callable[[str], List[OperatorCall]]


def said(error: BaseException) -> str:
    """Returns the first line of an error, or the last one if it contains a traceback."""
    lines = str(error).strip().splitlines()
    line = lines[-1 if lines[0].startswith("Traceback") else 0] if lines else ""
    return f"{type(error).__name__}: {line[:200]}" if line else type(error).__name__


def load(name: str) -> Any:
    """Imports and returns a module. Raises NoOperator if that fails."""
    top = name.partition(".")[0]
    if importlib.util.find_spec(top) is None:
        raise NoOperator(f"'{top}' is not installed: `pip install {top}`")
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise NoOperator(f"'{name}' cannot be imported: {said(error)}") from error


def attribute(module: Any, path: str) -> Any:
    """Returns `a.b.c` of a module, or None if it does not exist."""
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


def first_of(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        if not result:
            raise Unsupported("it returns nothing")
        return result[0]
    return result


def of_type(result: Any, found: str, wanted: str) -> Any:
    """Returns the result in float64. Raises Unsupported if the operator computed in another type."""
    import numpy
    if found != wanted:
        raise Unsupported(f"returns {found} for inputs of {wanted}")
    return numpy.asarray(result).astype(numpy.float64)


# numpy

def numpy_type(dtype: str) -> Any:
    import numpy
    if dtype != "bfloat16":
        return numpy.dtype(dtype)
    if importlib.util.find_spec("ml_dtypes") is None:
        raise Unsupported("numpy has bfloat16 only with the package ml_dtypes, which is not installed")
    return numpy.dtype(importlib.import_module("ml_dtypes").bfloat16)


def numpy_call(function: Callable[..., Any]) -> Call:
    def call(arrays: Sequence[Any], dtype: str, arguments: Mapping[str, Any]) -> Any:
        import numpy
        kind = numpy_type(dtype)
        with numpy.errstate(all="ignore"):
            result = numpy.asarray(first_of(function(*(each.astype(kind) for each in arrays), **arguments)))
        return of_type(result, result.dtype.name, dtype)
    return call


def find_numpy(name: str) -> List[OperatorCall]:
    function = attribute(load("numpy"), name[len("numpy."):] if name.startswith("numpy.") else name)
    if not callable(function):
        raise NoOperator(f"numpy has no function '{name}'")
    return [OperatorCall(name, numpy_call(function))]


# PyTorch

def torch_call(function: Callable[..., Any]) -> Call:
    def call(arrays: Sequence[Any], dtype: str, arguments: Mapping[str, Any]) -> Any:
        torch = load("torch")
        with torch.no_grad():
            tensors = [torch.from_numpy(each).to(getattr(torch, dtype)) for each in arrays]
            result = first_of(function(*tensors, **arguments))
            if not isinstance(result, torch.Tensor):
                raise Unsupported(f"returns {type(result).__name__} instead of a tensor")
            found = str(result.dtype).rpartition(".")[2]
            return of_type(result.to(torch.float64).numpy(), found, dtype)
    return call


def overloads_of(namespace: str, name: str, overload: str) -> Iterator[OperatorCall]:
    """Yields the overloads of a dispatcher operator, those with tensors first; only `overload` if it is not empty."""
    packet = attribute(load("torch").ops, f"{namespace}.{name}")
    for each in packet.overloads() if hasattr(packet, "overloads") else ():
        if overload not in ("", each) or "out" in each.split("_"):
            continue
        full = f"{namespace}::{name}" + ("" if each == "default" else f".{each}")
        yield OperatorCall(full, torch_call(getattr(packet, each)))


def find_torch(name: str) -> List[OperatorCall]:
    """Finds "aten::exp", "aten::softmax.int", "mine::norm", "torch.exp", "torch.nn.functional.gelu" or "exp"."""
    torch = load("torch")
    namespace, separator, rest = name.partition("::")
    if separator:
        plain, _, overload = rest.partition(".")
        found = list(overloads_of(namespace, plain, overload))
        if not found:
            raise NoOperator(f"torch.ops has no operator '{name}'; --import MODULE loads an extension")
        return found
    path = name[len("torch."):] if name.startswith("torch.") else name
    path = path[len("nn.functional."):] if path.startswith("nn.functional.") else path
    found = list(overloads_of("aten", path.replace(".", "_"), ""))  # torch.linalg.norm is aten::linalg_norm
    function = attribute(torch, path) or attribute(torch.nn.functional, path)
    if not found and not callable(function):
        raise NoOperator(f"torch has no operator '{name}'")
    return found or [OperatorCall(name, torch_call(function))]


# ONNX Runtime

def onnx_type(dtype: str) -> int:
    proto = load("onnx").TensorProto
    return int({"float16": proto.FLOAT16, "bfloat16": proto.BFLOAT16, "float32": proto.FLOAT, "float64": proto.DOUBLE}[dtype])


def onnx_node_model(schema: Any, dtype: str, arrays: Sequence[Any], arguments: Mapping[str, Any]) -> Any:
    """Returns a model of this one node. If numpy lacks the type, inputs and outputs are float32, with casts next to the
    node that change no element."""
    onnx, helper = load("onnx"), load("onnx.helper")
    outside = "float32" if dtype == "bfloat16" else dtype
    kind, nodes, names, initializers = onnx_type(dtype), [], [], []
    graph_inputs = [helper.make_tensor_value_info(f"x{index}", onnx_type(outside), each.shape)
                    for index, each in enumerate(arrays)]
    for index in range(len(arrays)):
        names.append(f"x{index}" if outside == dtype else f"c{index}")
        if outside != dtype:
            nodes.append(helper.make_node("Cast", [f"x{index}"], [f"c{index}"], to=kind))
    attributes = {}
    for name, value in arguments.items():
        positions = [index for index, each in enumerate(schema.inputs) if each.name == name]
        if name in schema.attributes:
            attributes[name] = value
        elif positions and positions[0] == len(names):
            names.append(name)
            initializers.append(helper.make_tensor(name, onnx.TensorProto.INT64, [len(value)], value))
        else:
            raise Unsupported(f"'{name}' is neither an attribute nor the next input of {schema.name}")
    output = "y" if outside == dtype else "r"
    nodes.append(helper.make_node(schema.name, names, [output], domain=schema.domain, **attributes))
    if outside != dtype:
        nodes.append(helper.make_node("Cast", ["r"], ["y"], to=onnx_type(outside)))
    outputs = [helper.make_tensor_value_info("y", onnx_type(outside), None)]
    graph = helper.make_graph(nodes, "one operator", graph_inputs, outputs, initializers)
    return graph


def has_onnx_kernel(schema: Any, dtype: str) -> bool:
    """Returns whether the runtime's CPU has a kernel for the type; without one it would compute in float32."""
    state = load("onnxruntime.capi.onnxruntime_pybind11_state")
    kernels = getattr(state, "get_all_opkernel_def", None)
    if kernels is None:
        return True
    wanted = {"float16": "float16", "bfloat16": "bfloat16", "float32": "float", "float64": "double"}[dtype]
    for each in kernels():
        first, last = each.version_range
        domain = "" if each.domain == "ai.onnx" else each.domain
        if (each.op_name, domain) == (schema.name, schema.domain) and each.provider == "CPUExecutionProvider" \
                and first <= schema.since_version <= last:
            if any(f"tensor({wanted})" in types for types in each.type_constraints.values()):
                return True
    return False


def onnxruntime_call(schema: Any, opset: int) -> Call:
    def call(arrays: Sequence[Any], dtype: str, arguments: Mapping[str, Any]) -> Any:
        onnx, runtime = load("onnx"), load("onnxruntime")
        if not has_onnx_kernel(schema, dtype):
            raise Unsupported(f"ONNX Runtime has no CPU kernel for {schema.name} in {dtype}")
        graph = onnx_node_model(schema, dtype, arrays, arguments)
        imports = [onnx.helper.make_opsetid("", opset)]
        if schema.domain:
            imports.append(onnx.helper.make_opsetid(schema.domain, schema.since_version))
        model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=10)
        options = runtime.SessionOptions()
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        kind = numpy_type("float32" if dtype == "bfloat16" else dtype)
        result = session.run(None, {f"x{index}": each.astype(kind) for index, each in enumerate(arrays)})[0]
        return of_type(result, dtype if dtype == "bfloat16" else result.dtype.name, dtype)
    return call


def find_onnxruntime(name: str) -> List[OperatorCall]:
    """Finds the newest version that the runtime has of "Softmax" or "com.microsoft.Gelu"."""
    load("onnxruntime")
    onnx, state = load("onnx"), load("onnxruntime.capi.onnxruntime_pybind11_state")
    domain, _, plain = name.rpartition(".")
    opset = onnx.defs.onnx_opset_version()
    newest: Optional[Any] = None
    for each in state.get_all_operator_schema():
        if (each.name, "" if each.domain == "ai.onnx" else each.domain) != (plain, domain):
            continue
        if (domain or each.since_version <= opset) and (newest is None or each.since_version > newest.since_version):
            newest = each
    if newest is None:
        raise NoOperator(f"ONNX Runtime has no operator '{name}'")
    highest = max(each.since_version for each in state.get_all_operator_schema() if each.domain in ("", "ai.onnx"))
    return [OperatorCall(name, onnxruntime_call(newest, min(opset, highest)))]


# MXNet

def mxnet_call(function: Callable[..., Any], numpy_like: bool = False) -> Call:
    def call(arrays: Sequence[Any], dtype: str, arguments: Mapping[str, Any]) -> Any:
        mxnet = load("mxnet")
        if dtype == "bfloat16":
            raise Unsupported("MXNet cannot create bfloat16 arrays from numpy arrays")
        array = mxnet.np.array if numpy_like else mxnet.nd.array
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in arguments.items()}
        numbers = first_of(function(*(array(each, dtype=dtype) for each in arrays), **given)).asnumpy()
        return of_type(numbers, numbers.dtype.name, dtype)
    return call


# Prefix of operator names -> the module that has their functions, and whether these take arrays of mxnet.np.
MXNET_MODULES = (("_npi_", "ndarray.numpy._internal", True), ("_np_", "ndarray.numpy._internal", True),
                 ("_npx_", "ndarray.numpy_extension._internal", True), ("_contrib_", "nd.contrib", False),
                 ("", "nd", False), ("", "nd._internal", False))


def find_mxnet(name: str) -> List[OperatorCall]:
    mxnet = load("mxnet")
    for prefix, module, numpy_like in MXNET_MODULES:
        if name.startswith(prefix):
            function = getattr(attribute(mxnet, module), name[len(prefix):], None)
            if callable(function):
                return [OperatorCall(name, mxnet_call(function, numpy_like))]
    raise NoOperator(f"mxnet has no operator '{name}'")


PACKAGES: Dict[str, Package] = {
    "torch": Package("pytorch", find_torch), "numpy": Package("numpy", find_numpy),
    "onnxruntime": Package("onnxruntime", find_onnxruntime), "mxnet": Package("mxnet", find_mxnet)}

# Argument types of a user's function.
ARRAYS: Dict[str, Callable[[Callable[..., Any]], Call]] = {"numpy": numpy_call, "torch": torch_call, "mxnet": mxnet_call}


def find_function(place: str, name: str, arrays: str) -> List[OperatorCall]:
    """Finds `module:function`, which takes numpy arrays, or tensors of another package."""
    module, _, path = place.partition(":")
    function = attribute(load(module), path)
    if not callable(function):
        raise NoOperator(f"module '{module}' has no function '{path}'")
    return [OperatorCall(name, ARRAYS[arrays](function))]

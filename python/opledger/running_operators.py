"""Runs in a separate process for `opledger.registry`: imports a framework, and writes its operators to a file.

    python -I running_operators.py '{"framework": "torch", "package": "torchvision", "imports": []}' RESULT.json

It needs only the standard library and the framework: `-I` may even hide the package of this file.
"""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import importlib
import importlib.util
import json
import os
import sys
import traceback
from typing import Any, Callable, Dict, List, Mapping, Optional

Operator = Dict[str, Any]


class Failure(Exception):
    """`kind`: "missing" if a package is not installed, "import" if it fails to import, "ask" if it lists no
    operators."""

    def __init__(self, kind: str, module: str, text: str = "") -> None:
        super().__init__(text)
        self.kind, self.module, self.text = kind, module, text


def said(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return type(error).__name__ + (f": {lines[0][:300]}" if lines else "")


def load(name: str) -> Any:
    """Imports and returns a module. If the import raises, prints the traceback and raises Failure."""
    top = name.partition(".")[0]
    if top not in sys.modules and importlib.util.find_spec(top) is None:
        raise Failure("missing", top)
    try:
        return importlib.import_module(name)
    except BaseException as error:  # also SystemExit
        traceback.print_exc()
        raise Failure("import", name, said(error)) from error


def torch_operators() -> List[Operator]:
    """Returns the dispatcher's operators and, without "dispatch_keys", those that only TorchScript has. Entries without
    "schema" are kernels of undefined operators."""
    core = load("torch")._C
    schemas: Dict[str, str] = {}
    for schema in getattr(core, "_jit_get_all_schemas", list)():
        schemas.setdefault(f"{schema.name}.{schema.overload_name}".rstrip("."), str(schema))
    dispatched = set(getattr(core, "_dispatch_get_all_op_names", list)())
    kernels = torch_kernels(core, dispatched)
    operators = []
    for name in dispatched | schemas.keys():
        operator: Operator = {"name": name}
        if name in dispatched:
            operator["dispatch_keys"] = kernels.get(name, [])
        if name in schemas:
            operator["schema"] = schemas[name]
        operators.append(operator)
    return operators


def torch_kernels(core: Any, names: Any) -> Dict[str, List[str]]:
    """Returns operator -> the dispatch keys that have a kernel, in the order of the keys."""
    kernels: Dict[str, List[str]] = {}
    registered = getattr(core, "_dispatch_get_registrations_for_dispatch_key", None)
    has_kernel = getattr(core, "_dispatch_has_kernel_for_dispatch_key", None)

    def of_key(key: str) -> Any:
        return registered(key) if registered else [name for name in names if has_kernel and has_kernel(name, key)]

    for key in getattr(getattr(core, "DispatchKey", None), "__members__", ()):
        try:
            having = of_key(key)
        except RuntimeError:  # a key that marks the end of others, or has no kernels of its own
            continue
        for name in having:
            kernels.setdefault(name, []).append(key)
    return kernels


def tensorflow_operators() -> List[Operator]:
    """Returns the operators from the C interface, otherwise from the functions of tf.raw_ops, which have only names."""
    raw_ops = load("tensorflow").raw_ops
    try:
        protos = importlib.import_module("tensorflow.core.framework.op_def_pb2")
        session = importlib.import_module("tensorflow.python.client.pywrap_tf_session")
        types = importlib.import_module("tensorflow.core.framework.types_pb2").DataType
        every = protos.OpList()  # type: ignore[attr-defined, unused-ignore]
        every.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    except (ImportError, AttributeError):
        return [{"name": name} for name in dir(raw_ops) if not name.startswith("_")]

    def argument(each: Any) -> Dict[str, str]:
        one = each.type_list_attr or each.type_attr or types.Name(each.type)[len("DT_"):].lower()
        one = f"Ref({one})" if each.is_ref else one
        return {"name": each.name, "type": f"{each.number_attr} * {one}" if each.number_attr else one}

    devices = tensorflow_devices()
    return [{"name": op.name, "inputs": [argument(each) for each in op.input_arg],
             "outputs": [argument(each) for each in op.output_arg],
             "attributes": [{"name": each.name, "type": each.type} for each in op.attr],
             "devices": sorted(devices.get(op.name, ()))} for op in every.op]


def tensorflow_devices() -> Dict[str, Any]:
    """Returns operator -> the devices that have a kernel."""
    devices: Dict[str, Any] = {}
    try:
        kernels = importlib.import_module("tensorflow.python.framework.kernels").get_all_registered_kernels()
    except (ImportError, AttributeError):
        return devices
    for kernel in kernels.kernel:
        devices.setdefault(kernel.op, set()).add(kernel.device_type)
    return devices


def qualified(domain: str, name: str) -> str:
    """Returns the scanner's name of an ONNX operator: with its domain, except for the default one."""
    return f"{domain}.{name}" if domain not in ("", "ai.onnx") else name


def onnx_operator(schema: Any) -> Operator:
    def argument(each: Any) -> Dict[str, str]:
        told = {"name": each.name, "type": getattr(each, "type_str", None) or each.typeStr}
        option = str(each.option).rpartition(".")[2].lower()
        return told if option == "single" else {**told, "option": option}

    operator: Operator = {
        "name": qualified(schema.domain, schema.name), "since": schema.since_version,
        "inputs": [argument(each) for each in schema.inputs], "outputs": [argument(each) for each in schema.outputs],
        "attributes": [{"name": each.name, "type": str(each.type).rpartition(".")[2].lower(),
                        "required": bool(each.required)} for each in schema.attributes.values()],
        "types": {each.type_param_str: sorted(each.allowed_type_strs) for each in schema.type_constraints}}
    if schema.deprecated:
        operator["deprecated"] = True
    return operator


def onnx_operators() -> List[Operator]:
    """Returns every version of every operator."""
    return [onnx_operator(each) for each in load("onnx").defs.get_all_schemas_with_history()]


def onnxruntime_operators() -> List[Operator]:
    """Returns every version of every operator, with the kernels whose version ranges overlap it. Entries without
    "since" are kernels of operators without a schema."""
    load("onnxruntime")
    state = load("onnxruntime.capi.onnxruntime_pybind11_state")
    operators = [onnx_operator(each) for each in state.get_all_operator_schema()]
    kernels: Dict[str, List[Dict[str, Any]]] = {}
    for each in getattr(state, "get_all_opkernel_def", list)():
        first, last = each.version_range
        kernels.setdefault(qualified(each.domain, each.op_name), []).append(
            {"provider": each.provider, "first": first, "last": last,
             "types": {name: sorted(types) for name, types in each.type_constraints.items()}})
    since: Dict[str, List[int]] = {}
    for operator in operators:
        since.setdefault(operator["name"], []).append(operator["since"])
    for operator in operators:
        later = [each for each in since[operator["name"]] if each > operator["since"]]
        end = min(later) if later else sys.maxsize
        operator["kernels"] = [each for each in kernels.get(operator["name"], ())
                               if each["first"] < end and each["last"] >= operator["since"]]
    return operators + [{"name": name, "kernels": having} for name, having in kernels.items() if name not in since]


def mxnet_operators() -> List[Operator]:
    """Returns the operators from the C interface. A further name of an operator refers to it."""
    base = load("mxnet.base")
    library, check = base._LIB, base.check_call
    count, names = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    check(library.MXListAllOpNames(ctypes.byref(count), ctypes.byref(names)))
    found = [names[index] or b"" for index in range(count.value)]
    return [mxnet_operator(library, check, name) for name in found]


def mxnet_operator(library: Any, check: Callable[[int], None], name: bytes) -> Operator:
    operator: Operator = {"name": name.decode()}
    handle, number = ctypes.c_void_p(), ctypes.c_uint()
    own, text, key, returned = (ctypes.c_char_p() for _ in range(4))
    lists = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
    if not hasattr(library, "NNGetOpHandle"):
        return operator
    check(library.NNGetOpHandle(ctypes.c_char_p(name), ctypes.byref(handle)))
    check(library.MXSymbolGetAtomicSymbolInfo(
        handle, ctypes.byref(own), ctypes.byref(text), ctypes.byref(number), *map(ctypes.byref, lists),
        ctypes.byref(key), ctypes.byref(returned)))
    if own.value and own.value != name:
        operator["alias_of"] = own.value.decode()
    operator["arguments"] = [{"name": (lists[0][index] or b"").decode(), "type": (lists[1][index] or b"").decode()}
                             for index in range(number.value)]
    return operator


def tvm_operators() -> List[Operator]:
    op = load("tvm").ir.Op
    operators = []
    for name in op.list_op_names():
        operator: Operator = {"name": str(name)}
        arguments = getattr(op.get(name), "arguments", None)
        if arguments:
            operator["arguments"] = [{"name": str(each.name), "type": str(each.type_info)} for each in arguments]
        operators.append(operator)
    return operators


FRAMEWORKS: Dict[str, Callable[[], List[Operator]]] = {
    "torch": torch_operators, "tensorflow": tensorflow_operators, "onnx": onnx_operators,
    "onnxruntime": onnxruntime_operators, "mxnet": mxnet_operators, "tvm": tvm_operators}


def ask(framework: str) -> List[Operator]:
    try:
        operators = FRAMEWORKS[framework]()
    except Failure:
        raise
    except Exception as error:
        traceback.print_exc()
        raise Failure("ask", framework, said(error)) from error
    if not operators:
        raise Failure("ask", framework, "it lists no operators")
    return operators


def version_of(module: Any) -> Optional[str]:
    version = getattr(module, "__version__", None)
    return None if version is None else str(version)


def load_all(modules: List[str], tolerant: bool) -> None:
    for module in modules:
        try:
            load(module)
        except Failure:
            if not tolerant:
                raise


def tell(job: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the operators of a framework. With "package", only those that this package added, and the framework's own
    modules that were loaded with it ("loaded"), which may also have added operators."""
    framework, package = job["framework"], job.get("package")
    result: Dict[str, Any] = {"framework": framework, "version": version_of(load(framework))}
    if package is None:
        load_all(job["imports"], job.get("tolerant", False))
        return {**result, "operators": ask(framework)}
    before = {(each["name"], each.get("since")) for each in ask(framework)}
    modules = set(sys.modules)
    result.update(package=package, package_version=version_of(load(package)))
    load_all(job["imports"], False)
    result["operators"] = [each for each in ask(framework) if (each["name"], each.get("since")) not in before]
    result["loaded"] = [each for each in sys.modules
                        if each.startswith(f"{framework}.") and each not in modules and sys.modules[each] is not None]
    return result


def main() -> None:
    job, place = json.loads(sys.argv[1]), sys.argv[2]
    try:
        result = tell(job)
    except Failure as failure:
        result = {"error": failure.kind, "module": failure.module, "text": failure.text}
    with open(f"{place}.part", "w", encoding="ascii") as file:
        json.dump(result, file)
    os.replace(f"{place}.part", place)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # skips the frameworks' cleanup at exit, which may crash


if __name__ == "__main__":
    main()

"""Converts a symbol by one of opledger's lists, changed by MXNet's arguments; for both versions of MXNet."""
# SPDX-License-Identifier: Apache-2.0

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from .. import convert
from ..arguments import Strings, strings
from ..models import Scratch
from ..precision_lists import POLICIES, lists

Condition = Tuple[str, str, List[str]]
# Operators that contain graphs. MXNet leaves these as they are, so here they and their contents stay in float32, unless
# `target_dtype_ops` has the operator.
HOLDERS = ("_cond", "_foreach", "_npx_cond", "_npx_foreach", "_npx_while_loop", "_while_loop")
# Type numbers in a symbol's __dtype__.
_NUMBERS = {"0": "float32", "1": "float64", "2": "float16", "3": "uint8", "4": "int32", "5": "int8", "6": "int64",
            "7": "bool", "12": "bfloat16"}


def cast(array: Any, dtype: str) -> Any:
    """Casts an NDArray, or an array of MXNet's numpy, to another type."""
    import numpy
    if getattr(array.dtype, "__name__", str(array.dtype)) == dtype:
        return array
    if dtype != "bfloat16":
        return array.astype(dtype)
    kind = numpy.dtype([("bfloat16", numpy.uint16)])  # MXNet's name for it
    if array.dtype == kind:
        return array
    plain = array.as_nd_ndarray().astype(kind)
    return plain.as_np_ndarray() if array.as_nd_ndarray() is not array else plain


def content(target_dtype: str) -> Dict[str, Any]:
    """Returns opledger's list for MXNet, as a JSON object."""
    return next(each for each in lists("mxnet") if each.target_dtype == target_dtype).content()


def name_of(entry: Any) -> str:
    return entry if isinstance(entry, str) else str(entry["op"])


def operators(target_dtype: str, policy: str) -> List[str]:
    """Returns the operators under a policy of opledger's list."""
    return [name_of(each) for each in content(target_dtype).get(policy, ())]


def conditions(target_dtype: str) -> List[Condition]:
    """Returns conditional operators in MXNet's form: (operator, attribute, values for which it runs in float32)."""
    found: List[Condition] = []
    for entry in content(target_dtype).get("conditional", ()):
        found += [(entry["op"], clause["attribute"], list(clause.get("values", ())))
                  for clause in entry.get("clauses", [entry])
                  if clause["then"] == "fp32" and "attribute" in clause and "values" in clause]
    return found


def known_inputs(sym: Any, names: Optional[Strings]) -> Optional[List[str]]:
    """Returns the `input_names` of a call. Raises AssertionError if the symbol lacks one of them."""
    if names is None:
        return None
    given = strings("input_names", names)
    unknown = sorted(set(given) - set(sym.list_inputs()))
    assert not unknown, f"input_names: the symbol has no input {', '.join(unknown)}; it has {sym.list_inputs()}"
    return given


def overridden(target_dtype: str, target_dtype_ops: Optional[Sequence[str]], fp32_ops: Optional[Sequence[str]],
               conditional_fp32_ops: Optional[Sequence[Condition]], excluded: Sequence[str],
               widest_dtype_ops: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """Returns opledger's list with the given parts replaced. Operators of a replaced part may run in either type.

    Raises AssertionError, as MXNet does, if an operator is in two of the given lists or in no list.
    """
    for name, given in (("target_dtype_ops", target_dtype_ops), ("fp32_ops", fp32_ops),
                        ("conditional_fp32_ops", conditional_fp32_ops), ("widest_dtype_ops", widest_dtype_ops)):
        assert given is None or isinstance(given, list), f"{name} should be a list"
    data = content(target_dtype)
    parts: Dict[str, Set[str]] = {policy: {name_of(each) for each in data.get(policy, ())} for policy in POLICIES}
    known = parts["target"] | parts["fp32"] | parts["either"] | parts["conditional"]
    if widest_dtype_ops is not None:
        known |= parts["widest"]
    given_parts = {"target": target_dtype_ops, "fp32": fp32_ops, "widest": widest_dtype_ops,
                   "conditional": None if conditional_fp32_ops is None else [each[0] for each in conditional_fp32_ops]}
    for policy, wanted in given_parts.items():
        if wanted is not None:
            parts[policy] = set(wanted)
    pairs = [("target", "fp32"), ("target", "conditional"), ("conditional", "fp32")]
    if widest_dtype_ops is not None:
        pairs += [("target", "widest"), ("fp32", "widest"), ("conditional", "widest")]
    for one, other in pairs:
        both = sorted(parts[one] & parts[other])
        assert not both, f"Ops cannot be in two or more lists. Common ops in {one} and {other}: {both}"
    chosen = parts["target"] | parts["fp32"] | parts["conditional"]
    illegal = sorted((chosen if widest_dtype_ops is None else chosen | parts["widest"]) - known)
    assert not illegal, f"Can only choose ops that are in the lists of {target_dtype}; not in any of them: {illegal}"
    return _written(data, parts, given_parts, conditional_fp32_ops, excluded)


def _written(data: Mapping[str, Any], parts: Mapping[str, Set[str]], given: Mapping[str, Optional[Sequence[str]]],
             conditional: Optional[Sequence[Condition]], excluded: Sequence[str]) -> Dict[str, Any]:
    chosen = parts["target"] | parts["fp32"] | parts["conditional"]
    if given["widest"] is not None:
        chosen |= parts["widest"]
    result: Dict[str, Any] = {name: value for name, value in data.items() if name not in (*POLICIES, "$schema")}
    free = []
    for policy in POLICIES:
        entries = [each for each in data.get(policy, ()) if name_of(each) not in chosen or
                   (name_of(each) in parts[policy] and given.get(policy) is None)]
        free += [each for each in entries if given.get(policy) is not None]
        result[policy] = [each for each in entries if given.get(policy) is None]
        if given.get(policy) is not None and policy != "conditional":
            result[policy] = sorted(parts[policy])
    taken = {name_of(each) for policy in POLICIES for each in result[policy]}
    result["either"] += sorted({name_of(each) for each in free} - taken)
    if conditional is not None:
        clauses: Dict[str, List[Dict[str, Any]]] = {}
        for operator, attribute, values in conditional:
            values = strings("values of conditional_fp32_ops", values)
            clauses.setdefault(operator, []).append({"attribute": attribute, "values": values, "then": "fp32"})
        result["conditional"] = [{"op": operator, "clauses": each, "otherwise": "either"}
                                 for operator, each in clauses.items()]
    left = [each for each in HOLDERS if each not in parts["target"]]
    for policy in POLICIES:
        result[policy] = [each for each in result[policy] if name_of(each) not in left]
    result["fp32"] += left
    if excluded:
        result["fp32_nodes"] = list(excluded)
    return result


def _without_copies(text: str, symbol: str, dtype: str) -> str:
    """Replaces the second variable of a parameter that is read in both types by a cast of the first: MXNet's callers
    know only the variables that they had."""
    known = {node["name"] for node in json.loads(symbol)["nodes"] if node["op"] == "null"}
    graph = json.loads(text)
    places = {node["name"]: place for place, node in enumerate(graph["nodes"])}
    copies = [node for node in graph["nodes"] if node["op"] == "null" and node["name"] not in known]
    for node in copies:
        original = node["name"][:node["name"].rindex(f"__{dtype}")]
        graph["arg_nodes"].remove(places[node["name"]])
        node.update(op="amp_cast", attrs={"dtype": dtype}, inputs=[[places[original], 0, 0]])
    return json.dumps(graph, indent=2) if copies else text


def converted(symbol: str, chosen: Mapping[str, Any], params: Optional[Path], offline: bool, scratch: Scratch,
              input_dtypes: Optional[Mapping[str, str]] = None,
              param_dtypes: Optional[Mapping[str, str]] = None,
              outputs: Sequence[str] = ()) -> Tuple[str, Dict[str, str]]:
    """Returns a symbol's JSON in mixed precision, and the new types of its variables, if it sets them. An input that is
    of the 16-bit type becomes so in a float32 model; `outputs` keep their types."""
    path = scratch.path / "model-symbol.json"
    path.write_text(symbol, encoding="utf-8")
    if offline and params is None and param_dtypes:  # parameters whose elements are unknown
        import numpy
        params = scratch.path / "model.npz"
        numpy.savez(str(params), **{name: numpy.ones(1, dtype) for name, dtype in param_dtypes.items()})
        param_dtypes = None
    low = [name for name, dtype in (input_dtypes or {}).items() if dtype == chosen["target_dtype"]]
    input_dtypes = {name: dtype for name, dtype in (input_dtypes or {}).items() if name not in low}
    kept = [*outputs, *input_dtypes, *(() if params else param_dtypes or ())]
    done = convert(path, precision_list=chosen, target_dtype=chosen["target_dtype"], params=params,
                   cast_params_offline=offline, input_dtypes=input_dtypes, param_dtypes=param_dtypes,
                   io_types="low" if low else "keep", keep_io=kept if low else ())
    text = _without_copies(done.path.read_text(encoding="utf-8"), symbol, chosen["target_dtype"])
    types = {}
    for node in json.loads(text)["nodes"]:
        number = (node.get("attrs") or node.get("attr") or node.get("param") or {}).get("__dtype__")
        if node["op"] == "null" and number in _NUMBERS:
            types[node["name"]] = _NUMBERS[number]
    return text, types

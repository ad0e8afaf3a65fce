#!/usr/bin/env python3
"""Compares registry/operators/mxnet-types.json with MXNet 1.9.1's infer_type: for every operator of
the table that MXNet has, on a symbol of this one node, with inputs in float32, in 16 bits, and in
both. The table must yield MXNet's types and refuse what MXNet refuses.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import ctypes
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers

TABLE = ROOT / "registry/operators/mxnet-types.json"
FLAGS = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7,
         "bfloat16": 12}
# Not testable as one node: subgraphs, a missing library, shapes, or inputs counted only at run
# time.
UNASKED = {"_foreach", "_while_loop", "_cond", "_copyto", "_NDArray", "_CrossDeviceCopy",
           "IdentityAttachKLSparseReg", "Pooling", "Deconvolution", "RNN", "_linspace"}
SHARE = 0.95  # minimum share of MXNet's operators that yield types

try:
    import mxnet
except ImportError:
    mxnet = None


def example(kind):
    """Returns a value for an attribute of this kind."""
    if kind.startswith("{"):
        return kind[1:].split(",")[0].strip().strip("'}")
    for word, value in (("Shape", "(1, 1)"), ("tuple", "(1, 1)"), ("boolean", "1"), ("float", "1.0"),
                        ("double", "1.0"), ("string", "x")):
        if word in kind:
            return value
    return "1"


def described():
    """Returns operator -> its arguments: (name, kind), and the attribute that counts inputs."""
    from mxnet.base import _LIB, check_call, py_str
    creators, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_uint()
    check_call(_LIB.MXSymbolListAtomicSymbolCreators(ctypes.byref(count), ctypes.byref(creators)))
    found = {}
    for i in range(count.value):
        text = [ctypes.c_char_p() for _ in range(4)]
        lists = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
        size = ctypes.c_uint()
        by = ctypes.byref
        check_call(_LIB.MXSymbolGetAtomicSymbolInfo(
            ctypes.c_void_p(creators[i]), by(text[0]), by(text[1]), by(size), by(lists[0]), by(lists[1]),
            by(lists[2]), by(text[2]), by(text[3])))
        arguments = [(py_str(lists[0][k]), py_str(lists[1][k])) for k in range(size.value)]
        found[py_str(text[0].value)] = (arguments, py_str(text[2].value))
    return found


def symbol(op, types, attributes, outputs):
    nodes = [{"op": "null", "name": f"i{k}", "attrs": {"__dtype__": str(FLAGS[dtype])}, "inputs": []}
             for k, dtype in enumerate(types)]
    nodes.append({"op": op, "name": "n", "attrs": attributes,
                  "inputs": [[k, 0, 0] for k in range(len(types))]})
    return json.dumps({"nodes": nodes, "arg_nodes": list(range(len(types))),
                       "heads": [[len(types), k, 0] for k in range(outputs)],
                       "attrs": {"mxnet_version": ["int", 10901]}})


def asked(op, types, attributes):
    """Returns MXNet's types of the outputs; None if it refuses the inputs."""
    from mxnet.base import _LIB, check_call
    try:
        one = mxnet.sym.load_json(symbol(op, types, attributes, 1))
        outputs = len(one.get_internals().list_outputs()) - len(types)
        loaded = mxnet.sym.load_json(symbol(op, types, attributes, outputs))
        size = [ctypes.c_uint() for _ in range(3)]
        data = [ctypes.POINTER(ctypes.c_int)() for _ in range(3)]
        complete = ctypes.c_int()
        check_call(_LIB.MXSymbolInferType(
            loaded.handle, 0, None, (ctypes.c_int * 0)(), ctypes.byref(size[0]), ctypes.byref(data[0]),
            ctypes.byref(size[1]), ctypes.byref(data[1]), ctypes.byref(size[2]), ctypes.byref(data[2]),
            ctypes.byref(complete)))
    except mxnet.base.MXNetError:
        return None
    names = {flag: name for name, flag in FLAGS.items()}
    return [names.get(data[1][k]) for k in range(size[1].value)] if complete.value else None


def at(items, position):
    """Returns the item at a position in a list whose last item may repeat."""
    if position < len(items):
        return items[position]
    return items[-1] if items and "..." in items[-1] else None


def variable(text):
    words = text.split(": ")[-1].replace("...", "").split()
    return [word for word in words if word not in ("any", "of", "index", "shape", "writes")][0]


INTEGERS = ("bool", "int8", "uint8", "int32", "int64")
WIDTHS = [*INTEGERS, "float16", "bfloat16", "float32", "float64"]


def by_rule(rule, types, attributes):
    """Returns the type that a rule yields; None if it does not apply."""
    if "integer" in rule and types[rule["integer"]] not in INTEGERS:
        return None
    given = attributes.get(rule.get("attribute"))
    if "widest" in rule or "narrowest" in rule or "input" in rule:
        if "attribute" in rule and given != rule["equals"]:
            return None
        if "input" in rule:
            return types[rule["input"]]
        return (max if "widest" in rule else min)(types, key=WIDTHS.index)
    if "attribute" in rule:
        return (None if given == "None" else given) or rule.get("default")
    return rule.get("type")


def expected(family, types, attributes, count):
    """Returns the table's types of the outputs; None if it refuses or has no entry for these
    inputs."""
    bound = {}
    for position, dtype in enumerate(types):
        text = at(family["inputs"], position)
        if text is None:
            return None
        name = variable(text)
        if name in FLAGS:
            if name != dtype:
                return None
            continue
        if dtype not in family.get("types", {}).get(name, [dtype]):
            return None
        if "any of" not in text and bound.setdefault(name, dtype) != dtype:
            return None
    outputs = []
    for position in range(count):
        rules = [rule for rule in family.get("rules", []) if rule["output"] in ("*", position)]
        found = next((dtype for dtype in (by_rule(rule, types, attributes) for rule in rules) if dtype), None)
        name = variable(at(family["outputs"], position) or "?")
        outputs.append(found or (name if name in FLAGS else bound.get(name)))
    return outputs


def mixtures(family, count):
    """Yields the input types to test: one type for all inputs, and float16 with float32 where the
    table allows mixed types."""
    for dtype in ("float32", "float16", "bfloat16"):
        yield [dtype] * count
    texts = [at(family["inputs"], position) or "data: T" for position in range(count)]
    names = [variable(text) for text in texts]
    for low in dict.fromkeys(names):
        yield ["float16" if name == low else "float32" for name in names]
    if count > 1:
        yield ["float16"] + ["float32"] * (count - 1)


def judge(op, family, arguments, counter):
    """Returns (number of questions, differences)."""
    inputs = [name for name, kind in arguments if "NDArray" in kind or "Symbol" in kind]
    many = any("[]" in kind for _, kind in arguments if "NDArray" in kind or "Symbol" in kind)
    attributes = {name: example(kind) for name, kind in arguments
                  if "required" in kind and "NDArray" not in kind and "Symbol" not in kind}
    if "dtype" in attributes:
        attributes["dtype"] = "float32"
    if many and counter:
        attributes[counter] = "2"
    count, questions, wrong = (2 if many else len(inputs)), 0, []
    for size in dict.fromkeys([count, *range(min(count, 6), -1, -1)]):
        if size and asked(op, ["float32"] * size, attributes) or size == 0 and not inputs:
            count = size
            break
    else:
        return 0, []
    for types in mixtures(family, count):
        said = asked(op, types, attributes)
        ours = expected(family, types, attributes, len(said or []) or 1)
        questions += 1
        # A type that MXNet 1.9 refuses and MXNet 2 accepts is a matter of the list, not of types.
        if said is None and (len(set(types)) == 1 or ours is None):
            continue
        if said is not None and ours is not None and [a for a, b in zip(ours, said) if a not in (b, None)]:
            wrong.append(f"{op}{types}: {ours} by the table, {said} by MXNet")
        elif said is None:
            wrong.append(f"{op}{types}: {ours} by the table, refused by MXNet")
    return questions, wrong


def ask(op, family, description):
    """Runs in a child process, since some operators crash."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        os.write(writer, json.dumps(judge(op, family, *description)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else (0, [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--every", type=int, default=1, help="only each Nth operator")
    parser.add_argument("--operators", nargs="*", help="only these")
    arguments = parser.parse_args()
    if mxnet is None:
        peers.require(arguments.bin, "mxnet")
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    other = {}
    for alias, op in table["aliases"].items():
        other.setdefault(op, []).append(alias)
    peer, wrong, operators, silent, questions = described(), [], 0, 0, 0
    rows = [(op, family) for family in table["families"] for op in family["operators"]]
    for op, family in rows[::arguments.every]:
        names = [name for name in (op, *other.get(op, [])) if name in peer and name not in UNASKED]
        for name in names:
            if arguments.operators and name not in arguments.operators:
                continue
            number, differing = ask(name, family, peer[name])
            operators += number > 0
            silent += number == 0
            questions += number
            wrong += differing
    for line in wrong:
        print(line)
    print(f"{operators} operators, {questions} questions, {len(wrong)} differ")
    few = operators < SHARE * (operators + silent)
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main())

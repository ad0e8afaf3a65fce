"""Finds the operators that each operator's gradient uses, from TensorFlow's registry of gradients:
from the calls in the registered functions, and in the functions of TensorFlow's operators that
these call."""
# SPDX-License-Identifier: Apache-2.0

import ast
import inspect
import re
import sys
import textwrap

OPERATOR = re.compile(r'TFE_Py_FastPathExecute\(\s*_ctx, "(\w+)"')  # in a generated function
WRITTEN = ("tensorflow.python.ops", "tensorflow.dtensor")  # modules that contain gradients
DEEPEST = 5


def functions_named(tree, names):
    """Yields the functions that names and attributes of modules in `tree` refer to."""
    for node in ast.walk(tree):
        found = None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = names.get(node.value.id)
            found = getattr(module, node.attr, None) if inspect.ismodule(module) else None
        elif isinstance(node, ast.Name):
            found = names.get(node.id)
        found = inspect.unwrap(found) if callable(found) else None
        if inspect.isfunction(found) and found.__module__.startswith(WRITTEN):
            yield found


def operators_of(function, known, depth=0):
    function = inspect.unwrap(function)
    if function in known or depth > DEEPEST:
        return known.get(function, set())
    known[function] = set()
    try:
        source = textwrap.dedent(inspect.getsource(function))
        if function.__module__.rpartition(".")[2].startswith("gen_"):
            found = set(OPERATOR.findall(source))
        else:
            called = functions_named(ast.parse(source), sys.modules[function.__module__].__dict__)
            found = set().union(*(operators_of(one, known, depth + 1) for one in called))
    except (OSError, TypeError, SyntaxError):  # no source, or a lambda in the middle of a line
        found = set()
    known[function] = found
    return found


def gradients():
    """Returns operator -> names of operators; empty if it is registered as not differentiable."""
    from tensorflow.python.framework import ops
    registry = ops.gradient_registry
    return {name: sorted(operators_of(registry.lookup(name), {})) if registry.lookup(name) else []
            for name in registry.list()}

"""Inputs for measuring an operator: numbers by domain, and the shapes in which operators take their tensors."""
# SPDX-License-Identifier: Apache-2.0

import re
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Sequence, Tuple

Shape = Tuple[int, ...]

ROWS, COLUMNS, LONG, LONGEST = 64, 1024, 4096, 16384


@dataclass(frozen=True)
class Input:
    """One tensor. `role`: "reals" (activations, normal), "sizes" (their absolute values), "weights" (normal, standard
    deviation 1/32), "positives" (1e-8 to 1e4, uniform in the logarithm), "inside" (-1 to 1), "above-one",
    "above-minus-one", "unit" (0 to 1), "divisors" (0.5 to 2)."""

    role: str
    shape: Shape


@dataclass(frozen=True)
class Domain:
    """A distribution of inputs. `rare`: few activations are like them, so that only infinite results count."""

    name: str
    deviation: float = 1
    rare: bool = False
    special: str = ""  # "small-divisors", "cancellations", or empty


# The first one for which the operator gives numbers is used.
ROLES = ("reals", "inside", "above-minus-one", "positives", "above-one", "unit")
SHOWN = {"inside": "-1 to 1", "above-one": "above 1", "above-minus-one": "above -1", "unit": "0 to 1"}


def layouts(count: int) -> List[List[Input]]:
    """Returns the common shapes of inputs for operators of this number of tensors, the most common first."""
    rows = (ROWS, COLUMNS)
    if count == 1:
        return [[Input("reals", rows)], [Input("reals", (ROWS, ROWS))], [Input("reals", (2, 8, 32, 32))]]
    same = [Input("reals", rows)] * count
    if count == 2:
        return [same, [Input("reals", rows), Input("weights", (COLUMNS, ROWS))],
                [Input("reals", rows), Input("weights", (ROWS // 2, COLUMNS))],
                [Input("reals", (4, ROWS, COLUMNS)), Input("weights", (4, COLUMNS, ROWS))],
                [Input("reals", (2, 16, 16, 16)), Input("weights", (16, 16, 3, 3))]]
    if count == 3:
        return [same, [Input("reals", rows), Input("weights", (ROWS // 2, COLUMNS)), Input("weights", (ROWS // 2,))],
                [Input("weights", (ROWS,)), Input("reals", rows), Input("weights", (COLUMNS, ROWS))],
                [Input("reals", rows), Input("weights", (COLUMNS,)), Input("weights", (COLUMNS,))],
                [Input("reals", (2, 4, ROWS, ROWS))] * 3]
    return [same]


def attempts(inputs: Sequence[Input]) -> List[Dict[str, Any]]:
    """Returns arguments that make operators work on the last dimension."""
    last = inputs[0].shape[-1]
    return [{}, {"dim": -1}, {"axis": -1}, {"dim": [-1]}, {"axes": [-1]}, {"normalized_shape": [last]}]


def with_rows(inputs: Sequence[Input], length: int) -> Optional[List[Input]]:
    """Returns the inputs with longer rows: for one tensor, or a matrix product; None for other shapes."""
    shapes = [each.shape for each in inputs]
    if len(inputs) == 1 and len(shapes[0]) == 2:
        return [replace(inputs[0], shape=(ROWS, length))]
    if len(inputs) == 2 and [len(each) for each in shapes] == [2, 2] and shapes[0][1] == shapes[1][0] :
        return [replace(inputs[0], shape=(ROWS, length)), replace(inputs[1], shape=(length, ROWS))]
    return None


def domains_of(role: str) -> List[Domain]:
    """Returns the domains for an operator whose first tensor has this role, as in `opledger characterize`."""
    if role in ("reals", "sizes"):
        return [Domain(f"{role} 1"), Domain(f"{role} 8", 8, True), Domain(f"{role} 64", 64, True)]
    return [Domain(SHOWN.get(role, role))]


INPUT = re.compile(r"(?P<role>[a-z-]+):(?P<shape>\d+(x\d+)*)")
EVERY_ROLE = (*ROLES, "sizes", "weights", "divisors")


def parse_input(text: str) -> Input:
    """Parses "reals:64x1024"."""
    match = INPUT.fullmatch(text)
    if match is None or match["role"] not in EVERY_ROLE:
        raise ValueError(f"'{text}' is not an input such as 'reals:64x1024'; the roles are {', '.join(EVERY_ROLE)}")
    shape = tuple(map(int, match["shape"].split("x")))
    if 0 in shape or len(shape) > 8:
        raise ValueError(f"the shape of '{text}' has no elements, or more than 8 dimensions")
    return Input(match["role"], shape)


def draw(inputs: Sequence[Input], domain: Domain, seed: int) -> List[Any]:
    """Draws float64 arrays of numbers that float32 can represent; the same for the same seed, with any numpy."""
    import numpy
    random = numpy.random.RandomState(seed)
    arrays = [_draw_one(each, domain, random) for each in inputs]
    if domain.special == "small-divisors":
        arrays[1] = _sign(random, inputs[1].shape) * 10 ** random.uniform(-3, 0, inputs[1].shape)
    elif domain.special == "cancellations":
        _make_cancel(arrays, random)
    return [each.astype(numpy.float32).astype(numpy.float64) for each in arrays]


def _sign(random: Any, shape: Shape) -> Any:
    return random.randint(0, 2, shape) * 2 - 1.0


def _make_cancel(arrays: List[Any], random: Any) -> None:
    """Makes inputs that cancel. For two tensors, each element of the second is that of the first, of either sign, off
    by a few percent. For one tensor, neighbors in a row are large and of opposite signs."""
    first = arrays[0]
    if len(arrays) > 1:
        arrays[1] = first * (1 + random.uniform(-1, 1, first.shape) / 64) * _sign(random, first.shape)
        return
    first += 64
    first[..., 1::2] -= 128


def _draw_one(each: Input, domain: Domain, random: Any) -> Any:
    shape, role = each.shape, each.role
    if role in ("reals", "sizes"):
        numbers = domain.deviation * random.standard_normal(shape)
        return abs(numbers) if role == "sizes" else numbers
    if role == "weights":
        return random.standard_normal(shape) / 32
    if role == "divisors":
        return random.uniform(0.5, 2, shape)
    if role == "unit":
        return random.uniform(0, 1, shape)
    if role == "inside":
        return _sign(random, shape) * (1 - 10 ** random.uniform(-6, 0, shape))
    wide = 10 ** random.uniform(-8, 4, shape)
    return wide + {"above-one": 1, "above-minus-one": -1}.get(role, 0)

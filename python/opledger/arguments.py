"""Arguments that take several strings, paths or sizes. A single string is one item: iterating over it would make
`exclude="^sm$"` match nodes named "s"."""
# SPDX-License-Identifier: Apache-2.0

import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from .programs import PathLike

# What callers may pass. For mypy a str already is an Iterable[str]; the union documents that it is one item, and
# `strings` and `paths` enforce it.
Strings = Union[str, Iterable[str]]
Paths = Union[PathLike, Iterable[PathLike]]
Shapes = Mapping[str, Sequence[int]]
Ranges = Mapping[str, Sequence[float]]


def strings(name: str, given: Strings) -> List[str]:
    """Returns the items of the argument `name`; a single string is one item. Raises TypeError if an item is not a
    string."""
    return [given] if isinstance(given, str) else _items(name, given, (str,), "a string")


def paths(name: str, given: Paths) -> List[str]:
    """Like `strings`, for paths."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(each) for each in _items(name, given, (str, os.PathLike), "a path")]


def shape_options(shapes: Optional[Shapes]) -> List[str]:
    """Returns NAME=D,D for each input. Raises TypeError if a shape is not a sequence of integers."""
    options = []
    for name, shape in (shapes or {}).items():
        if isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable):
            raise TypeError(f"the shape of input '{name}' must be a sequence of integers, such as (1, 3), not {shape!r}")
        options.append(f"{name}={','.join(str(int(each)) for each in shape)}")
    return options


def range_options(ranges: Optional[Ranges]) -> List[str]:
    """Returns NAME=LO,HI for each input. Raises TypeError if a range is not a pair of numbers."""
    options = []
    for name, bounds in (ranges or {}).items():
        pair = [] if isinstance(bounds, (str, bytes)) or not isinstance(bounds, Iterable) else list(bounds)
        if len(pair) != 2:
            raise TypeError(f"the range of input '{name}' must be two numbers, such as (0, 1), not {bounds!r}")
        options.append(f"{name}={float(pair[0])!r},{float(pair[1])!r}")
    return options


def hazard_options(hazards: str, ranges: Optional[Ranges], islands: str) -> List[str]:
    """Returns the options for hazards, input ranges and quantized models."""
    said = [] if hazards == "raise" else [f"--hazards={hazards}"]
    said += [] if islands == "keep" else [f"--quantized-islands={islands}"]
    return said + [f"--input-range={each}" for each in range_options(ranges)]


def _items(name: str, given: Any, kinds: Any, one: str) -> List[Any]:
    if isinstance(given, (bytes, bytearray, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be {one} or several of them, not {type(given).__name__}")
    items = list(given)
    for each in items:
        if not isinstance(each, kinds):
            raise TypeError(f"{name} contains {each!r}, which is not {one}")
    return items

"""Arguments that take several strings, paths or sizes. A string is iterable: taken for a list of its letters,
`exclude="^sm$"` would match nodes named "s". Here one string is one item."""
# SPDX-License-Identifier: Apache-2.0

import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from .programs import PathLike

# What a caller may give. For mypy a str is an Iterable[str] already; that it is one item is said here and held by
# `strings` and `paths`.
Strings = Union[str, Iterable[str]]
Paths = Union[PathLike, Iterable[PathLike]]
Shapes = Mapping[str, Sequence[int]]
Ranges = Mapping[str, Sequence[float]]


def strings(name: str, given: Strings) -> List[str]:
    """The items of the argument `name`: of one string itself. Errors: TypeError: something in it is no string."""
    return [given] if isinstance(given, str) else _items(name, given, (str,), "a string")


def paths(name: str, given: Paths) -> List[str]:
    """The same of paths."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(each) for each in _items(name, given, (str, os.PathLike), "a path")]


def shape_options(shapes: Optional[Shapes]) -> List[str]:
    """NAME=D,D of each input. Errors: TypeError: a shape is no sequence of integers."""
    options = []
    for name, shape in (shapes or {}).items():
        if isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable):
            raise TypeError(f"the shape of input '{name}' is a sequence of integers, such as (1, 3), not {shape!r}")
        options.append(f"{name}={','.join(str(int(each)) for each in shape)}")
    return options


def range_options(ranges: Optional[Ranges]) -> List[str]:
    """NAME=LO,HI of each input. Errors: TypeError: a range is no pair of numbers."""
    options = []
    for name, bounds in (ranges or {}).items():
        pair = [] if isinstance(bounds, (str, bytes)) or not isinstance(bounds, Iterable) else list(bounds)
        if len(pair) != 2:
            raise TypeError(f"the range of input '{name}' is two numbers, such as (0, 1), not {bounds!r}")
        options.append(f"{name}={float(pair[0])!r},{float(pair[1])!r}")
    return options


def hazard_options(hazards: str, ranges: Optional[Ranges], islands: str) -> List[str]:
    """The options that say what becomes of numbers that 16 bits would lose, and of quantised models."""
    said = [] if hazards == "raise" else [f"--hazards={hazards}"]
    said += [] if islands == "keep" else [f"--quantized-islands={islands}"]
    return said + [f"--input-range={each}" for each in range_options(ranges)]


def _items(name: str, given: Any, kinds: Any, one: str) -> List[Any]:
    if isinstance(given, (bytes, bytearray, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} is {one} or several of them, not {type(given).__name__}")
    items = list(given)
    for each in items:
        if not isinstance(each, kinds):
            raise TypeError(f"{name} holds {each!r}, which is not {one}")
    return items

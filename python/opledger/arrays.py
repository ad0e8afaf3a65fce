"""Converts between arrays and bytes with a type and a shape. Works with numpy arrays and, without numpy, with objects
that support Python's buffer protocol (memoryview, array.array). bfloat16 is that of ml_dtypes if it is installed,
otherwise its bits."""
# SPDX-License-Identifier: Apache-2.0

import functools
import os
import struct
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from .programs import PathLike

# name -> (buffer format, bytes per element, type name in .npy files)
_TYPES = {"float32": ("f", 4, "<f4"), "float64": ("d", 8, "<f8"), "float16": ("e", 2, "<f2"), "bfloat16": ("H", 2, "<V2"),
          "int8": ("b", 1, "|i1"), "int16": ("h", 2, "<i2"), "int32": ("i", 4, "<i4"), "int64": ("q", 8, "<i8"),
          "uint8": ("B", 1, "|u1"), "uint16": ("H", 2, "<u2"), "uint32": ("I", 4, "<u4"), "uint64": ("Q", 8, "<u8"),
          "bool": ("?", 1, "|b1")}
_NAMES = {form: name for name, (form, _, _) in _TYPES.items() if name != "bfloat16"}
_NAMES.update({"l": "int64", "L": "uint64"} if struct.calcsize("l") == 8 else {"l": "int32", "L": "uint32"})


class Tensor(NamedTuple):
    """`data` is contiguous, row-major and little-endian."""

    dtype: str
    shape: Tuple[int, ...]
    data: "memoryview"


@functools.lru_cache(maxsize=None)
def numpy() -> Any:
    """Returns the package numpy, or None if it is not installed."""
    try:
        import numpy as package
    except ImportError:
        return None
    return package


@functools.lru_cache(maxsize=None)
def bfloat16() -> Any:
    """Returns the numpy type bfloat16 of ml_dtypes, or None if that is not installed."""
    try:
        from ml_dtypes import bfloat16 as dtype
    except ImportError:
        return None
    return numpy().dtype(dtype)


def tensor_of(array: Any, dtype: Optional[str] = None, name: str = "") -> Tensor:
    """Returns an array as bytes. Lists and numbers are converted to `dtype`; arrays of another type are refused.

    Raises TypeError, which names the input and both types.
    """
    np = numpy()
    if np is None:
        view: Any = memoryview(array)
        if not view.c_contiguous:
            raise TypeError(f"the input '{name}' is not contiguous, which needs numpy")
        found = _NAMES.get(view.format.lstrip("@<="))
        if found is None:
            raise TypeError(f"the input '{name}' has elements of the format '{view.format}', which no kernel supports")
        tensor = Tensor(found, tuple(view.shape or ()), view.cast("B") if view.nbytes else memoryview(b""))
    else:
        if not isinstance(array, np.ndarray):
            array = _plain_to_array(np, array, dtype)
        array = np.asarray(array, order="C")
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        tensor = Tensor(array.dtype.name, tuple(array.shape), memoryview(array.reshape(-1).view(np.uint8)))
    if dtype == "bfloat16" and tensor.dtype in ("uint16", "void16"):
        tensor = tensor._replace(dtype=dtype)
    if tensor.dtype not in _TYPES:
        raise TypeError(f"the input '{name}' is {tensor.dtype}, which no kernel supports")
    if dtype is not None and tensor.dtype != dtype:
        raise TypeError(f"the input '{name}' is {tensor.dtype}, but the model takes {dtype}")
    return tensor


def _plain_to_array(np: Any, array: Any, dtype: Optional[str]) -> Any:
    """Converts lists and numbers, which have no type of their own. Returns objects with a buffer or an `__array__` as
    numpy arrays."""
    if not isinstance(array, (int, float, bool, list, tuple)):
        return np.asarray(array)
    return np.asarray(array, dtype=bfloat16() if dtype == "bfloat16" else dtype)


def size_of(dtype: str) -> int:
    """Returns the bytes per element."""
    return _TYPES[dtype][1]


def array_at(buffer: Any, dtype: str, shape: Sequence[int], offset: int) -> Any:
    """Returns a view of a buffer: a numpy array, or without numpy a memoryview (for 16-bit floats, of their bits)."""
    np = numpy()
    if np is not None:
        kind = (bfloat16() or np.dtype("uint16")) if dtype == "bfloat16" else np.dtype(dtype)
        return np.ndarray(tuple(shape), kind, buffer=buffer, offset=offset)
    form, size, _ = _TYPES[dtype]
    count = 1
    for dimension in shape:
        count *= dimension
    view: Any = memoryview(buffer).cast("B")[offset:offset + count * size]
    form = "H" if form == "e" else form
    return view.cast(form, list(shape)) if shape and count else view.cast(form)


def write_npy(path: PathLike, tensor: Tensor) -> None:
    """Writes a file as numpy.save does; bfloat16 is written as ml_dtypes does."""
    head = f"{{'descr': '{_TYPES[tensor.dtype][2]}', 'fortran_order': False, 'shape': {tensor.shape!r}, }}".encode()
    head += b" " * (-(10 + len(head) + 1) % 64) + b"\n"
    with open(os.fspath(path), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        file.write(tensor.data)

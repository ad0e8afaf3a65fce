"""Arrays as bytes with a type and a shape, with numpy and without: numpy's arrays, or anything that has Python's
buffer protocol (memoryview, array.array). bfloat16 is ml_dtypes' where that is installed, else its bits."""
# SPDX-License-Identifier: Apache-2.0

import functools
import os
import struct
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from .programs import PathLike

# name -> (format of a buffer, bytes, what a .npy file calls it)
_TYPES = {"float32": ("f", 4, "<f4"), "float64": ("d", 8, "<f8"), "float16": ("e", 2, "<f2"), "bfloat16": ("H", 2, "<V2"),
          "int8": ("b", 1, "|i1"), "int16": ("h", 2, "<i2"), "int32": ("i", 4, "<i4"), "int64": ("q", 8, "<i8"),
          "uint8": ("B", 1, "|u1"), "uint16": ("H", 2, "<u2"), "uint32": ("I", 4, "<u4"), "uint64": ("Q", 8, "<u8"),
          "bool": ("?", 1, "|b1")}
_NAMES = {form: name for name, (form, _, _) in _TYPES.items() if name != "bfloat16"}
_NAMES.update({"l": "int64", "L": "uint64"} if struct.calcsize("l") == 8 else {"l": "int32", "L": "uint32"})


class Tensor(NamedTuple):
    """`data` is contiguous, in the order of rows, little-endian."""

    dtype: str
    shape: Tuple[int, ...]
    data: "memoryview"


@functools.lru_cache(maxsize=None)
def numpy() -> Any:
    """The package; None: it is not installed."""
    try:
        import numpy as package
    except ImportError:
        return None
    return package


@functools.lru_cache(maxsize=None)
def bfloat16() -> Any:
    """numpy's type of it, from ml_dtypes; None: that is not installed."""
    try:
        from ml_dtypes import bfloat16 as dtype
    except ImportError:
        return None
    return numpy().dtype(dtype)


def tensor_of(array: Any, dtype: Optional[str] = None, name: str = "") -> Tensor:
    """An array as bytes. `dtype`: what is wanted; lists and numbers become it, arrays of another type are refused.

    Errors: TypeError names the input and both types.
    """
    np = numpy()
    if np is None:
        view: Any = memoryview(array)
        if not view.c_contiguous:
            raise TypeError(f"the input '{name}' is not contiguous, which needs numpy")
        found = _NAMES.get(view.format.lstrip("@<="))
        if found is None:
            raise TypeError(f"the input '{name}' has elements of the format '{view.format}', which no kernel takes")
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
        raise TypeError(f"the input '{name}' is {tensor.dtype}, which no kernel takes")
    if dtype is not None and tensor.dtype != dtype:
        raise TypeError(f"the input '{name}' is {tensor.dtype}, the model takes {dtype}")
    return tensor


def _plain_to_array(np: Any, array: Any, dtype: Optional[str]) -> Any:
    """Numbers and lists have no type of their own; what has a buffer or an __array__ does."""
    if not isinstance(array, (int, float, bool, list, tuple)):
        return np.asarray(array)
    return np.asarray(array, dtype=bfloat16() if dtype == "bfloat16" else dtype)


def size_of(dtype: str) -> int:
    """Bytes of an element."""
    return _TYPES[dtype][1]


def array_at(buffer: Any, dtype: str, shape: Sequence[int], offset: int) -> Any:
    """A view of a buffer: numpy's array; without numpy a memoryview, of 16-bit floats their bits."""
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
    """A file as numpy.save writes it; bfloat16 as ml_dtypes has it there."""
    head = f"{{'descr': '{_TYPES[tensor.dtype][2]}', 'fortran_order': False, 'shape': {tensor.shape!r}, }}".encode()
    head += b" " * (-(10 + len(head) + 1) % 64) + b"\n"
    with open(os.fspath(path), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        file.write(tensor.data)

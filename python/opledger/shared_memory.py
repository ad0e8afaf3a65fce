"""A memory file that this process and a program both map, divided into rooms. A room is free again when no array uses
it any more."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import fcntl
import mmap
import os
import weakref
from typing import Any, List, Tuple

ALIGNMENT = 64
_ADD_SEALS, _SEAL_SHRINK = 1033, 2  # Linux; Python has names for them from 3.9 on
_ALLOW_SEALING = 2


def aligned(size: int) -> int:
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


class SharedMemory:
    def __init__(self) -> None:
        self.descriptor = os.memfd_create("opledger-session", os.MFD_CLOEXEC | _ALLOW_SEALING)
        os.ftruncate(self.descriptor, mmap.PAGESIZE)
        # Nobody can truncate the file under the arrays.
        fcntl.fcntl(self.descriptor, _ADD_SEALS, _SEAL_SHRINK)
        self._end = weakref.finalize(self, os.close, self.descriptor)
        self._map = mmap.mmap(self.descriptor, mmap.PAGESIZE)
        self._used = mmap.PAGESIZE  # the first page is never a room
        self._free: List[Tuple[int, int]] = []  # (bytes, offset)

    def close(self) -> None:
        """Closes the file; the memory of arrays stays until they are deleted."""
        self._end()

    def map(self, end: int) -> Any:
        """Maps the file at least up to `end`."""
        if len(self._map) < end:
            self._map = mmap.mmap(self.descriptor, os.fstat(self.descriptor).st_size)
        return self._map

    def take(self, size: int) -> Tuple[int, int]:
        """Returns the offset and the size of a free room of at least `size` bytes."""
        fitting = min((each for each in self._free if each[0] >= size), default=None)
        if fitting is not None:
            self._free.remove(fitting)
            return fitting[1], fitting[0]
        where = aligned(max(self._used, os.fstat(self.descriptor).st_size))
        self.grown_to(where + aligned(size))
        os.ftruncate(self.descriptor, self._used)
        return where, aligned(size)

    def grown_to(self, end: int) -> None:
        self._used = max(self._used, end)

    def give_back(self, where: int, size: int) -> None:
        self._free.append((size, where))

    def room(self, where: int, size: int) -> Any:
        """Returns the bytes of a room, which is free again when nothing refers to them."""
        kind = ctypes.c_char * size
        region = kind.from_buffer(self.map(where + size), where)
        weakref.finalize(region, self._free.append, (size, where)).atexit = False
        return region

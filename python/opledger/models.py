"""A model as an argument: a path, an onnx.ModelProto or its bytes, or the result of a conversion."""
# SPDX-License-Identifier: Apache-2.0

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Protocol, Type, Union

from .programs import PathLike

if TYPE_CHECKING:
    import onnx

    class ModelInFiles(Protocol):
        """A model that a program wrote: a result of convert or revert."""

        @property
        def lies_in_files(self) -> bool: ...

        @property
        def path(self) -> Path: ...

        @property
        def params(self) -> Optional[Path]: ...

    Model = Union[PathLike, bytes, "onnx.ModelProto", ModelInFiles]
else:
    Model = Any

PROTO = "<ModelProto>"
EXTERNAL = 1  # onnx.TensorProto.EXTERNAL


class ModelFile:
    """A context manager that provides the model as a file that a program can open.

    A ModelProto goes through memory, not through a file; if its tensors are in files of `base_dir`, it becomes a
    file there until the program is done.
    """

    def __init__(self, model: "Model", base_dir: Optional[PathLike] = None) -> None:
        self.descriptors: List[int] = []
        self.names: Dict[str, str] = {}
        self.params: Optional[str] = None  # of a converted MXNet model
        self._beside: Optional[str] = None
        if isinstance(model, (str, os.PathLike)):
            self.path = os.fspath(model)
        elif getattr(type(model), "lies_in_files", False):
            self.path = os.fspath(getattr(model, "path"))
            params = getattr(model, "params", None)
            self.params = None if params is None else os.fspath(params)
        else:
            self._take(model, base_dir)

    def _take(self, model: Any, base_dir: Optional[PathLike]) -> None:
        refuse_external(model, base_dir)
        data = bytes_of(model)
        if base_dir is not None:
            handle, self._beside = tempfile.mkstemp(".onnx", ".opledger-", os.fspath(base_dir))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            self.path = self._beside
        else:
            descriptor = os.memfd_create("opledger-model")
            self.descriptors = [descriptor]
            with open(descriptor, "wb", closefd=False) as file:
                file.write(data)
            self.path = f"/proc/self/fd/{descriptor}"
        self.names = {self.path: PROTO}

    def __enter__(self) -> "ModelFile":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []
        if self._beside is not None:
            os.unlink(self._beside)
            self._beside = None


def bytes_of(model: Any) -> bytes:
    """Serializes a ModelProto.

    Raises TypeError if it is not one, and ValueError if it is 2 GB or more, which protobuf cannot write.
    """
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    if not hasattr(model, "SerializeToString"):
        raise TypeError("a model must be a path, an onnx.ModelProto, its bytes, or a Converted, not "
                        f"{type(model).__name__}")
    try:
        data: bytes = model.SerializeToString()
    except Exception as error:
        raise ValueError("the ModelProto cannot be serialized, because protobuf is limited to 2 GB: pass the path of "
                         "the model instead, with its weights as external data") from error
    return data


def refuse_external(model: Any, base_dir: Optional[PathLike]) -> None:
    """Raises ValueError if the ModelProto has external data that is not loaded and `base_dir` does not name its
    folder."""
    if base_dir is not None or not hasattr(model, "graph"):
        return
    for tensor in model.graph.initializer:
        if tensor.data_location == EXTERNAL:
            raise ValueError(f"the data of tensor '{tensor.name}' is in another file: name its folder with base_dir, "
                             "load the model with its external data, or pass the path of the model")


class Scratch:
    """A temporary folder that is removed when nothing needs it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="opledger-"))
        self._end = weakref.finalize(self, shutil.rmtree, str(self.path), True)

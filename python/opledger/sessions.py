"""run and Session: run models on arrays. A session keeps one process, and passes arrays through shared memory."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import subprocess
import tempfile
import threading
import weakref
from types import TracebackType
from typing import IO, Any, Dict, List, Mapping, Optional, Type

from .arguments import Ranges, hazard_options
from .arrays import Tensor, array_at, tensor_of
from .errors import OpledgerError
from .precision_lists import ListArgument, list_file
from .models import Model, ModelFile, Scratch
from .programs import PathLike, Said, end, environment, find_program, logger, option
from .shared_memory import SharedMemory, aligned


class _Process:
    """`opledger run --serve` and the memory that it shares."""

    def __init__(self, arguments: List[str], file: ModelFile, threads: Optional[int]) -> None:
        self.memory = SharedMemory()
        self.names = dict(file.names)
        self.command = [find_program(), "run", "--serve", *arguments, "--", str(self.memory.descriptor), file.path]
        self.said = tempfile.TemporaryFile()
        more = {} if threads is None else {"OMP_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                        pass_fds=[self.memory.descriptor, *file.descriptors], env=environment(**more))
        self.requests: IO[bytes] = self.process.stdin  # type: ignore[assignment]
        self.replies: IO[bytes] = self.process.stdout  # type: ignore[assignment]
        self.room = (0, 0)  # of inputs: offset, bytes
        self.outputs = 0  # bytes of the last outputs

    def ask(self, request: bytes) -> Any:
        """Returns the reply. Raises OpledgerError if the process ended instead."""
        try:
            if request:
                os.write(self.requests.fileno(), request)
            line = self.replies.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise self.error()
        reply = json.loads(line)
        if "errors" in reply:
            said = Said(self.command, self.names)
            said.diagnostics = [said.diagnostic(each) for each in reply["errors"]]
            raise said.error(2)
        return reply

    def error(self) -> OpledgerError:
        """Returns the reason why the process ended."""
        status = self.process.wait()
        said = Said(self.command, self.names)
        self.said.seek(0)
        for line in self.said:
            said.take(line)
        return said.error(status)

    def close(self) -> None:
        try:
            self.requests.close()  # the process ends at the end of its standard input
        except BrokenPipeError:
            pass
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            pass
        end(self.process)
        self.replies.close()
        self.said.close()
        self.memory.close()


class Session:
    """A model for many runs: opened and planned once, in a separate process that ends with the session.

    `model` as in `opledger.convert`. `device`: "cpu", "cuda" (the first NVIDIA GPU; "cuda:1" is the second; nodes
    without a GPU kernel run on the CPU), or "cuda-only". `autocast` ("float16", "bfloat16") runs a float32 model by a
    precision list; `hazards`, `input_ranges`, `small_constants` and `quantized_islands` are as in `opledger.convert`.
    `kernels`: "fast" or "reference". `threads`: CPU threads, by default one per processor. `memory_limit`: "16G".

    `inputs` maps the names of the inputs to their types, `outputs` lists the names of the outputs. Threads may share a
    session; their runs are serialized. A crash of the process (ProgramCrashed) and invalid inputs raise exceptions;
    after either the session may be used again.

    >>> import numpy
    >>> with opledger.Session("model.onnx") as session:
    ...     print(session.inputs, session.outputs)
    ...     for batch in (1, 2):
    ...         print(session.run({"pixels": numpy.ones((batch, 8), "float32")})["scores"].shape)
    {'pixels': 'float32'} ['scores']
    (1, 3)
    (2, 3)
    """

    def __init__(self, model: "Model", *, device: str = "cpu", autocast: Optional[str] = None,
                 precision_list: ListArgument = None, hazards: str = "raise", input_ranges: Optional[Ranges] = None,
                 kernels: str = "fast", params: Optional[PathLike] = None, threads: Optional[int] = None,
                 memory_limit: Optional[str] = None, base_dir: Optional[PathLike] = None,
                 small_constants: str = "keep", quantized_islands: str = "keep") -> None:
        self._scratch = Scratch()
        self._model, self._base_dir, self._threads, self._params = model, base_dir, threads, params
        self._arguments = [*option("--device", device if device != "cpu" else None), *option("--autocast", autocast),
                           *option("--list", list_file(precision_list, autocast or "float16", self._scratch)),
                           *option("--small-constants", small_constants if small_constants != "keep" else None),
                           *hazard_options(hazards, input_ranges, quantized_islands), *option("--kernels", kernels),
                           *option("--memory-limit", memory_limit)]
        self._lock = threading.Lock()
        self._process: Optional[_Process] = None
        self._end: Any = None
        self._noted = ""
        self.inputs: Dict[str, Optional[str]] = {}
        self.outputs: List[str] = []
        self._start()

    def _start(self) -> _Process:
        with ModelFile(self._model, self._base_dir) as file:
            params = file.params if self._params is None else self._params
            process = _Process([*self._arguments, *option("--params", params)], file, self._threads)
            self._process, self._end = process, weakref.finalize(self, process.close)
            try:
                greeting = process.ask(b"")
            except BaseException:
                self._close()
                raise
        self.inputs = {each["name"]: each.get("dtype") for each in greeting["inputs"]}
        self.outputs = greeting["outputs"]
        return process

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Any]:
        """Runs the model once. `inputs`: an array for each input, of the model's type and shape, row-major or not;
        numbers and lists are converted to that type. Returns the outputs by name: numpy arrays (without numpy:
        memoryviews, for 16-bit floats of their bits). They belong to the caller and are not copied. A sequence is a
        list of arrays, an empty optional None.

        Raises TypeError if an array has another type than the model's; OpledgerError if an input does not exist or its
        shape does not fit, or a node cannot compute it; and ProgramCrashed.
        """
        with self._lock:
            process = self._process or self._start()
            described = self._place(process, {name: tensor_of(value, self.inputs.get(name), name)
                                              for name, value in inputs.items()})
            room = process.memory.take(process.outputs) if process.outputs else (0, 0)
            request = {"inputs": described, "room_at": room[0], "room": room[1]}
            reply = None
            try:
                reply = process.ask(json.dumps(request).encode() + b"\n")
            except BaseException as error:
                # After a refusal the process continues; otherwise, and after an interrupt, start a new one.
                if not isinstance(error, OpledgerError) or process.process.poll() is not None:
                    self._close()
                raise
            finally:
                if room[1] and (reply is None or reply["room_at"] != room[0]):
                    process.memory.give_back(*room)
            return self._outputs(process, reply)

    @staticmethod
    def _place(process: _Process, tensors: Mapping[str, Tensor]) -> List[Dict[str, Any]]:
        """Puts the tensors into the shared memory, and returns their description for a request."""
        memory = process.memory
        size = sum(aligned(tensor.data.nbytes) for tensor in tensors.values())
        if size > process.room[1]:
            if process.room[1]:
                memory.give_back(*process.room)
            process.room = memory.take(size)
        at = process.room[0]
        whole = memoryview(memory.map(at + process.room[1]))
        described = []
        for name, tensor in tensors.items():
            count = tensor.data.nbytes
            if count:
                whole[at:at + count] = tensor.data
            described.append({"name": name, "dtype": tensor.dtype, "shape": tensor.shape, "offset": at})
            at += aligned(count)
        return described

    def _outputs(self, process: _Process, reply: Mapping[str, Any]) -> Dict[str, Any]:
        where, size = reply["room_at"], reply["room"]
        process.memory.grown_to(where + size)
        process.outputs = size
        note = reply.get("note", "")
        if note and note != self._noted:
            logger.info("%s", note)
            self._noted = note
        region = process.memory.room(where, size) if size else b""
        outputs = {each["name"]: array_at(region, each["dtype"], each["shape"], each["offset"] - where if size else 0)
                   for each in reply["outputs"]}
        for each in reply.get("lists", ()):
            elements = [outputs.pop(f"{each['name']}.{i}") for i in range(each.get("count", 0))]
            outputs[each["name"]] = elements if "count" in each else None
        return outputs

    def _close(self) -> None:
        if self._process is not None:
            self._process = None
            self._end()

    def close(self) -> None:
        """Ends the process. Arrays that it returned stay valid. A later `run` starts a new process."""
        with self._lock:
            self._close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def run(model: "Model", inputs: Mapping[str, Any], *, device: str = "cpu", autocast: Optional[str] = None,
        precision_list: ListArgument = None, hazards: str = "raise", input_ranges: Optional[Ranges] = None,
        kernels: str = "fast", params: Optional[PathLike] = None, threads: Optional[int] = None,
        memory_limit: Optional[str] = None, base_dir: Optional[PathLike] = None,
        small_constants: str = "keep", quantized_islands: str = "keep") -> Dict[str, Any]:
    """Runs a model once. Arguments and errors are those of `Session` and `Session.run`. No file is written.

    >>> import numpy
    >>> scores = opledger.run("model.onnx", {"pixels": numpy.zeros((2, 8), "float32")})["scores"]
    >>> scores.shape, scores.dtype
    ((2, 3), dtype('float32'))
    """
    with Session(model, device=device, autocast=autocast, precision_list=precision_list, hazards=hazards,
                 input_ranges=input_ranges, kernels=kernels, params=params, threads=threads,
                 memory_limit=memory_limit, base_dir=base_dir, small_constants=small_constants,
                 quantized_islands=quantized_islands) as session:
        return session.run(inputs)

"""Passes arrays to a program through files: the inputs of one run, or of several."""
# SPDX-License-Identifier: Apache-2.0

import os
import re
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Sequence, Union

from .arrays import tensor_of, write_npy
from .models import Scratch
from .programs import PathLike, option

if TYPE_CHECKING:
    # NAME -> array, or the path of a .npy file.
    Inputs = Mapping[str, Any]
    Samples = Union[None, Inputs, Sequence[Inputs], PathLike]
else:
    Inputs = Samples = Any


def file_name(name: str) -> str:
    """Returns the file name of an input in a sample's folder."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name) + ".npy"


def sample_options(samples: "Samples", scratch: Scratch) -> List[str]:
    """Returns the options for one sample (a dict), several (a list of dicts, or a folder of folders), or none, in which
    case inputs are random."""
    if samples is None:
        return []
    if isinstance(samples, (str, os.PathLike)):
        return option("--inputs-from", samples)
    if isinstance(samples, Mapping):
        return option("--input", [f"{name}={_file(name, value, scratch, str(index))}"
                                  for index, (name, value) in enumerate(samples.items())])
    folder = scratch.path / "samples"
    width = len(str(len(samples)))
    for index, sample in enumerate(samples):
        each = folder / str(index).zfill(width)
        each.mkdir(parents=True)
        taken: Dict[str, str] = {}
        for name, value in sample.items():
            other = taken.setdefault(file_name(name), name)
            if other != name:
                raise ValueError(f"the inputs '{other}' and '{name}' would have the same file name in a folder of "
                                 "samples")
            write_npy(each / file_name(name), tensor_of(value, name=name))
    return option("--inputs-from", folder)


def _file(name: str, value: Any, scratch: Scratch, stem: str) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    path = scratch.path / f"input-{stem}.npy"
    write_npy(path, tensor_of(value, name=name))
    return str(path)

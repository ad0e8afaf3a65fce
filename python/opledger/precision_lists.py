"""Precision lists: the shipped ones, and the one that a call names."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Protocol, Union

from .models import Scratch
from .programs import PathLike, data_folder

if TYPE_CHECKING:
    class WithList(Protocol):
        """A result of tune, which has a list unless tuning found none."""

        @property
        def list_path(self) -> Optional[str]: ...

    ListArgument = Union[None, PathLike, Mapping[str, Any], "PrecisionList", WithList]
else:
    ListArgument = Any

POLICIES = ("target", "fp32", "widest", "conditional", "either")
NODE_POLICIES = ("target", "fp32", "widest", "either")  # a list names nodes under each: "target_nodes"
NodePolicies = Mapping[str, str]  # name of a node -> its policy


@dataclass(frozen=True)
class PrecisionList:
    """A shipped list: the policy of every operator for one framework and one 16-bit type (and device)."""

    name: str
    path: str
    framework: str
    target_dtype: str
    device: Optional[str] = None

    def content(self) -> Dict[str, Any]:
        """Returns the JSON object (schemas/precision-list.schema.json)."""
        data: Dict[str, Any] = json.loads(Path(self.path).read_text(encoding="utf-8"))
        return data

    def policies(self) -> Dict[str, str]:
        """Returns operator -> "target", "fp32", "widest", "conditional" or "either".

        >>> next(each for each in opledger.lists() if each.name == "onnx/float16").policies()["Exp"]
        'fp32'
        """
        content = self.content()
        return {entry if isinstance(entry, str) else entry["op"]: policy
                for policy in POLICIES for entry in content.get(policy, ())}


def lists(framework: Optional[str] = None) -> List[PrecisionList]:
    """Returns the shipped lists, or those of one framework, named by its dialect, such as "onnx" or "mxnet".

    Raises ProgramNotFound, and FileNotFoundError if the lists are not beside the programs.

    >>> [each.name for each in opledger.lists("mxnet")]
    ['mxnet/bfloat16', 'mxnet/float16']
    """
    folder = data_folder() / "lists"
    if not folder.is_dir():
        raise FileNotFoundError(f"there are no lists in {folder}")
    found = []
    for path in sorted(folder.glob("*/*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if framework is None or data["framework"] == framework:
            found.append(PrecisionList(f"{path.parent.name}/{path.stem}", str(path), data["framework"],
                                       data["target_dtype"], data.get("device")))
    return found


def list_file(argument: ListArgument, target_dtype: str, scratch: Scratch, nodes: Optional[NodePolicies] = None,
              framework: str = "onnx") -> Optional[str]:
    """Returns the file of the list that an argument names; None for the shipped one. `nodes`: policies of individual
    nodes, which take precedence over those of the list."""
    path = _file_of(argument, scratch)
    if not nodes:
        return path
    data = json.loads(Path(path or data_folder() / f"lists/{framework}/{target_dtype}.json").read_text("utf-8"))
    if "extends" in data:
        fields = " and ".join(f"'{policy}_nodes'" for policy in sorted(set(nodes.values())))
        raise ValueError(f"{path} extends another list: put {fields} into that file instead")
    for policy in NODE_POLICIES:
        names = [name for name in data.get(f"{policy}_nodes", ()) if name not in nodes]
        names += [name for name, wanted in nodes.items() if wanted == policy]
        if names or f"{policy}_nodes" in data:
            data[f"{policy}_nodes"] = names
    return _written(data, scratch)


def _file_of(argument: Any, scratch: Scratch) -> Optional[str]:
    if argument is None:
        return None
    if isinstance(argument, Mapping):
        return _written(argument, scratch)
    if isinstance(argument, (str, os.PathLike)):
        path = os.fspath(argument)
        shipped = data_folder() / "lists" / f"{path}.json"
        return str(shipped) if not os.path.exists(path) and shipped.is_file() else path
    path = getattr(argument, "list_path", None) or getattr(argument, "path", None)
    if path is None:
        raise TypeError("a precision list must be a path, the name of a shipped list, a JSON object, or a result of tune, "
                        f"not {type(argument).__name__}")
    return str(path)


def _written(data: Mapping[str, Any], scratch: Scratch) -> str:
    path = scratch.path / "list.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)

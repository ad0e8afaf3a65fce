"""Dataclasses of JSON objects. Their fields are those of a schema; what a newer program adds is left out."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import functools
from typing import Any, Callable, ClassVar, Dict, List, Mapping, Sequence, Type, TypeVar, Union, get_type_hints

T = TypeVar("T", bound="Record")

# typing.get_origin and get_args, which Python 3.8 has, cost more than these.
Read = Callable[[Any], Any]


class Record:
    """A JSON object. `SCHEMA` names the schema that it is held against: "conversion#/$defs/node"."""

    SCHEMA: ClassVar[str]
    RENAMED: ClassVar[Mapping[str, str]] = {}  # what JSON calls by a word of Python's: its name -> ours
    OWN: ClassVar[Sequence[str]] = ()  # fields that no schema has
    OMITTED: ClassVar[Sequence[str]] = ()  # fields of the schema that are left to the JSON

    @classmethod
    def of(cls: Type[T], data: Dict[str, Any]) -> T:
        """The record of a JSON object."""
        readers = _known.get(cls) or _known.setdefault(cls, _readers(cls))
        return cls(**{field: read(data[name]) for name, (field, read) in readers.items() if name in data})

    def to_dict(self) -> Dict[str, Any]:
        """All fields, as `dataclasses.asdict` gives them."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]


_known: Dict[Any, Dict[str, Any]] = {}


def _readers(cls: Any) -> Dict[str, Any]:
    hints, ours = get_type_hints(cls), {ours: name for name, ours in cls.RENAMED.items()}
    return {ours.get(field.name, field.name): (field.name, _reader(hints[field.name]))
            for field in dataclasses.fields(cls)}


def _reader(hint: Any) -> Read:
    origin = getattr(hint, "__origin__", None)
    arguments: Sequence[Any] = getattr(hint, "__args__", ())
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.of
    if origin is Union:
        inner = _reader(next(each for each in arguments if each is not type(None)))
        return lambda data: None if data is None else inner(data)
    if hint is float:
        return _as_number
    if origin in (list, List):
        return functools.partial(_read_list, _reader(arguments[0]))
    if origin in (dict, Dict):
        return functools.partial(_read_dict, _reader(arguments[1]))
    return _as_it_is


def _as_it_is(data: Any) -> Any:
    return data


def _as_number(data: Any) -> Any:
    """JSON has no infinities: they are "inf" and "-inf"."""
    return float(data) if isinstance(data, str) else data


def _read_list(read: Read, data: List[Any]) -> List[Any]:
    return data if read is _as_it_is else [read(each) for each in data]


def _read_dict(read: Read, data: Dict[str, Any]) -> Dict[str, Any]:
    return data if read is _as_it_is else {name: read(each) for name, each in data.items()}

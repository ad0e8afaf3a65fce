"""Dataclasses of JSON objects. Their fields are those of a schema; unknown fields of newer programs are ignored."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import functools
from typing import Any, Callable, ClassVar, Dict, List, Mapping, Sequence, Type, TypeVar, Union, get_type_hints

T = TypeVar("T", bound="Record")

# typing.get_origin and get_args of Python 3.8 are slower than these.
Read = Callable[[Any], Any]


class Record:
    """A JSON object. `SCHEMA` names its schema, for tests: "conversion#/$defs/node"."""

    SCHEMA: ClassVar[str]
    RENAMED: ClassVar[Mapping[str, str]] = {}  # JSON keys that are Python keywords -> names of fields
    OWN: ClassVar[Sequence[str]] = ()  # fields without a counterpart in the schema
    OMITTED: ClassVar[Sequence[str]] = ()  # fields of the schema that only the JSON has

    @classmethod
    def of(cls: Type[T], data: Dict[str, Any]) -> T:
        """Returns the record of a JSON object."""
        readers = _known.get(cls) or _known.setdefault(cls, _readers(cls))
        return cls(**{field: read(data[name]) for name, (field, read) in readers.items() if name in data})

    def to_dict(self) -> Dict[str, Any]:
        """Returns all fields, as `dataclasses.asdict` does."""
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
    """Converts "inf" and "-inf", which stand for infinities in JSON."""
    return float(data) if isinstance(data, str) else data


def _read_list(read: Read, data: List[Any]) -> List[Any]:
    return data if read is _as_it_is else [read(each) for each in data]


def _read_dict(read: Read, data: Dict[str, Any]) -> Dict[str, Any]:
    return data if read is _as_it_is else {name: read(each) for name, each in data.items()}

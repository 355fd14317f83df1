"""Options that belong together, as one parameter of a command: a dataclass with a field for each of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer that has, for each parameter whose type is a dataclass, an option for each field.

    The type of a field is `Annotated` with its option, and its default is that of the option.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters = {
        one.name: one
        for parameter in inspect.signature(command).parameters.values()
        for one in _options(groups.get(parameter.name), parameter.replace(annotation=hints[parameter.name]))
    }

    @wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401 - the values of options
        filled = {
            name: group(**{one.name: given.pop(one.name) for one in fields(group)}) for name, group in groups.items()
        }
        command(**given, **filled)

    run.__annotations__ = {name: one.annotation for name, one in parameters.items()}
    run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined] # inspect reads it
    return run


def _options(group: Any, parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:  # noqa: ANN401 - a dataclass
    """Yield a parameter for each field of a group; without a group, the parameter itself. All are keyword-only."""
    if group is None:
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        return
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        yield inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name]
        )

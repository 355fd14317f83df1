"""Compares the functions in a notebook's kernel with those of the learner's file, which is what a check runs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import NamedTuple

from memlab.labs.lab import Lab
from memlab.labs.learner.submission import TAG

UNFILLED = "step '"  # the beginning of the error in a cell that is not filled in


class Definition(NamedTuple):
    """A function or a method of the file: its name ("recall", "MemoryMix.rules"), its first line, and its code."""

    name: str
    line: int
    code: CodeType


class Difference(NamedTuple):
    """A name that is another function in the kernel, the label of its cell, and the unfilled cell that it is from."""

    name: str
    label: str
    unfilled: str


def explain_differences(lab: Lab, source: str, namespace: Mapping[str, object]) -> Iterator[str]:
    """Say which function of a notebook is not the one in the learner's file, and which cells to run again."""
    found = differences(source, namespace)
    if unfilled := [one for one in found if one.unfilled]:
        name, label, empty = unfilled[0]
        yield f"In this notebook {name} is the one of the unfilled cell '# {lab.name}: {empty}'."
        yield f"Fill in that cell and run it, or leave it out and run the cells from '# {lab.name}: {label}' down"
        yield "to here again."
    elif found:
        name, label, _ = found[0]
        again = f", and then make new objects: {lab.class_name}()" if lab.class_name else ""
        yield f"In this notebook {name} is not the one that a check runs: a cell was run out of order,"
        yield f"or another cell uses its name. Run the cells from '# {lab.name}: {label}' down"
        yield f"to here again{again}."


def differences(source: str, namespace: Mapping[str, object]) -> list[Difference]:
    """List what is missing or different in the kernel's namespace, in the order of the file. Raises SyntaxError."""
    lines = source.splitlines()
    found = []
    for one in sorted(_definitions(source), key=lambda one: one.line):
        live = _live_code(namespace, one.name)
        if live is None or _content(live) != _content(one.code):
            tags = [tag for line in lines[: one.line] if (tag := TAG.fullmatch(line))]
            found.append(Difference(one.name, tags[-1][2] if tags else "", _unfilled(live)))
    return found


def _definitions(source: str) -> Iterator[Definition]:
    """Return the definitions that hold at the end of the file; a class without its base begins anew."""
    codes = {key: code for cell in _cells(source) for key, code in _codes(compile(cell, "cell", "exec"))}
    latest: dict[str, int] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            if node.name not in {one.id for one in node.bases if isinstance(one, ast.Name)}:
                latest = {name: line for name, line in latest.items() if not name.startswith(f"{node.name}.")}
            latest |= {f"{node.name}.{one.name}": _line(one) for one in node.body if isinstance(one, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            latest[node.name] = _line(node)
    for name, line in latest.items():
        if code := codes.get((name.rpartition(".")[2], line)):
            yield Definition(name, line, code)


def _cells(source: str) -> Iterator[str]:
    """Return each cell below as many empty lines as are above it in the file; its code depends on its own imports."""
    lines = source.splitlines()
    starts = [number for number, line in enumerate(lines) if TAG.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield "\n" * start + "\n".join(lines[start:end])


def _line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield (one.co_name, one.co_firstlineno), one
            yield from _codes(one)


def _live_code(namespace: Mapping[str, object], name: str) -> CodeType | None:
    owner, _, method = name.rpartition(".")
    found = namespace.get(owner or method)
    if owner:
        found = inspect.getattr_static(found, method, None)
    found = getattr(found, "__func__", getattr(found, "fget", found))  # a static or class method, a property
    found = inspect.unwrap(found) if callable(found) else found
    code = getattr(found, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _content(code: CodeType) -> tuple[object, ...]:
    """Return what a function does, without where it is written."""
    constants = tuple(_content(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, constants


def _unfilled(live: CodeType | None) -> str:
    """Return the label of the unfilled cell that a function is from, or ""."""
    texts = [one for one in live.co_consts if isinstance(one, str)] if live else []
    return next((text.removeprefix(UNFILLED).rstrip("'") for text in texts if text.startswith(UNFILLED)), "")

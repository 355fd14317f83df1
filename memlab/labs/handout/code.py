"""Takes a Python file apart: the source of each name, and its stub for learners."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

IMPORTS = "imports"  # the name for all imports of a file
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Piece:
    """The source of one name, its sort ("imports", "constant" or "block"), and the class that it belongs to."""

    text: str
    sort: str = "block"
    owner: str = ""


class Source:
    """A Python file by name. Names are those of top-level definitions, `Class.method`, and "imports"."""

    def __init__(self, path: Path) -> None:
        self._lines = path.read_text(encoding="utf-8").splitlines()
        self._tree = ast.parse("\n".join(self._lines), str(path))
        self._imports = [node for node in self._tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        self._found = dict(self._named(self._tree.body, ""))
        self.names = (IMPORTS, *self._found)
        """All names, in the order of the file."""

    def piece(self, name: str) -> Piece:
        """Return the source of a name with its decorators, comments and docstring; of a class without its methods."""
        if name == IMPORTS:
            return Piece(self._text(self._imports[0].lineno, self._imports[-1]) if self._imports else "", IMPORTS)
        node, last = self._found[name]
        if isinstance(node, ast.ClassDef):
            return Piece(self._head(node), owner=name)
        sort = "block" if isinstance(node, Function) else "constant"
        return Piece(self._text(self._first(node), last), sort, _owner(name))

    def stub(self, name: str, step: str) -> Piece:
        """Return the signature and the docstring of a function, with a body that raises NotImplementedError."""
        node = self._found[name][0]
        assert isinstance(node, Function)  # noqa: S101 - callers check is_function first
        end = node.body[0].lineno - 1 if ast.get_docstring(node) is None else node.body[0].end_lineno
        head = self._lines[_decorated(node) - 1 : end]
        indent = " " * (node.col_offset + 4)
        text = "\n".join([*head, f"{indent}raise NotImplementedError(\"step '{step}'\")"])
        return Piece(text, owner=_owner(name))

    def is_function(self, name: str) -> bool:
        """Return whether a name is a function or a method."""
        return name != IMPORTS and isinstance(self._found[name][0], Function)

    def is_class(self, name: str) -> bool:
        """Return whether a name is a class."""
        return name != IMPORTS and isinstance(self._found[name][0], ast.ClassDef)

    def demonstration(self) -> str:
        """Return the block `if __name__ == "__main__"`, or ""."""
        for node in self._tree.body:
            if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
                return self._text(node.lineno, node)
        return ""

    def changed(self, other: Source) -> str:
        """Return this file with another's definitions in place of its own; new names come last, or last in a class."""
        lines = list(self._lines)
        pieces = {name: other.piece(name) for name in other.names if not other.is_class(name)}
        places = {name: self._place(name, piece.owner) for name, piece in pieces.items()}
        for name in sorted(pieces, key=lambda name: places[name])[
            ::-1
        ]:  # from the bottom, so that line numbers above stay valid
            first, last = places[name]
            lines[first - 1 : last] = pieces[name].text.splitlines()
        return "\n".join(lines) + "\n"

    def _place(self, name: str, owner: str) -> tuple[int, int]:
        """Return the first and last line of a name; for a new one an empty range at its future place."""
        if name in self._found:
            node, last = self._found[name]
            return self._first(node), last.end_lineno or 0
        ends = self._imports if name == IMPORTS else [one for one in self._tree.body if not isinstance(one, ast.If)]
        above = self._found[owner][1] if owner else ends[-1]  # before the block if __name__ == "__main__"
        return (above.end_lineno or 0) + 1, above.end_lineno or 0

    def _named(self, body: Sequence[ast.stmt], owner: str) -> Iterator[tuple[str, tuple[ast.stmt, ast.stmt]]]:
        """Return each name with its statement, and the last statement that belongs to it."""
        for node, after in zip(body, [*body, None][1:], strict=True):
            if isinstance(node, Function | ast.ClassDef):
                yield f"{owner}{node.name}", (node, node)
            if isinstance(node, ast.ClassDef):
                methods = [one for one in node.body if isinstance(one, Function)]
                yield from self._named(methods, f"{node.name}.")
            for name in _assigned(node):
                yield name, (node, after if after and _is_text(after) else node)

    def _first(self, node: ast.stmt) -> int:
        """Return the first line of a statement, with its decorators and the comments right above."""
        first = _decorated(node)
        while first > 1 and self._lines[first - 2].lstrip().startswith("#"):
            first -= 1
        return first

    def _text(self, first: int, last: ast.stmt) -> str:
        return "\n".join(self._lines[first - 1 : last.end_lineno])

    def _head(self, node: ast.ClassDef) -> str:
        methods = [one for one in node.body if isinstance(one, Function)]
        inside = {line for one in methods for line in range(self._first(one), (one.end_lineno or 0) + 1)}
        lines = range(self._first(node), (node.end_lineno or 0) + 1)
        return "\n".join(self._lines[line - 1] for line in lines if line not in inside).rstrip()


def join_pieces(pieces: Iterable[Piece]) -> str:
    """Join pieces with the blank lines that a formatter would put between them."""
    text, last = "", Piece("")
    for piece in pieces:
        text += (_gap(last, piece) if text else "") + piece.text
        last = piece
    return text


def _gap(above: Piece, below: Piece) -> str:
    if above.sort == below.sort == "constant" and not below.text.startswith("#"):
        return "\n"
    if "block" not in {above.sort, below.sort} or (below.owner and above.owner == below.owner):
        return "\n\n"
    return "\n\n\n"


def _owner(name: str) -> str:
    return name.rpartition(".")[0]


def _decorated(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [one.id for one in names if isinstance(one, ast.Name)]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)

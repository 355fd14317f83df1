"""Packages that memlab does not need, and that its extras install."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec


class NotInstalled(ModuleNotFoundError):
    """A package that something needs is not installed; the message says what to install."""

    def __init__(self, user: str, package: str, extra: str) -> None:
        """Name who needs which package, and the extra of memlab that installs it."""
        what = f"{user} needs {package}, which is not installed"
        super().__init__(f"{what}. Run: pip install '.[{extra}]' in a checkout of memlab", name=package)


def require(user: str, modules: Iterable[str], extra: str) -> None:
    """Raise NotInstalled if one of these modules is not installed; they are not imported."""
    for module in modules:
        if not is_installed(module):
            raise NotInstalled(user, module, extra)


def is_installed(module: str) -> bool:
    """Return whether a module can be imported; it is not."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that would hold it
        return False

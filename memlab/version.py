"""The version of memlab; it is that of pyproject.toml."""

__version__ = "0.1.0"

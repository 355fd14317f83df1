"""Numbers with their noun."""


def plural(number: int, noun: str) -> str:
    """Return "1 probe" or "2 probes", with commas in large numbers; `noun` is a singular that takes an s."""
    return f"{number:,} {noun}{'s' * (number != 1)}"

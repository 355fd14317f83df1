"""Keys and passwords in the text of a memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memlab.audit.entry import Entry, Finding

_KNOWN = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "an AWS key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_\w{22,}",
    "a GitLab token": r"\bglpat-[\w-]{20,}",
    "a Slack token": r"\bxox[abprs]-[\w-]{10,}",
    "an API key": r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|\bAIza[\w-]{35}\b|\bsk_live_[A-Za-z0-9]{16,}",
    "a PyPI token": r"\bpypi-[\w-]{32,}",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "a JSON Web Token": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
    "a password in a URL": r"\b[a-z][a-z+]*://[^\s:/@]+:(?P<url>[^\s:/@]{4,})@",
    "a password": (
        r"(?i:\b(?:password|passwd|passphrase|secret|token|api[ _-]?key)\b)[\"'`]?"
        r"\s*(?:is|[:=])\s*[\"'`]?(?P<value>[^\s\"'`,;]{8,})"
    ),
}
_PATTERNS = {what: re.compile(pattern) for what, pattern in _KNOWN.items()}
_PLACEHOLDER = re.compile(r"[<>{}$*]|\.\.\.|x{4}|(?i:your|example|changeme|placeholder|redacted|dummy|env\b)|^[a-z]+$")
_SHOWN = 4


def secrets(entries: Iterable[Entry]) -> Iterator[Finding]:
    """Yield a finding for each secret. Its text is shown with the first four characters of the secret only."""
    for entry in entries:
        for what, pattern in _PATTERNS.items():
            match = pattern.search(entry.text)
            if not match:
                continue
            value = _value(match)
            if _is_secret(value, match):
                line = entry.line + (entry.text.count("\n", 0, match.start()) if entry.role != "records" else 0)
                hidden = f"{value[:_SHOWN]}..."
                yield Finding("secret", entry.file, line, f"contains {what}", f"begins with {hidden}", hidden)
                break


def hide_secrets(text: str) -> str:
    """Return a text in which each secret is cut after its first four characters."""
    for pattern in _PATTERNS.values():
        for match in pattern.finditer(text):
            value = _value(match)
            text = text.replace(value, f"{value[:_SHOWN]}...") if _is_secret(value, match) else text
    return text


def _value(match: re.Match[str]) -> str:
    """Return the secret itself: the named part of a match, or all of it."""
    return next((one for one in match.groupdict().values() if one), match[0])


def _is_secret(value: str, match: re.Match[str]) -> bool:
    """Return whether a value is no placeholder, and has the form of a known key or of a password."""
    return not _PLACEHOLDER.search(value) and (value == match[0] or _is_random(value))


def _is_random(value: str) -> bool:
    """Return whether a value has letters and digits or signs, as a password has and a word of prose has not."""
    return any(letter.isalpha() for letter in value) and any(not letter.isalpha() for letter in value.rstrip(".:!?)"))

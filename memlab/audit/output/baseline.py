"""A baseline: the findings that are known, so that a build fails on new ones only."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memlab.audit.entry import Finding
from memlab.memory.text import digest, fold


class BadBaselineError(ValueError):
    """The baseline cannot be read; the message names the file and what to do."""


def fingerprint(finding: Finding) -> str:
    """Return a digest of a finding that stays the same when its line moves."""
    return digest(finding.kind, finding.file, finding.about.rpartition(":")[0] or finding.about, fold(finding.evidence))


def write(path: Path, findings: Sequence[Finding]) -> None:
    """Write the fingerprints of these findings, sorted."""
    path.write_text(json.dumps({"known": sorted(map(fingerprint, findings))}, indent=1) + "\n", encoding="utf-8")


def new_findings(path: Path, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that a baseline lacks, each as often as it is there too often. Raises BadBaselineError."""
    try:
        known = Counter[str](json.loads(path.read_text(encoding="utf-8"))["known"])
    except (ValueError, TypeError, KeyError) as error:
        how = "write a new one with --write-baseline"
        raise BadBaselineError(f"{path}: this is no baseline of `memlab audit` ({error}); {how}") from None
    fresh = []
    for one in findings:
        mark = fingerprint(one)
        if known[mark] > 0:
            known[mark] -= 1
        else:
            fresh.append(one)
    return fresh

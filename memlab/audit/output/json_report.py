"""An audit as JSON, and as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

import json
from typing import Any

from memlab.audit.audit import Audit
from memlab.audit.entry import KINDS
from memlab.audit.output.baseline import fingerprint
from memlab.version import __version__

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(audit: Audit) -> str:
    """Return the findings, the number of statements and the files left out."""
    return json.dumps(
        {
            "version": __version__,
            "statements": audit.entries,
            "findings": [one._asdict() | {"fingerprint": fingerprint(one)} for one in audit.findings],
            "unreadable": [one._asdict() for one in audit.unreadable],
        },
        indent=1,
    )


def to_sarif(audit: Audit) -> str:
    """Return the findings as one SARIF run with one rule for each kind."""
    driver: dict[str, Any] = {
        "name": "memlab audit",
        "version": __version__,
        "rules": [{"id": kind, "shortDescription": {"text": meaning}} for kind, meaning in KINDS.items()],
    }
    results = [
        {
            "ruleId": one.kind,
            "level": "error" if one.kind == "secret" else "warning",
            "message": {"text": f"{one.message}: {one.evidence}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": one.file},
                        "region": {"startLine": one.line},
                    }
                }
            ],
            "partialFingerprints": {"memlab/v1": fingerprint(one)},
        }
        for one in audit.findings
    ]
    return json.dumps(
        {"$schema": _SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    )

"""A row whose result depends on a model: played with rules in its place, with an oracle, or with a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from memlab.models.model import Model, row_name
from memlab.systems.documents.parts.model_stand_ins import ModelStandIns, Reject
from memlab.systems.documents.parts.oracle_row import BuildWith, OracleRow
from memlab.systems.entry import Entry


@dataclass(frozen=True, slots=True)
class Bracket:
    """How a row is built with stand-ins for a model. The truth for a real model is between rules and oracle.

    `about` describes the row with rules, `part` what an oracle or a model does in it: "an oracle that extracts".
    """

    name: str
    about: str
    part: str
    build: BuildWith

    def entries(self) -> tuple[Entry, Entry]:
        """Return the row with rules, and the row with an oracle."""
        oracle = partial(OracleRow, build=self.build)
        more = f"{self.name} with an oracle that {self.part}."
        return (
            Entry(self.name, self.about, "documents", self.build),
            Entry(f"{self.name}+oracle", more, "documents", oracle, sees_key=True),
        )

    def with_model(self, model: Model, reject: Reject) -> Entry:
        """Return the row with a model; `reject` is called with the reason for each answer that may not be stored."""
        stand_ins = ModelStandIns(model, lambda reason: reject(f"{self.name}: {reason}"))
        about = f"{self.name} with the model {model.name}, which {self.part}."
        return Entry(row_name(self.name, model), about, "documents", partial(self.build, stand_ins=stand_ins))

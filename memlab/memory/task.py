"""The task at hand: each step of it stands in the log and on the scratchpad, which the log can rebuild."""

from __future__ import annotations

from dataclasses import dataclass, field

from memlab.memory.admission import Admission
from memlab.memory.episode import Episode
from memlab.memory.episodic import Episodes
from memlab.memory.trust import AGENT
from memlab.memory.working import Scratchpad, rebuilt


@dataclass
class Task:
    """Writes what happens into the log, unless nothing is `logged`, and knows whether others have written there."""

    episodes: Episodes
    admission: Admission
    logged: bool
    _pad: Scratchpad = field(default_factory=Scratchpad, init=False)
    _seen: tuple[int, int] = field(default=(-1, 0), init=False)

    @property
    def pad(self) -> Scratchpad:
        """Give the scratchpad, rebuilt from the log if another process has written there."""
        if self.logged and self._seen != self.episodes.identity:
            self._seen = self.episodes.identity
            self._pad = rebuilt(self.episodes.steps())
        return self._pad

    def log(self, episode: Episode) -> None:
        """Log one thing that happened, as it was admitted."""
        if self.logged:
            with self.episodes.alone():
                current = self._seen == self.episodes.identity
                self.episodes.append(episode)
                self._seen = self.episodes.identity if current else self._seen

    def step(self, told: Episode) -> None:
        """Take one step. Raises Refused if its source may not, or if it does not apply to the scratchpad."""
        self.admission.only(AGENT, told.step, told.origin)
        with self.episodes.alone():
            episode = self.admission.episode(told)
            pad = self.pad.after(episode)
            self.log(episode)
            self._pad = pad

"""Assumes that JSON can be made by typing braces and quotes around a text.

Instead in: published.py
Loses: log/replays-what-was-logged, log/one-line-of-json-each
"""


class MemoryMix:
    def log_episode(self, kind: str, detail: str) -> None:
        with open(EPISODIC, "a", encoding="utf-8") as f:
            f.write(f'{{"kind": "{kind}", "detail": "{detail}"}}\n')

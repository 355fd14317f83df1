"""Assumes that a log that was read once needs no second look, and that only its last line can be torn.

Instead in: solution.py
Loses: repair/damaged-lines-are-skipped
"""


class MemoryMix:
    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        record = validate({"kind": kind, "detail": detail, "source": source, "session": session}, "kind", "detail")
        known, begin = self.episodes(), "\n" if self._is_torn() else ""
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(begin + json.dumps(record) + "\n")
        known.append(record)

    def episodes(self) -> list[dict[str, Any]]:
        if not hasattr(self, "_known"):
            *lines, last = (EPISODIC.read_bytes() if EPISODIC.is_file() else b"").splitlines() or [b""]
            records = [json.loads(line) for line in lines] + [parse_json(last)]
            self._known = [record for record in records if is_record(record, "kind", "detail")]
        return self._known
